// Every request of the server through the protocol library that editors use. TREATY names the program.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import * as lsp from 'vscode-languageserver-protocol/node';

const text = `message pay(amount: int)

protocol Shop(buyer, seller) {
  buyer -> seller: order
  choice at seller {
    seller -> buyer: pay(let x)
    buyer -> seller: ok
  } or {
    seller -> buyer: no
  }
}

property Paid at buyer {
  after buyer -> seller: order
  expect seller -> buyer: pay or seller -> buyer: no
  within 1
}
`;
const folder = mkdtempSync(path.join(tmpdir(), 'treaty-'));
const uri = pathToFileURL(path.join(folder, 'shop.treaty')).href;
const textDocument = { uri };
const server = spawn(process.env['TREATY']!, ['lsp', '--pause', '20ms'], { stdio: ['pipe', 'pipe', 'inherit'] });
const connection = lsp.createProtocolConnection(new lsp.StreamMessageReader(server.stdout), new lsp.StreamMessageWriter(server.stdin));
const waiting: Array<(params: lsp.PublishDiagnosticsParams) => boolean> = [];
let capabilities: lsp.ServerCapabilities;

function at(part: string, inside = 0): lsp.Position {
    const offset = text.indexOf(part) + inside;
    const before = text.slice(0, offset).split('\n');
    return { line: before.length - 1, character: before[before.length - 1]!.length };
}

function diagnostics(version: number, fits: (found: lsp.Diagnostic[]) => boolean): Promise<lsp.Diagnostic[]> {
    return new Promise((resolve) => {
        waiting.push((params) => {
            if (params.version !== version || !fits(params.diagnostics)) return false;
            resolve(params.diagnostics);
            return true;
        });
    });
}

before(async () => {
    writeFileSync(path.join(folder, 'treaty.toml'), '[[campaign]]\nname = "one"\nfile = "shop.treaty"\ncut = "seller"\n');
    connection.onNotification(lsp.PublishDiagnosticsNotification.type, (params) => {
        const index = waiting.findIndex((one) => one(params));
        if (index >= 0) waiting.splice(index, 1);
    });
    connection.listen();
    const answer = await connection.sendRequest(lsp.InitializeRequest.type, {
        processId: process.pid, rootUri: null, capabilities: {}, workspaceFolders: [{ uri: pathToFileURL(folder).href, name: 'test' }],
    });
    capabilities = answer.capabilities;
    await connection.sendNotification(lsp.InitializedNotification.type, {});
    const shown = diagnostics(1, (found) => found.every((one) => one.severity !== 1));
    await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type,
        { textDocument: { uri, languageId: 'treaty', version: 1, text } });
    await shown;
});

after(async () => {
    await connection.sendRequest(lsp.ShutdownRequest.type);
    await connection.sendNotification(lsp.ExitNotification.type);
    await new Promise((resolve) => server.on('exit', resolve));
    assert.strictEqual(server.exitCode, 0);
    connection.dispose();
    rmSync(folder, { recursive: true });
});

test('diagnostics and quick fixes', async () => {
    const broken = text.replace('-> seller: order', '-> seler: order');
    const shown = diagnostics(2, (found) => found.length > 0);
    await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type,
        { textDocument: { uri, version: 2 }, contentChanges: [{ text: broken }] });
    const found = await shown;
    assert.strictEqual(found[0]!.code, 'T0202');
    const actions = await connection.sendRequest(lsp.CodeActionRequest.type,
        { textDocument, range: found[0]!.range, context: { diagnostics: found } }) as lsp.CodeAction[];
    assert.deepStrictEqual(actions.map((one) => one.title), ['Change to `seller`', 'Add role `seler` to Shop']);
    const clean = diagnostics(3, (now) => now.every((one) => one.severity !== 1));
    await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type,
        { textDocument: { uri, version: 3 }, contentChanges: [{ text }] });
    await clean;
});

test('names', async () => {
    const position = at('seller)');
    const definition = await connection.sendRequest(lsp.DefinitionRequest.type, { textDocument, position: at('seller: ok') }) as lsp.Location;
    assert.deepStrictEqual(definition.range.start, position);
    const references = await connection.sendRequest(lsp.ReferencesRequest.type,
        { textDocument, position, context: { includeDeclaration: true } });
    assert.strictEqual(references?.length, text.split('seller').length - 1);
    assert.strictEqual((await connection.sendRequest(lsp.DocumentHighlightRequest.type, { textDocument, position }))?.length, references?.length);
    assert.ok(await connection.sendRequest(lsp.PrepareRenameRequest.type, { textDocument, position }));
    const edit = await connection.sendRequest(lsp.RenameRequest.type, { textDocument, position, newName: 'vendor' });
    assert.strictEqual(edit?.changes?.[uri]?.length, references?.length);
    const symbols = await connection.sendRequest(lsp.DocumentSymbolRequest.type, { textDocument }) as lsp.DocumentSymbol[];
    assert.deepStrictEqual(symbols.map((one) => one.name), ['pay', 'Shop', 'Paid']);
    assert.ok((await connection.sendRequest(lsp.WorkspaceSymbolRequest.type, { query: 'sho' }))!.length > 0);
    assert.deepStrictEqual(await connection.sendRequest(lsp.DocumentLinkRequest.type, { textDocument }), []);
});

