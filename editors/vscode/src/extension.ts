// Starts `treaty lsp` and shows what its commands answer.
import { execFile } from 'node:child_process';
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';

interface CommandAnswer {
    text?: string;
    svg?: string;
    terminal?: string;
    complete?: boolean; // false: the command line has parts to fill in
}

const languages = ['treaty', 'treaty-gc', 'treaty-fsa', 'treaty-scribble', 'treaty-csp', 'treaty-schora', 'treaty-pnml'];
let client: LanguageClient | undefined;
let panel: vscode.WebviewPanel | undefined;

function program(): string {
    return vscode.workspace.getConfiguration('treaty').get('path', 'treaty');
}

function escaped(text: string): string {
    return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

function show(title: string, answer: CommandAnswer): void {
    if (answer.terminal !== undefined) {
        const terminal = vscode.window.createTerminal('treaty');
        terminal.show();
        terminal.sendText(answer.terminal.replace(/^treaty/, program()), answer.complete !== false);
        return;
    }
    if (!panel) {
        panel = vscode.window.createWebviewPanel('treaty', title, vscode.ViewColumn.Beside);
        panel.onDidDispose(() => { panel = undefined; });
    }
    panel.title = title;
    panel.webview.html = `<!DOCTYPE html><html><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"></head>
<body>${answer.svg ?? ''}<pre>${escaped(answer.text ?? '')}</pre></body></html>`;
}

// The explanation of a diagnostic, which its code links to.
class HelpProvider implements vscode.TextDocumentContentProvider {
    provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
        return new Promise((resolve) => {
            execFile(program(), ['help', uri.path], (fault, out) => resolve(fault ? String(fault) : out));
        });
    }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
    const pause = vscode.workspace.getConfiguration('treaty').get('pause', '250ms');
    client = new LanguageClient('treaty', 'Treaty', { command: program(), args: ['lsp', '--pause', pause] }, {
        documentSelector: languages.map((language) => ({ language })),
        synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.treaty') },
        middleware: {
            async executeCommand(command, given, next) {
                const answer = await next(command, given) as CommandAnswer | undefined;
                if (answer) show(command.replace('treaty.', 'treaty '), answer);
                return answer;
            },
        },
    });
    context.subscriptions.push(vscode.workspace.registerTextDocumentContentProvider('treaty-help', new HelpProvider()));
    await client.start();
}

export function deactivate(): Thenable<void> | undefined {
    return client?.stop();
}
