// The editor: one view, a state per open file, connected to the language server.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import {
  findReferencesKeymap, formatKeymap, hoverTooltips, jumpToDefinitionKeymap, LSPClient, LSPPlugin, serverCompletion, signatureHelp,
} from '@codemirror/lsp-client';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, StateEffect, StateField, type Extension, type Text } from '@codemirror/state';
import {
  crosshairCursor, Decoration, drawSelection, dropCursor, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers,
  rectangularSelection, showDialog, ViewPlugin,
} from '@codemirror/view';
import { annotate, annotations, type Lens, type Symbol } from './annotate';
import { colours, treatyLanguage } from './language';
import { languageServer } from './socket';
import { FolderWorkspace } from './workspace';

export const LONGEST = 4 << 20; // characters of a text that is worked on

export type Fix = { title: string; apply: () => void };
export type Problem = { path: string; line: number; column: number; severity: 'error' | 'warning' | 'info'; message: string; code: string; from: number; to: number; fixes: Fix[] };

export type EditorEvents = {
  changed: (path: string, text: () => string) => void;
  cursor: (line: number) => void;
  problems: (path: string, problems: Problem[]) => void;
  tooLong: (length: number) => void;
  connection: (open: boolean) => void;
  save: () => void;
  lens: (lens: Lens) => void;
  outline: (symbols: Symbol[]) => void;
  show: (path: string) => Promise<boolean>; // whether it is shown now
  read: (path: string) => Promise<string>; // opens it beside what is shown
  fault: (text: string) => void;
};

const severities = ['error', 'error', 'warning', 'info', 'info'] as const;

const setMarkedLine = StateEffect.define<number>();
const markedLine = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(setMarkedLine)) {
        const number = effect.value;
        if (number < 1 || number > transaction.state.doc.lines) return Decoration.none;
        return Decoration.set([Decoration.line({ class: 'cm-marked-line' }).range(transaction.state.doc.line(number).from)]);
      }
    return marks.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

// What was typed reaches the server soon, whether or not something is asked.
const sync = ViewPlugin.fromClass(
  class {
    timer = 0;
    update(update: { docChanged: boolean; view: EditorView }) {
      if (!update.docChanged) return;
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => LSPPlugin.get(update.view)?.client.sync(), 120);
    }
    destroy() {
      clearTimeout(this.timer);
    }
  },
);

export class Editor {
  readonly view: EditorView;
  private states = new Map<string, EditorState>();
  private path = '';
  private client: LSPClient | null = null;
  private workspace: FolderWorkspace | null = null;

  constructor(parent: HTMLElement, private root: string, private nonce: string, private readOnly: boolean, private on: EditorEvents) {
    this.view = new EditorView({ parent, state: EditorState.create({ doc: '', extensions: [EditorView.cspNonce.of(nonce), EditorState.readOnly.of(true)] }) });
    this.connect();
  }

  private async connect() {
    let workspace: FolderWorkspace | null = null;
    const client = new LSPClient({
      rootUri: this.root,
      timeout: 20000,
      workspace: (made) => (workspace = new FolderWorkspace(made, (uri) => this.display(uri))),
      notificationHandlers: { 'textDocument/publishDiagnostics': (_, params) => this.received(params) },
      sanitizeHTML: (html) => html.replace(/<(?!\/?(?:p|code|pre|em|strong|ul|ol|li|br|hr|h[1-6]|span|div)\b)/gi, '&lt;').replace(/\son\w+\s*=/gi, ' data-off='),
      extensions: [serverCompletion(), hoverTooltips(), signatureHelp(), keymap.of([{ key: 'F2', run: () => this.rename(), preventDefault: true }, ...formatKeymap, ...jumpToDefinitionKeymap, ...findReferencesKeymap]), sync],
    });
    try {
      const transport = await languageServer(() => this.lost());
      client.connect(transport);
      await client.initializing;
    } catch {
      return;
    }
    this.client = client;
    this.workspace = workspace;
    this.on.connection(true);
    // States that were made without a server, or with an earlier one, are made anew.
    const open = [...this.states.keys()];
    for (const path of open) this.add(path, this.textOf(path));
    if (this.path) this.view.setState(this.states.get(this.path)!);
  }

  private lost() {
    this.on.connection(false);
    this.client?.disconnect();
    this.client = null;
    this.workspace = null;
    setTimeout(() => this.connect(), 1500);
  }

  uri(path: string) {
    return this.root + '/' + path.split('/').map(encodeURIComponent).join('/');
  }

