// Starts `treaty lsp`, and connects its answers with the panel, the Test Explorer and tasks.
import { execFile } from 'node:child_process';
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { Campaign } from './campaigns';
import { Explorer } from './explorer';
import { kinds } from './page';
import { CommandAnswer, Preview, Target } from './preview';

const languages = ['treaty', 'treaty-gc', 'treaty-fsa', 'treaty-scribble', 'treaty-csp', 'treaty-schora', 'treaty-pnml',
    'treaty-project'];
const redrawDelay = 150; // milliseconds without a change
let client: LanguageClient | undefined;

function setting(name: string, otherwise: string): string {
    return vscode.workspace.getConfiguration('treaty').get(name, otherwise);
}

function program(): string {
    return setting('path', 'treaty');
}

async function ask<T>(command: string, argument: object): Promise<T | undefined> {
    try {
        return await client?.sendRequest<T>('workspace/executeCommand', { command, arguments: [argument] });
    } catch (fault) {
        // An edit has overtaken it; the next one draws again.
        return undefined;
    }
}

// The protocol that the cursor is in, or the last one before it; the server chooses if there is none.
function targetOf(editor: vscode.TextEditor): Target {
    let protocol = '';
    for (let line = editor.selection.active.line; line >= 0 && protocol === ''; --line)
        protocol = /^\s*protocol\s+([^\s(]+)/.exec(editor.document.lineAt(line).text)?.[1] ?? '';
    return { uri: editor.document.uri.toString(), protocol };
}

function inTerminal(answer: CommandAnswer): void {
    const terminal = vscode.window.createTerminal('treaty');
    terminal.show();
    terminal.sendText(answer.terminal!.replace(/^treaty\b/, () => program()), answer.complete !== false);
}

// The explanation of a diagnostic, which its code links to.
class HelpProvider implements vscode.TextDocumentContentProvider {
    provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
        return new Promise((resolve) => {
            execFile(program(), ['help', uri.path], (fault, out) => resolve(fault ? String(fault) : out));
        });
    }
}

// Tasks of the type treaty: { "type": "treaty", "verb": "check", "file": "shop.treaty" }.
class TaskProvider implements vscode.TaskProvider {
    async provideTasks(): Promise<vscode.Task[]> {
        const files = await vscode.workspace.findFiles('**/*.treaty', '**/node_modules/**', 50);
        return files.map((uri) => this.task({ type: 'treaty', verb: 'check', file: vscode.workspace.asRelativePath(uri) }));
    }

    resolveTask(task: vscode.Task): vscode.Task {
        return this.task(task.definition);
    }

    private task(definition: vscode.TaskDefinition): vscode.Task {
        const given: string[] = [definition['verb'], ...definition['file'] ? [definition['file']] : [], ...definition['arguments'] ?? []];
        return new vscode.Task(definition, vscode.TaskScope.Workspace, given.join(' '), 'treaty',
            new vscode.ShellExecution(program(), given), ['$treaty']);
    }
}

function startClient(preview: Preview): LanguageClient {
    const command = program();
    return new LanguageClient('treaty', 'Treaty', { command, args: ['lsp', '--pause', setting('pause', '250ms')] }, {
        documentSelector: languages.map((language) => ({ language })),
        synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.{treaty,toml}') },
        middleware: {
            async executeCommand(name, given, next) {
                const { property, ...target } = given[0] as Target & { property?: string };
                if (name === 'treaty.draw') return preview.follow(target);
                const answer = await next(name, given) as CommandAnswer | undefined;
                if (answer?.terminal !== undefined) inTerminal(answer);
                else if (answer) await preview.show(`${name.replace(/^treaty\.|Property$/g, '')} ${property ?? target.protocol}`, target, answer);
                return answer;
            },
        },
    });
}

function registerPreview(context: vscode.ExtensionContext, preview: Preview): void {
    const open = async (kind?: string) => {
        const editor = vscode.window.activeTextEditor;
        const first = editor?.document.languageId === 'treaty' ? setting('preview', 'msc') : undefined;
        if (editor) await preview.follow(targetOf(editor), kind ?? first);
    };
    let timer: NodeJS.Timeout | undefined;
    context.subscriptions.push(
        preview,
        vscode.commands.registerCommand('treaty.preview', () => open()),
        vscode.commands.registerCommand('treaty.previewAs', async () => {
            const picked = await vscode.window.showQuickPick(kinds.map(([name, label]) => ({ name, label })));
            if (picked) await open(picked.name);
        }),
        vscode.workspace.onDidChangeTextDocument((event) => {
            clearTimeout(timer);
            timer = setTimeout(() => void preview.changed(event.document.uri.toString()), redrawDelay);
        }),
        vscode.window.onDidChangeTextEditorSelection((event) =>
            preview.cursor(event.textEditor.document.uri.toString(), event.selections[0]!.active.line + 1)));
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
    const preview = new Preview((command, argument) => ask<CommandAnswer>(command, argument));
    registerPreview(context, preview);
    client = startClient(preview);
    const listCampaigns = async (project: vscode.Uri) =>
        (await ask<{ campaigns: Campaign[] }>('treaty.campaigns', { uri: project.toString() }))?.campaigns ?? [];
    context.subscriptions.push(
        vscode.workspace.registerTextDocumentContentProvider('treaty-help', new HelpProvider()),
        vscode.tasks.registerTaskProvider('treaty', new TaskProvider()),
        vscode.commands.registerCommand('treaty.restart', () => client?.restart()));
    await client.start();
    context.subscriptions.push(new Explorer(program, listCampaigns));
}

export function deactivate(): Thenable<void> | undefined {
    return client?.stop();
}
