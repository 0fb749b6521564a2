// What the language server adds to a text: lenses above protocols, hints within lines, colours of names.
import { StateEffect, StateField, type Extension, type Range, type Text } from '@codemirror/state';
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view';
import type { LSPClient, LSPPlugin } from '@codemirror/lsp-client';

export type Symbol = { name: string; line: number; depth: number };
export type Lens = { title: string; command: string; arguments: any[] };

class LensWidget extends WidgetType {
  constructor(readonly lenses: Lens[], readonly indent: number, readonly run: (lens: Lens) => void) {
    super();
  }
  eq(other: LensWidget) {
    return other.indent === this.indent && JSON.stringify(other.lenses) === JSON.stringify(this.lenses);
  }
  toDOM() {
    const row = document.createElement('div');
    row.className = 'cm-lenses';
    for (const lens of this.lenses) {
      const button = document.createElement('button');
      button.textContent = lens.title;
      button.addEventListener('mousedown', (event) => event.preventDefault());
      button.addEventListener('click', () => this.run(lens));
      row.append(button);
    }
    return row;
  }
  ignoreEvent() {
    return true;
  }
}

class HintWidget extends WidgetType {
  constructor(readonly text: string) {
    super();
  }
  eq(other: HintWidget) {
    return other.text === this.text;
  }
  toDOM() {
    const hint = document.createElement('span');
    hint.className = 'cm-hint';
    hint.textContent = this.text;
    return hint;
  }
}

const setNotes = StateEffect.define<DecorationSet>();
const notes = StateField.define({
  create: () => Decoration.none,
  update(now, transaction) {
    for (const effect of transaction.effects) if (effect.is(setNotes)) return effect.value;
    return now.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

export const annotations: Extension = notes;

type Position = { line: number; character: number };

// Tokens come as differences: lines, columns, length, kind, modifiers.
function coloured(data: number[], kinds: string[], doc: Text): Range<Decoration>[] {
  const found: Range<Decoration>[] = [];
  let line = 0;
  let column = 0;
  for (let i = 0; i + 4 < data.length; i += 5) {
    column = data[i] === 0 ? column + data[i + 1] : data[i + 1];
    line += data[i];
    if (line >= doc.lines) break;
    const start = doc.line(line + 1).from + column;
    const end = start + data[i + 2];
    if (end <= doc.length && end > start) found.push(Decoration.mark({ class: `cm-token-${kinds[data[i + 3]] ?? 'other'}` }).range(start, end));
  }
  return found;
}

// What the text declares, in its order; what is within something else comes after it.
function listed(symbols: any[], depth = 0): Symbol[] {
  return symbols.flatMap((one) => [{ name: one.name, line: (one.selectionRange ?? one.location?.range).start.line + 1, depth }, ...(depth < 1 ? listed(one.children ?? [], depth + 1) : [])]);
}

// Asks for all of it, and shows what is about the text that is there when the answers are.
export async function annotate(client: LSPClient, view: EditorView, plugin: LSPPlugin, uri: string, run: (lens: Lens) => void, outline: (symbols: Symbol[]) => void) {
  const version = client.workspace.getFile(uri)?.version;
  const doc = plugin.syncedDoc;
  const textDocument = { uri };
  const kinds: string[] = (client.serverCapabilities as any)?.semanticTokensProvider?.legend?.tokenTypes ?? [];
  const end: Position = { line: doc.lines, character: 0 };
  const [lenses, hints, tokens, symbols] = (await Promise.all([
    client.request('textDocument/codeLens', { textDocument }),
    client.request('textDocument/inlayHint', { textDocument, range: { start: { line: 0, character: 0 }, end } }),
    client.request('textDocument/semanticTokens/full', { textDocument }),
    client.request('textDocument/documentSymbol', { textDocument }),
  ])) as [any[] | null, any[] | null, { data: number[] } | null, any[] | null];
  if (client.workspace.getFile(uri)?.version !== version || plugin.syncedDoc !== doc || !plugin.unsyncedChanges.empty) return;
  outline(listed(symbols ?? []));
  const at = (position: Position) => Math.min(plugin.fromPosition(position, doc), doc.length);
  const marks: Range<Decoration>[] = coloured(tokens?.data ?? [], kinds, doc);
  const rows = new Map<number, Lens[]>();
  for (const lens of lenses ?? []) {
    if (!lens.command) continue;
    const line = doc.lineAt(at(lens.range.start)).from;
    rows.set(line, [...(rows.get(line) ?? []), { title: lens.command.title, command: lens.command.command, arguments: lens.command.arguments ?? [] }]);
  }
  for (const [line, here] of rows) marks.push(Decoration.widget({ widget: new LensWidget(here, 0, run), block: true, side: -1 }).range(line));
  for (const hint of hints ?? []) {
    const text = typeof hint.label === 'string' ? hint.label : hint.label.map((part: any) => part.value).join('');
    const shown = `${hint.paddingLeft ? ' ' : ''}${text}${hint.paddingRight ? ' ' : ''}`;
    marks.push(Decoration.widget({ widget: new HintWidget(shown), side: 1 }).range(at(hint.position)));
  }
  view.dispatch({ effects: setNotes.of(Decoration.set(marks, true)) });
}