  // Empty if it is not a file of the folder.
  private pathOf(uri: string) {
    return uri.startsWith(this.root + '/') ? decodeURIComponent(uri.slice(this.root.length + 1)) : '';
  }

  private async display(uri: string): Promise<EditorView | null> {
    const path = this.pathOf(uri);
    if (path && (await this.on.show(path))) return this.view;
    this.on.fault(path ? `${path} cannot be opened` : 'That is in the standard library, which is not a part of this folder.');
    return null;
  }

  // Opens a file beside the one that is shown.
  private add(path: string, text: string) {
    const state = this.make(path, text);
    this.states.set(path, state);
    if (this.client && path !== this.path && text.length <= LONGEST) this.workspace?.track(this.uri(path), this.languageOf(path), state.doc);
  }

  private languageOf(path: string) {
    return path.endsWith('.treaty') ? 'treaty' : path.replace(/^.*\./, '');
  }

  // Changes of the server, in any files of the folder. Positions are those of the texts as they are.
  private async applyEdits(changes: Record<string, any[]>) {
    for (const [uri, edits] of Object.entries(changes)) {
      const path = this.pathOf(uri);
      if (!path) throw new Error('a file outside of this folder would have to be changed');
      if (!this.states.has(path)) this.add(path, await this.on.read(path));
      const before = path === this.path ? this.view.state : this.states.get(path)!;
      const at = (place: any) => Math.min(before.doc.line(Math.min(place.line + 1, before.doc.lines)).from + place.character, before.doc.length);
      const spec = { changes: edits.map((edit) => ({ from: at(edit.range.start), to: at(edit.range.end), insert: edit.newText })), userEvent: 'input.rename' };
      if (path === this.path) this.view.dispatch(spec);
      else {
        const transaction = before.update(spec);
        this.states.set(path, transaction.state);
        this.workspace?.changed(uri, transaction.changes, transaction.state.doc);
        this.on.changed(path, () => transaction.state.doc.toString());
      }
    }
  }

  private rename(): boolean {
    const word = this.view.state.wordAt(this.view.state.selection.main.head);
    const plugin = LSPPlugin.get(this.view);
    if (!word || !plugin || this.readOnly) return false;
    const asked = showDialog(this.view, { label: 'New name ', input: { name: 'name', value: this.view.state.sliceDoc(word.from, word.to) }, focus: true, submitLabel: 'Rename' });
    asked.result.then(async (form) => {
      const newName = (form?.elements.namedItem('name') as HTMLInputElement | null)?.value.trim();
      if (!newName) return;
      plugin.client.sync();
      try {
        const edit: any = await plugin.client.request('textDocument/rename', { textDocument: { uri: plugin.uri }, position: plugin.toPosition(word.from), newName });
        await this.applyEdits(edit?.changes ?? {});
      } catch (fault) {
        this.on.fault((fault as Error).message);
      }
      this.view.focus();
    });
    return true;
  }

