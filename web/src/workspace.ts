// The open files as the language server knows them: the one that is shown, and those that are open beside it, with what was changed.
import { Workspace, LSPPlugin, type LSPClient, type WorkspaceFile } from '@codemirror/lsp-client';
import type { ChangeSet, Text } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';

type Change = { file: WorkspaceFile; prevDoc: Text; changes: ChangeSet };

class OpenFile implements WorkspaceFile {
  view: EditorView | null = null;
  constructor(readonly uri: string, readonly languageId: string, public version: number, public doc: Text) {}
  getView() {
    return this.view;
  }
}

export class FolderWorkspace extends Workspace {
  files: OpenFile[] = [];
  private versions = new Map<string, number>();
  private waiting: Change[] = []; // of files that are not shown

  // display: shows a file of the folder, if it can.
  constructor(client: LSPClient, private display: (uri: string) => Promise<EditorView | null>) {
    super(client);
  }

  override getFile(uri: string) {
    return this.files.find((file) => file.uri === uri) ?? null;
  }

  private next(uri: string) {
    const version = (this.versions.get(uri) ?? -1) + 1;
    this.versions.set(uri, version);
    return version;
  }

  syncFiles() {
    const result: Change[] = this.waiting.splice(0);
    for (const file of this.files) {
      const plugin = file.view && LSPPlugin.get(file.view);
      if (!plugin || plugin.uri !== file.uri || plugin.unsyncedChanges.empty) continue;
      result.push({ changes: plugin.unsyncedChanges, file, prevDoc: file.doc });
      file.doc = file.view!.state.doc;
      file.version = this.next(file.uri);
      plugin.clear();
    }
    return result;
  }

  // A file that is open, shown or not.
  track(uri: string, languageId: string, doc: Text) {
    const known = this.getFile(uri);
    if (known) return known;
    const file = new OpenFile(uri, languageId, this.next(uri), doc);
    this.files.push(file);
    this.client.didOpen(file);
    return file;
  }

  openFile(uri: string, languageId: string, view: EditorView) {
    this.track(uri, languageId, view.state.doc).view = view;
  }

  // It is not shown any more, but stays open.
  closeFile(uri: string) {
    const file = this.getFile(uri);
    if (file) file.view = null;
  }

  // A file that is not shown was changed.
  changed(uri: string, changes: ChangeSet, doc: Text) {
    const file = this.getFile(uri);
    if (!file) return;
    this.waiting.push({ file, prevDoc: file.doc, changes });
    file.doc = doc;
    file.version = this.next(uri);
    this.client.sync();
  }

  forget(uri: string) {
    if (!this.getFile(uri)) return;
    this.files = this.files.filter((file) => file.uri !== uri);
    this.client.didClose(uri);
  }

  override displayFile(uri: string) {
    return this.display(uri);
  }
}