test('writing', async () => {
    const list = await connection.sendRequest(lsp.CompletionRequest.type, { textDocument, position: at('seller: order') }) as lsp.CompletionList;
    assert.deepStrictEqual(list.items.map((one) => one.label), ['buyer', 'seller']);
    const help = await connection.sendRequest(lsp.SignatureHelpRequest.type, { textDocument, position: at('pay(let', 4) });
    assert.strictEqual(help?.signatures[0]?.label, 'pay(amount: int)');
    const options = { tabSize: 2, insertSpaces: true };
    assert.deepStrictEqual(await connection.sendRequest(lsp.DocumentFormattingRequest.type, { textDocument, options }), []);
    const range = { start: { line: 3, character: 0 }, end: { line: 5, character: 0 } };
    assert.deepStrictEqual(await connection.sendRequest(lsp.DocumentRangeFormattingRequest.type, { textDocument, options, range }), []);
});

test('reading', async () => {
    const hover = await connection.sendRequest(lsp.HoverRequest.type, { textDocument, position: at('pay(let') });
    assert.match((hover?.contents as lsp.MarkupContent).value, /message pay\(amount: int\)/);
    assert.ok((await connection.sendRequest(lsp.FoldingRangeRequest.type, { textDocument }))!.length >= 3);
    const selected = await connection.sendRequest(lsp.SelectionRangeRequest.type, { textDocument, positions: [at('order')] });
    assert.ok(selected?.[0]?.parent);
    const tokens = await connection.sendRequest(lsp.SemanticTokensRequest.type, { textDocument });
    assert.strictEqual(tokens!.data.length % 5, 0);
    const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
    const hints = await connection.sendRequest(lsp.InlayHintRequest.type, { textDocument, range });
    assert.ok(hints?.some((one) => one.label === ': int'));
});

test('commands', async () => {
    const lenses = await connection.sendRequest(lsp.CodeLensRequest.type, { textDocument });
    assert.deepStrictEqual(lenses?.map((one) => one.command?.title),
        ['check', 'explore', 'project', 'draw', 'step', 'test', 'check']);
    for (const lens of lenses ?? []) {
        const { command, arguments: given } = lens.command!;
        const answer = await connection.sendRequest(lsp.ExecuteCommandRequest.type, { command, arguments: given! });
        assert.ok(answer.text || answer.terminal, command);
    }
    for (const as of ['msc', 'graph', 'net', 'machine']) {
        const answer = await connection.sendRequest(lsp.ExecuteCommandRequest.type,
            { command: 'treaty.draw', arguments: [{ uri, protocol: 'Shop', as }] });
        assert.match(answer.svg, /^<svg|^<\?xml|^<!DOCTYPE/, as);
        assert.match(answer.svg, /line(?:-|&#45;)4\b/, as);
        assert.deepStrictEqual(answer.roles, ['buyer', 'seller']);
    }
    const project = pathToFileURL(path.join(folder, 'treaty.toml')).href;
    const { campaigns } = await connection.sendRequest(lsp.ExecuteCommandRequest.type,
        { command: 'treaty.campaigns', arguments: [{ uri: project }] });
    assert.deepStrictEqual(campaigns, [{ name: 'one', cut: 'seller', file: path.join(folder, 'shop.treaty'), line: 1 }]);
});

test('every request that the server offers is here', () => {
    const asked = ['textDocumentSync', 'positionEncoding', 'workspace', 'documentSymbolProvider', 'workspaceSymbolProvider', 'definitionProvider',
        'referencesProvider', 'documentHighlightProvider', 'renameProvider', 'documentLinkProvider', 'completionProvider',
        'signatureHelpProvider', 'documentFormattingProvider', 'documentRangeFormattingProvider', 'codeActionProvider', 'hoverProvider',
        'foldingRangeProvider', 'selectionRangeProvider', 'semanticTokensProvider', 'inlayHintProvider', 'codeLensProvider',
        'executeCommandProvider'];
    assert.deepStrictEqual(Object.keys(capabilities).sort(), asked.sort());
});

test('a request that is cancelled is answered so, or in full', async () => {
    const source = new lsp.CancellationTokenSource();
    const asked = connection.sendRequest(lsp.HoverRequest.type, { textDocument, position: at('buyer') }, source.token);
    source.cancel();
    await asked.catch((fault: lsp.ResponseError<void>) => assert.strictEqual(fault.code, lsp.LSPErrorCodes.RequestCancelled));
});