  private make(path: string, text: string): EditorState {
    const extensions: Extension[] = [
      EditorView.cspNonce.of(this.nonce),
      lineNumbers(), highlightActiveLineGutter(), highlightSpecialChars(), history(), foldGutter(), drawSelection(), dropCursor(),
      EditorState.allowMultipleSelections.of(true), indentOnInput(), bracketMatching(), closeBrackets(), autocompletion(), rectangularSelection(), crosshairCursor(),
      highlightActiveLine(), highlightSelectionMatches(), lintGutter(), indentUnit.of('  '), markedLine, annotations, colours,
      EditorView.contentAttributes.of({ 'aria-label': `Text of ${path}`, tabindex: '0' }),
      keymap.of([
        { key: 'Mod-s', run: () => (this.on.save(), true), preventDefault: true },
        ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap, indentWithTab,
      ]),
      EditorState.transactionFilter.of((transaction) => {
        if (!transaction.docChanged || transaction.newDoc.length <= LONGEST) return transaction;
        this.on.tooLong(transaction.newDoc.length);
        return [];
      }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) this.on.changed(path, () => update.state.doc.toString());
        if (update.docChanged || update.selectionSet) this.on.cursor(update.state.doc.lineAt(update.state.selection.main.head).number);
      }),
    ];
    if (path.endsWith('.treaty')) extensions.push(treatyLanguage);
    if (this.client && text.length <= LONGEST) extensions.push(this.client.plugin(this.uri(path), this.languageOf(path)));
    return EditorState.create({ doc: text, extensions });
  }

  open(path: string, text: string) {
    this.keep();
    if (!this.states.has(path)) this.states.set(path, this.make(path, text));
    this.path = path;
    this.view.setState(this.states.get(path)!);
    this.on.cursor(this.view.state.doc.lineAt(this.view.state.selection.main.head).number);
  }

  // The states of files that are not shown are kept as they were left.
  private keep() {
    if (!this.path || !this.states.has(this.path)) return;
    this.client?.sync();
    this.states.set(this.path, this.view.state);
  }

  isOpen = (path: string) => this.states.has(path);

  textOf(path: string): string {
    if (path === this.path) return this.view.state.doc.toString();
    return this.states.get(path)?.doc.toString() ?? '';
  }

  replace(path: string, text: string) {
    if (path === this.path) this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    else if (this.states.has(path)) {
      this.workspace?.forget(this.uri(path));
      this.add(path, text);
    }
  }

  close(path: string) {
    this.states.delete(path);
    this.workspace?.forget(this.uri(path));
    if (this.path === path) this.path = '';
  }

  go(line: number, column = 1, focus = true) {
    const doc = this.view.state.doc;
    const place = doc.line(Math.min(Math.max(line, 1), doc.lines));
    const at = Math.min(place.from + column - 1, place.to);
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
    if (focus) this.view.focus();
  }

  mark(line: number) {
    this.view.dispatch({ effects: setMarkedLine.of(line) });
  }

  private received(params: any): boolean {
    const path = this.path;
    const plugin = LSPPlugin.get(this.view);
    if (!plugin || params.uri !== this.uri(path)) return true;
    const file = this.client?.workspace.getFile(params.uri);
    if (params.version != null && file && params.version !== file.version) return true;
    this.show(path, params.diagnostics, []);
    annotate(this.client!, this.view, plugin, params.uri, (lens) => this.on.lens(lens), (symbols) => path === this.path && this.on.outline(symbols)).catch(() => {
      // The text has changed since; the next diagnostics ask again.
    });
    if (params.diagnostics.length > 0 && !this.readOnly) this.offerFixes(path, params);
    return true;
  }

  private show(path: string, diagnostics: any[], actions: any[]) {
    const plugin = LSPPlugin.get(this.view);
    if (!plugin) return;
    const doc: Text = plugin.syncedDoc;
    const problems: Problem[] = diagnostics.map((one) => {
      const from = plugin.unsyncedChanges.mapPos(plugin.fromPosition(one.range.start, doc));
      const to = plugin.unsyncedChanges.mapPos(plugin.fromPosition(one.range.end, doc));
      const fixes = actions
        .filter((action) => (action.diagnostics ?? []).some((about: any) => about.code === one.code && JSON.stringify(about.range) === JSON.stringify(one.range)))
        .map((action) => ({ title: action.title, apply: () => this.apply(action) }));
      return { path, line: one.range.start.line + 1, column: one.range.start.character + 1, severity: severities[one.severity ?? 1], message: one.message, code: String(one.code ?? ''), from, to, fixes };
    });
    const lint: Diagnostic[] = problems.map((one) => ({
      from: one.from, to: Math.max(one.to, one.from), severity: one.severity, message: one.message, source: one.code,
      actions: one.fixes.map((fix) => ({ name: fix.title, apply: fix.apply })),
    }));
    this.view.dispatch(setDiagnostics(this.view.state, lint));
    this.on.problems(path, problems);
  }

  private async offerFixes(path: string, params: any) {
    if (!this.client) return;
    const version = this.client.workspace.getFile(params.uri)?.version;
    const end = { line: this.view.state.doc.lines, character: 0 };
    try {
      const actions: any = await this.client.request('textDocument/codeAction', {
        textDocument: { uri: params.uri }, range: { start: { line: 0, character: 0 }, end }, context: { diagnostics: params.diagnostics },
      });
      const now = this.client?.workspace.getFile(params.uri)?.version;
      if (actions?.length && path === this.path && now === version) this.show(path, params.diagnostics, actions);
    } catch {
      // The text has changed since; the next diagnostics ask again.
    }
  }

  private apply(action: any) {
    const plugin = LSPPlugin.get(this.view);
    const edits: any[] = action.edit?.changes?.[this.uri(this.path)] ?? [];
    if (!plugin || edits.length === 0) return;
    const doc = plugin.syncedDoc;
    this.view.dispatch({
      changes: edits.map((edit) => ({
        from: plugin.unsyncedChanges.mapPos(plugin.fromPosition(edit.range.start, doc)),
        to: plugin.unsyncedChanges.mapPos(plugin.fromPosition(edit.range.end, doc)),
        insert: edit.newText,
      })),
      userEvent: 'input.fix',
    });
    this.view.focus();
  }
}
