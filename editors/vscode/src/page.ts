// The page of the preview panel: a picture whose parts know their lines. It needs no editor, so a browser can test it.
//
// The page is made once. The editor then sends { type: 'show', ... } with each new picture and { type: 'mark', line } when
// the cursor moves; the page sends { type: 'go', line } when a part is clicked and { type: 'choose', kind, role } when
// another picture is wanted. Lines count from 1. A part of line 7 has the class line-7.

export const kinds: ReadonlyArray<readonly [string, string]> = [
    ['msc', 'Sequence chart'], ['graph', 'Graph'], ['net', 'Petri net'], ['machine', 'State machine'],
];

export interface Shown {
    type: 'show';
    title: string;
    kind: string; // of `kinds`; empty: an answer that cannot be drawn in another way
    roles: string[]; // that a machine or a net can be limited to
    role: string;
    svg: string;
    text: string;
}

export interface Marked {
    type: 'mark';
    line: number;
}

export type ToPage = Shown | Marked;
export type FromPage = { type: 'go'; line: number } | { type: 'choose'; kind: string; role: string } | { type: 'ready' };

const style = `
body { padding: 0 12px; color: var(--vscode-editor-foreground, #1f2328); background: var(--vscode-editor-background, #ffffff);
  font-family: var(--vscode-font-family, sans-serif); }
#bar { display: flex; gap: 6px; align-items: center; padding: 8px 0; position: sticky; top: 0; flex-wrap: wrap;
  background: var(--vscode-editor-background, #ffffff); }
#bar button, #bar select { font: inherit; padding: 2px 10px; border: 1px solid var(--vscode-widget-border, #8c959f); border-radius: 3px;
  color: inherit; background: transparent; cursor: pointer; }
#bar button[aria-pressed="true"] { color: var(--vscode-button-foreground, #ffffff); background: var(--vscode-button-background, #0969da); }
#title { font-weight: bold; margin-right: 8px; }
#picture svg { max-width: 100%; height: auto; }
[class*="line-"] { cursor: pointer; }
[class*="line-"]:hover { opacity: 0.7; }
.marked { filter: drop-shadow(0 0 3px #d4a72c) drop-shadow(0 0 6px #d4a72c); }
pre { font-family: var(--vscode-editor-font-family, monospace); white-space: pre-wrap; }
`;

// Runs in the page; it is turned into text, so it uses nothing from outside.
function inPage(kindsOfPage: ReadonlyArray<readonly [string, string]>, host: { postMessage(message: unknown): void }): void {
    const doc = (globalThis as any).document;
    const by = (id: string) => doc.getElementById(id);
    let kind = '', role = '', marked = 0;

    const linesOf = (element: any): number[] => {
        for (let at = element; at && at !== doc.body; at = at.parentElement) {
            const found = [...(at.getAttribute('class') ?? '').matchAll(/(?:^|\s)line-(\d+)(?=\s|$)/g)];
            if (found.length > 0) return found.map((one: string[]) => Number(one[1]));
        }
        return [];
    };
    const mark = (line: number, scroll: boolean) => {
        marked = line;
        for (const one of doc.querySelectorAll('.marked')) one.classList.remove('marked');
        const parts = doc.querySelectorAll('.line-' + line);
        for (const one of parts) one.classList.add('marked');
        if (scroll && parts.length > 0) parts[0].scrollIntoView({ block: 'nearest', inline: 'nearest' });
    };
    const choose = (newKind: string, newRole: string) => host.postMessage({ type: 'choose', kind: newKind, role: newRole });

    const bar = (shown: any) => {
        by('title').textContent = shown.title;
        by('kinds').replaceChildren();
        for (const [name, title] of shown.kind === '' ? [] : kindsOfPage) {
            const button = doc.createElement('button');
            button.textContent = title;
            button.dataset.kind = name;
            button.setAttribute('aria-pressed', String(name === kind));
            button.addEventListener('click', () => choose(name, role));
            by('kinds').append(button);
        }
        const select = by('roles');
        select.replaceChildren();
        select.hidden = shown.roles.length === 0 || (kind !== 'machine' && kind !== 'net');
        for (const name of ['', ...shown.roles]) {
            const option = doc.createElement('option');
            option.value = name;
            option.textContent = name === '' ? 'all roles' : name;
            option.selected = name === role;
            select.append(option);
        }
    };

    (globalThis as any).addEventListener('message', (event: any) => {
        const message = event.data;
        if (message.type === 'mark') return mark(message.line, true);
        if (message.type !== 'show') return;
        kind = message.kind;
        role = message.role;
        bar(message);
        by('picture').innerHTML = message.svg;
        by('text').textContent = message.text;
        mark(marked, false);
    });
    by('roles').addEventListener('change', () => choose(kind, by('roles').value));
    doc.addEventListener('click', (event: any) => {
        const lines = linesOf(event.target);
        if (lines.length === 0) return;
        // A part of several lines leads to each in turn.
        const next = lines[(lines.indexOf(marked) + 1) % lines.length]!;
        mark(next, false);
        host.postMessage({ type: 'go', line: next });
    });
    host.postMessage({ type: 'ready' });
}

/** The whole page. `nonce` is what its script is allowed by; `host` is an expression for what takes its messages. */
export function page(nonce: string, host = 'acquireVsCodeApi()'): string {
    return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Treaty</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'nonce-${nonce}'">
<style>${style}</style></head>
<body><div id="bar"><span id="title"></span><span id="kinds"></span><select id="roles" aria-label="role" hidden></select></div>
<div id="picture"></div><pre id="text"></pre>
<script nonce="${nonce}">(${inPage.toString()})(${JSON.stringify(kinds)}, ${host});</script></body></html>`;
}
