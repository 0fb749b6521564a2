// The workbench: files, editor and problems on the left, one of the panels on the right.
import { render } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Ask, useAsking } from './ask';
import { Editor, LONGEST, type Problem } from './editor';
import type { Lens, Symbol } from './annotate';
import { Learn, type Tools } from './learn';
import { Test, Watch } from './programs';
import { See, type Look } from './see';
import { linkOf, sharedIn } from './share';
import { socket } from './socket';
import { Step } from './step';
import { effectiveTheme, setTheme, useTheme } from './theme';
import type { Bench, Example, Hello, Picture } from './types';
import type { Values } from './form';
import './style.css';

const tabs = ['See', 'Ask', 'Step', 'Test', 'Watch', 'Learn'] as const;
const readable = /\.(treaty|gc|sgg|fsa|aut|json|jsonl|scr|nuscr|csp|schora|chor|pnml|bpmn|xml|toml|puml|mmd|md|txt|map|log|yaml|yml|py|bin|hex)$/i;
const first = `// Write a protocol: who sends which message to whom.
protocol Hello(client, server) {
  client -> server: hello
  choice at server {
    server -> client: welcome
  } or {
    server -> client: sorry
  }
}
`;
const nonce = document.querySelector<HTMLMetaElement>('meta[name=nonce]')?.content ?? '';

function App() {
  const [hello, setHello] = useState<Hello | null>(null);
  const [fault, setFault] = useState('');
  const [online, setOnline] = useState(true);
  useEffect(() => {
    socket.onState = setOnline;
    socket.ask<Hello>('hello').then(setHello, (problem) => setFault(problem.message));
  }, []);
  if (fault) return <div class="starting"><h1>Treaty</h1><p class="fault">{fault}</p><p>Is <code>treaty serve</code> still running? Open the address that it has printed.</p></div>;
  if (!hello) return <p class="starting">{online ? 'Opening the workbench …' : 'treaty serve cannot be reached. Trying again …'}</p>;
  return <Workbench hello={hello} online={online} />;
}

