// The panel beside the text: a picture of the protocol under the cursor, redrawn as the text changes.
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { FromPage, kinds, page, ToPage } from './page';

export interface CommandAnswer {
    text?: string;
    svg?: string;
    roles?: string[];
    terminal?: string;
    complete?: boolean; // false: the command line has parts to fill in
}

export interface Target {
    uri: string;
    protocol: string; // empty: the last one of the file
}

type Ask = (command: string, argument: object) => Promise<CommandAnswer | undefined>;

export class Preview {
    private panel: vscode.WebviewPanel | undefined;
    private target: Target | undefined;
    private kind = 'msc';
    private role = '';
    private drawn = 0; // counts the pictures that were asked for, so that a late answer is dropped

    constructor(private readonly ask: Ask) {}

    /** Follows a protocol: its picture is drawn now and after each change. Files of other notations have one natural picture. */
    async follow(target: Target, kind = target.uri.endsWith('.treaty') ? this.kind || 'msc' : ''): Promise<void> {
        if (this.target?.protocol !== target.protocol || this.target.uri !== target.uri) this.role = '';
        this.target = target;
        this.kind = kind;
        await this.draw();
    }

    /** Shows an answer as it is, until a picture is asked for. */
    async show(title: string, target: Target, answer: CommandAnswer): Promise<void> {
        this.target = target;
        ++this.drawn;
        await this.send({ type: 'show', title, kind: '', roles: [], role: '', svg: answer.svg ?? '', text: answer.text ?? '' });
    }

    async changed(uri: string): Promise<void> {
        if (this.panel?.visible && this.target?.uri === uri) await this.draw();
    }

    async cursor(uri: string, line: number): Promise<void> {
        if (this.panel?.visible && this.target?.uri === uri) await this.panel.webview.postMessage({ type: 'mark', line } satisfies ToPage);
    }

    dispose(): void {
        this.panel?.dispose();
    }

    private async draw(): Promise<void> {
        if (!this.target) return;
        const drawn = ++this.drawn;
        const { kind, role, target } = this;
        const answer = await this.ask('treaty.draw', { ...target, role, ...kind ? { as: kind } : {} });
        if (!answer || drawn !== this.drawn) return;
        // A text with errors keeps the last picture: it is better than none, and the errors are in the text.
        if (!answer.svg && this.panel) return;
        const text = answer.svg ? '' : answer.text ?? '';
        await this.send({ type: 'show', title: target.protocol, kind, roles: answer.roles ?? [], role, svg: answer.svg ?? '', text });
    }

    private async send(message: ToPage): Promise<void> {
        if (!this.panel) await this.open();
        await this.panel?.webview.postMessage(message);
    }

    private open(): Promise<void> {
        const panel = vscode.window.createWebviewPanel('treaty', 'Treaty', { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
            { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [] });
        this.panel = panel;
        panel.onDidDispose(() => { this.panel = undefined; });
        return new Promise((resolve) => {
            panel.webview.onDidReceiveMessage((message: FromPage) => {
                if (message.type === 'ready') resolve();
                if (message.type === 'go') void this.go(message.line);
                if (message.type === 'choose') {
                    this.role = message.role;
                    this.kind = kinds.some(([name]) => name === message.kind) ? message.kind : this.kind;
                    void this.draw();
                }
            });
            panel.webview.html = page(randomBytes(16).toString('hex'));
        });
    }

    private async go(line: number): Promise<void> {
        if (!this.target) return;
        const uri = vscode.Uri.parse(this.target.uri);
        const shown = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString());
        const at = new vscode.Range(line - 1, 0, line - 1, Number.MAX_SAFE_INTEGER);
        const editor = await vscode.window.showTextDocument(uri, { viewColumn: shown?.viewColumn ?? vscode.ViewColumn.One });
        editor.selection = new vscode.Selection(at.start, at.start);
        editor.revealRange(at, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
}
