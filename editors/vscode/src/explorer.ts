// The Test Explorer: one item per project file (treaty.toml), one per campaign in it.
import { execFile } from 'node:child_process';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { Campaign, Outcome, outcomes, testArguments } from './campaigns';

type ListCampaigns = (project: vscode.Uri) => Promise<Campaign[]>;

export class Explorer {
    private readonly controller = vscode.tests.createTestController('treaty', 'Treaty');
    private readonly campaigns = new WeakMap<vscode.TestItem, Campaign>();
    private readonly replays = new WeakMap<vscode.TestItem, string>();
    private readonly watcher = vscode.workspace.createFileSystemWatcher('**/treaty.toml');

    constructor(private readonly program: () => string, private readonly list: ListCampaigns) {
        this.controller.createRunProfile('Run', vscode.TestRunProfileKind.Run, (request, token) => this.run(request, token), true);
        this.controller.createRunProfile('Replay the failure', vscode.TestRunProfileKind.Run, (request) => this.replay(request), false);
        this.controller.resolveHandler = async (item) => {
            if (!item) for (const uri of await vscode.workspace.findFiles('**/treaty.toml', '**/node_modules/**')) await this.read(uri);
        };
        this.controller.refreshHandler = async () => this.controller.resolveHandler?.(undefined);
        this.watcher.onDidChange((uri) => this.read(uri));
        this.watcher.onDidCreate((uri) => this.read(uri));
        this.watcher.onDidDelete((uri) => this.controller.items.delete(uri.toString()));
    }

    dispose(): void {
        this.watcher.dispose();
        this.controller.dispose();
    }

    private async read(uri: vscode.Uri): Promise<void> {
        const project = this.controller.createTestItem(uri.toString(), vscode.workspace.asRelativePath(uri), uri);
        for (const campaign of await this.list(uri)) {
            const item = this.controller.createTestItem(`${uri}#${campaign.name}`, campaign.name, uri);
            item.description = campaign.cut;
            item.range = new vscode.Range(campaign.line, 0, campaign.line, 0);
            this.campaigns.set(item, campaign);
            project.children.add(item);
        }
        this.controller.items.add(project);
    }

    // The campaigns that are asked for, by project file.
    private chosen(request: vscode.TestRunRequest): Map<vscode.TestItem, vscode.TestItem[]> {
        const result = new Map<vscode.TestItem, vscode.TestItem[]>();
        const add = (item: vscode.TestItem) => {
            if (!item.parent) return item.children.forEach(add);
            if (!request.exclude?.includes(item)) result.set(item.parent, [...result.get(item.parent) ?? [], item]);
        };
        if (request.include) request.include.forEach(add);
        else this.controller.items.forEach(add);
        return result;
    }

    private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
        const run = this.controller.createTestRun(request);
        for (const [project, items] of this.chosen(request)) {
            if (token.isCancellationRequested) break;
            for (const item of items) run.started(item);
            await this.runProject(run, project, items, token);
        }
        run.end();
    }

    private async runProject(run: vscode.TestRun, project: vscode.TestItem, items: vscode.TestItem[], token: vscode.CancellationToken):
        Promise<void> {
        const file = project.uri!.fsPath;
        const text = await this.output(file, testArguments(file, items.map((item) => item.label)), token);
        try {
            const found = outcomes(text);
            for (const item of items) {
                const outcome = found.get(item.label);
                if (outcome) this.report(run, item, outcome);
                else run.skipped(item);
            }
        } catch (fault) {
            for (const item of items) run.errored(item, new vscode.TestMessage(String(fault)));
        }
    }

    private report(run: vscode.TestRun, item: vscode.TestItem, outcome: Outcome): void {
        run.appendOutput(`${item.label}: ${outcome.message} ${outcome.numbers}\r\n`, undefined, item);
        if (outcome.replay) this.replays.set(item, outcome.replay);
        if (outcome.state === 'passed') return run.passed(item);
        if (outcome.state === 'skipped') return run.skipped(item);
        const message = new vscode.TestMessage(outcome.replay ? `${outcome.message}\nrepeat it with: ${outcome.replay}` : outcome.message);
        const campaign = this.campaigns.get(item);
        if (campaign && outcome.line > 0)
            message.location = new vscode.Location(vscode.Uri.file(campaign.file), new vscode.Position(outcome.line - 1, 0));
        if (outcome.state === 'failed') run.failed(item, message);
        else run.errored(item, message);
    }

    private output(project: string, given: string[], token: vscode.CancellationToken): Promise<string> {
        return new Promise((resolve) => {
            const child = execFile(this.program(), given, { cwd: path.dirname(project), maxBuffer: 1 << 28 }, (_fault, out, errors) =>
                resolve(out || errors));
            token.onCancellationRequested(() => child.kill('SIGINT'));
        });
    }

    private replay(request: vscode.TestRunRequest): void {
        for (const [project, items] of this.chosen(request))
            for (const item of items) {
                const command = this.replays.get(item);
                if (!command) continue;
                const terminal = vscode.window.createTerminal({ name: `replay ${item.label}`, cwd: path.dirname(project.uri!.fsPath) });
                terminal.show();
                terminal.sendText(command.replace(/^treaty\b/, () => this.program()));
            }
    }
}