function Workbench(props: { hello: Hello; online: boolean }) {
  const { hello } = props;
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const saved = useRef(new Map<string, string>()); // texts on the disk, by path
  const [files, setFiles] = useState<string[] | null>(null);
  const [opened, setOpened] = useState<string[]>([]);
  const [path, setPath] = useState('');
  const [text, setText] = useState('');
  const [dirty, setDirty] = useState<Set<string>>(new Set());
  const [line, setLine] = useState(0);
  const [problems, setProblems] = useState<Problem[]>([]);
  const [outline, setOutline] = useState<Symbol[]>([]);
  const [server, setServer] = useState(false);
  const [tab, setTab] = useState<string>('See');
  const [look, setLook] = useState<Look>({ kind: '', role: '', protocol: '' });
  const [picture, setPicture] = useState<Picture>({ kind: 'msc', roles: [], protocols: [], lines: {} });
  const [note, setNote] = useState<{ text: string; bad: boolean } | null>(null);
  const [filter, setFilter] = useState('');
  const [testing, setTesting] = useState<Values>();
  const [wanted, setWanted] = useState<{ question: string; values: Values }>();
  const [narrow, setNarrow] = useState<'files' | 'text' | 'panel'>('text');
  const [link, setLink] = useState('');
  const theme = useTheme();
  const state = useRef({ path: '' });
  state.current.path = path;

  const tell = (message: string, bad = false) => setNote({ text: message, bad });
  useEffect(() => {
    if (!note || note.bad) return;
    const timer = setTimeout(() => setNote(null), 4000);
    return () => clearTimeout(timer);
  }, [note]);

  const changed = (where: string, now: string) => {
    if (where === state.current.path) setText(now);
    setDirty((all) => {
      const differs = saved.current.get(where) !== now;
      if (all.has(where) === differs) return all;
      const next = new Set(all);
      if (differs) next.add(where);
      else next.delete(where);
      return next;
    });
  };

  const refreshFiles = () =>
    socket.ask<{ files: { path: string; bytes: number }[]; all: boolean }>('files').then(
      (answer) => setFiles(answer.files.map((one) => one.path)),
      (problem) => { setFiles([]); tell(problem.message, true); },
    );

  const show = (where: string, content: string, onDisk: boolean) => {
    const e = editor.current!;
    const known = e.isOpen(where);
    if (!known && onDisk) saved.current.set(where, content);
    setPath(where);
    state.current.path = where;
    setProblems([]);
    setOutline([]);
    setLook((now) => ({ ...now, role: '', protocol: '' }));
    setPicture((now) => ({ ...now, roles: [], protocols: [] }));
    e.open(where, content);
    setText(e.textOf(where));
    setOpened((all) => (all.includes(where) ? all : [...all, where]));
    if (!onDisk && !known) changed(where, content);
    setNarrow('text');
  };

  const open = async (where: string) => {
    if (editor.current!.isOpen(where)) return show(where, '', true);
    try {
      const answer = await socket.ask<{ text: string }>('read', { path: where });
      show(where, answer.text, true);
      if (answer.text.length > LONGEST) tell(`${where} is longer than ${LONGEST >> 20} MB: it is shown, but not checked.`, true);
    } catch (problem) {
      tell((problem as Error).message, true);
    }
  };

  const openRef = useRef(open);
  openRef.current = open;

  // A text that is not on the disk; a name that is taken gets a number, unless the text is the same.
  const openText = (name: string, content: string) => {
    let free = name;
    const taken = (one: string) => (files ?? []).includes(one) || editor.current!.isOpen(one);
    for (let i = 2; taken(free) && editor.current!.textOf(free) !== content; ++i) free = name.replace(/(\.[^.]*)?$/, `-${i}$1`);
    show(free, content, false);
    return free;
  };

  const save = async () => {
    const where = state.current.path;
    if (!where) return;
    const content = editor.current!.textOf(where);
    try {
      await socket.ask('write', { path: where, text: content });
      saved.current.set(where, content);
      changed(where, content);
      tell(`${where} is saved.`);
      refreshFiles();
    } catch (problem) {
      tell((problem as Error).message, true);
    }
  };

  const closeFile = (where: string) => {
    if (dirty.has(where) && !confirm(`${where} has changes that are not saved. Close it?`)) return;
    const rest = opened.filter((one) => one !== where);
    editor.current!.close(where);
    saved.current.delete(where);
    setDirty((all) => { const next = new Set(all); next.delete(where); return next; });
    setOpened(rest);
    if (where === path) {
      if (rest.length) show(rest[rest.length - 1], '', true);
      else { setPath(''); setText(''); setProblems([]); }
    }
  };

  useEffect(() => {
    editor.current = new Editor(place.current!, hello.root, nonce, false, {
      changed: (where, now) => changed(where, now()),
      cursor: setLine,
      problems: (where, found) => { if (where === state.current.path) setProblems(found); },
      tooLong: (length) => tell(`A text has at most ${LONGEST >> 20} MB; this one would have ${Math.round(length / (1 << 20))} MB. Nothing was changed.`, true),
      connection: setServer,
      save: () => save(),
      lens: (lens) => lensRun.current(lens),
      outline: setOutline,
      show: async (where) => (await openRef.current(where), state.current.path === where),
      read: async (where) => {
        const answer = await socket.ask<{ text: string }>('read', { path: where });
        saved.current.set(where, answer.text);
        setOpened((all) => (all.includes(where) ? all : [...all, where]));
        return answer.text;
      },
      fault: (problem) => tell(problem, true),
    });
    (window as any).treatyEditor = editor.current.view;
    // A text that came with the address; whether there was one.
    const openShared = async () => {
      if (!location.hash.startsWith('#t=')) return false;
      const fragment = location.hash;
      history.replaceState(null, '', location.href.replace(/#.*/, ''));
      try {
        const shared = await sharedIn(fragment);
        if (!shared) throw new Error('not a text');
        openText(shared.name, shared.text);
        setLook({ kind: shared.kind, role: shared.role, protocol: shared.protocol });
        setTab(tabs.includes(shared.tab as any) ? shared.tab : 'See');
        return true;
      } catch {
        tell('The link is damaged: its text cannot be read.', true);
        return false;
      }
    };
    refreshFiles().then(openShared).then((shared) => { if (!shared) setTab('Learn'); });
    addEventListener('hashchange', openShared);
    const leaving = (event: BeforeUnloadEvent) => { if (document.querySelector('[data-dirty]')) event.preventDefault(); };
    addEventListener('beforeunload', leaving);
    const keys = (event: KeyboardEvent) => {
      const chosen = event.altKey && !event.ctrlKey && !event.metaKey ? tabs[Number(event.key) - 1] : undefined;
      if (!chosen) return;
      event.preventDefault();
      setTab(chosen);
      setNarrow('panel');
    };
    addEventListener('keydown', keys);
    return () => { removeEventListener('keydown', keys); removeEventListener('beforeunload', leaving); removeEventListener('hashchange', openShared); };
  }, []);

  const texts = () => {
    const all: Record<string, string> = {};
    for (const one of dirty) if (editor.current!.textOf(one).length <= LONGEST) all[one] = editor.current!.textOf(one);
    return all;
  };
  const bench: Bench = {
    hello, path, text, roles: picture.roles, protocols: picture.protocols, files: (files ?? []).filter((one) => readable.test(one)), texts,
    go: (to) => { editor.current!.go(to, 1, false); editor.current!.mark(to); },
    mark: (to) => editor.current!.mark(to), openText, tell, refreshFiles,
  };
  const asking = useAsking(bench);
  const tools: Tools = {
    openExample: (example: Example) => { openText(example.file.replace(/^.*\//, ''), example.text); setTab('See'); },
    setText: (name, content) => { openText(name, content); setTab('See'); },
    tab: setTab,
    look: (kind, role = '') => setLook({ kind, role, protocol: '' }),
    ask: (question, values) => {
      setTab('Ask');
      setWanted({ question, values: { ...values, file: state.current.path } });
      const found = hello.questions.find((one) => one.name === question);
      const now = state.current.path;
      if (found) socketAsk(found, { ...values, file: now });
    },
  };
  const lensRun = useRef<(lens: Lens) => void>(() => {});
  lensRun.current = (lens) => {
    const about = lens.arguments[0] ?? {};
    const protocol: string = about.protocol ?? '';
    const actions: Record<string, () => void> = {
      'treaty.check': () => tools.ask('check', { protocol }),
      'treaty.explore': () => tools.ask('explore', { protocol }),
      'treaty.checkProperty': () => tools.ask('properties', {}),
      'treaty.run': () => tools.ask('run', {}),
      'treaty.project': () => { setTab('Ask'); setWanted({ question: 'project', values: { file: state.current.path, protocol } }); },
      'treaty.draw': () => { setTab('See'); setLook({ kind: 'msc', role: '', protocol }); },
      'treaty.step': () => { setTab('Step'); setLook((now) => ({ ...now, protocol })); },
      'treaty.test': () => { setTab('Test'); setTesting({ file: state.current.path, protocol }); },
      'treaty.runCampaign': () => tell(`Run it in a terminal: treaty test --campaign ${about.campaign}`),
    };
    actions[lens.command]?.();
    setNarrow('panel');
  };
  const socketAsk = (question: (typeof hello.questions)[number], values: Values) => {
    // The text was opened a moment ago, so it is not in the state of this rendering yet.
    const now = state.current.path;
    const fresh = { ...bench, texts: () => ({ ...texts(), [now]: editor.current!.textOf(now) }) };
    bench.texts = fresh.texts;
    asking.ask(question, values);
  };

  const share = async () => {
    try {
      const made = await linkOf({ name: path.replace(/^.*\//, ''), text, kind: look.kind, role: look.role, protocol: look.protocol, tab });
      setLink(made);
      navigator.clipboard?.writeText(made).then(() => tell('The link is copied.'), () => {});
    } catch (problem) {
      tell((problem as Error).message, true);
    }
  };

  const counts = useMemo(() => ({ error: problems.filter((one) => one.severity === 'error').length, warning: problems.filter((one) => one.severity === 'warning').length }), [problems]);
  const listed = (files ?? []).filter((one) => readable.test(one) && one.toLowerCase().includes(filter.toLowerCase()));
  const folders = useMemo(() => {
    const all = new Map<string, string[]>();
    for (const one of listed) {
      const folder = one.includes('/') ? one.slice(0, one.lastIndexOf('/')) : '';
      all.set(folder, [...(all.get(folder) ?? []), one]);
    }
    return [...all];
  }, [files, filter]);
  const unsavedNew = opened.filter((one) => !(files ?? []).includes(one));

  return (
    <div class="workbench" data-narrow={narrow} data-dirty={dirty.size > 0 ? '' : undefined}>
      <header>
        <h1><img src="icon.svg" alt="" width="18" height="18" /> Treaty</h1>
        <nav class="tabs" aria-label="Panels">{tabs.map((one, i) => <button key={one} title={`Alt+${i + 1}`} aria-current={tab === one ? 'page' : undefined} onClick={() => { setTab(one); setNarrow('panel'); }}>{one}</button>)}</nav>
        <span class="push" />
        {hello.readOnly && <span class="badge undecided">read-only</span>}
        <span class={server && props.online ? 'state good' : 'state bad'} role="status">{!props.online ? 'disconnected, trying again' : server ? 'connected' : 'connecting …'}</span>
        <button onClick={share} disabled={!path}>Share</button>
        <button onClick={() => setTheme(effectiveTheme(theme) === 'dark' ? 'light' : 'dark')}>{effectiveTheme(theme) === 'dark' ? 'Light' : 'Dark'}</button>
      </header>
      <div class="switch" role="group" aria-label="Part of the page">{(['files', 'text', 'panel'] as const).map((one) => <button key={one} aria-pressed={narrow === one} onClick={() => setNarrow(one)}>{one === 'files' ? 'Files' : one === 'text' ? 'Text' : tab}</button>)}</div>
      <main>
        <aside class="files" aria-label="Files">
          <div class="bar"><input type="search" placeholder="Files" aria-label="Find a file" value={filter} onInput={(event) => setFilter((event.target as HTMLInputElement).value)} /><button onClick={() => openText('protocol.treaty', first)} aria-label="New file">New</button></div>
          {files === null && <p class="empty">Reading …</p>}
          {files !== null && listed.length === 0 && unsavedNew.length === 0 && <p class="empty">{filter ? 'No file has this name.' : 'This folder has no files that Treaty reads. Start with New, or with an example under Learn.'}</p>}
          <ul>
            {unsavedNew.map((one) => <li key={one}><FileButton path={one} current={one === path} dirty={dirty.has(one)} open={() => show(one, '', false)} /></li>)}
            {folders.map(([folder, inside]) => (
              <li key={folder}>
                {folder && <span class="folder">{folder}</span>}
                <ul>{inside.map((one) => <li key={one}><FileButton path={one} current={one === path} dirty={dirty.has(one)} open={() => open(one)} /></li>)}</ul>
              </li>
            ))}
          </ul>
        </aside>
        <section class="text" aria-label="Text">
          <div class="bar title">
            <div class="opened" role="group" aria-label="Open files">
              {opened.map((one) => (
                <span class={one === path ? 'file current' : 'file'} key={one}>
                  <button aria-current={one === path ? 'true' : undefined} onClick={() => show(one, '', true)}>{one.replace(/^.*\//, '')}{dirty.has(one) && <span title="not saved"> •</span>}</button>
                  <button class="plain" aria-label={`Close ${one}`} onClick={() => closeFile(one)}>×</button>
                </span>
              ))}
            </div>
            <span class="push" />
            {outline.length > 1 && (
              <select class="outline" aria-label="Go to" value="" onChange={(event) => { const select = event.target as HTMLSelectElement; editor.current!.go(Number(select.value)); select.value = ''; }}>
                <option value="" disabled>Go to</option>
                {outline.map((one, i) => <option key={i} value={one.line}>{'\u00a0'.repeat(3 * one.depth)}{one.name}</option>)}
              </select>
            )}
            {!hello.readOnly && <button onClick={save} disabled={!path || !dirty.has(path)}>Save</button>}
          </div>
          {!path && <div class="empty welcome"><p>Open a file on the left, start with <b>New</b>, or take an example under <b>Learn</b>.</p></div>}
          <div class="editor" ref={place} hidden={!path} />
          <section class="problems" aria-label="Problems" hidden={!path}>
            <h2>Problems <span class="muted" role="status">{counts.error === 0 && counts.warning === 0 ? 'none' : [counts.error && `${counts.error} error${counts.error > 1 ? 's' : ''}`, counts.warning && `${counts.warning} warning${counts.warning > 1 ? 's' : ''}`].filter(Boolean).join(', ')}</span></h2>
            <ul>
              {problems.map((one, i) => (
                <li key={i} class={one.severity}>
                  <button class="plain" onClick={() => editor.current!.go(one.line, one.column)}><span class="place">{one.line}:{one.column}</span> <span class="code">{one.code}</span> {one.message}</button>
                  {one.fixes.map((fix) => <button key={fix.title} class="fix" onClick={fix.apply}>{fix.title}</button>)}
                </li>
              ))}
            </ul>
          </section>
        </section>
        <section class="side" aria-label={tab}>
          <div hidden={tab !== 'See'} class="fill"><See bench={bench} look={look} setLook={setLook} line={line} onPicture={setPicture} /></div>
          {tab === 'Ask' && <Ask bench={bench} asking={asking} wanted={wanted} />}
          {tab === 'Step' && <Step bench={bench} protocol={look.protocol} />}
          <div hidden={tab !== 'Test'}><Test bench={bench} wanted={testing} /></div>
          <div hidden={tab !== 'Watch'}><Watch bench={bench} /></div>
          {tab === 'Learn' && <Learn bench={bench} tools={tools} />}
        </section>
      </main>
      {note && <div class={note.bad ? 'note bad' : 'note'} role={note.bad ? 'alert' : 'status'}>{note.text} <button class="plain" aria-label="Close" onClick={() => setNote(null)}>×</button></div>}
      {link && (
        <dialog class="share" open aria-label="Share">
          <h2>Share</h2>
          <p>The link carries the text and the view after the #, a part that browsers do not send to servers. It opens in a workbench at this address; for another workbench, append everything from the # to its address.</p>
          <textarea readOnly rows={4} value={link} aria-label="Link" onFocus={(event) => (event.target as HTMLTextAreaElement).select()} />
          <div class="bar"><span class="push" /><button onClick={() => setLink('')}>Close</button></div>
        </dialog>
      )}
    </div>
  );
}

function FileButton(props: { path: string; current: boolean; dirty: boolean; open: () => void }) {
  return <button class="plain" aria-current={props.current ? 'true' : undefined} title={props.path} onClick={props.open}>{props.path.replace(/^.*\//, '')}{props.dirty && <span class="dirty" title="not saved"> •</span>}</button>;
}

render(<App />, document.getElementById('app')!);
