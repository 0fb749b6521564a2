// Test: campaigns against a program, kept failures. Watch: logs, also while they grow.
import { useEffect, useState } from 'preact/hooks';
import { AnswerView } from './answer';
import { counted, useAsking, type Asked } from './ask';
import { download } from './see';
import { filled, FormFields, type Values } from './form';
import { RunWalk } from './run';
import { socket, type Progress } from './socket';
import { Drawing } from './svg';
import type { Answer, Bench, Question } from './types';

function useForm(question: Question | undefined, bench: Bench, wanted?: Values) {
  const [kept, setKept] = useState<Values>(wanted ?? {});
  const [shown, setShown] = useState(wanted);
  if (wanted && wanted !== shown) {
    setShown(wanted);
    setKept(wanted);
  }
  const fields = question ? [...question.fields, ...question.limits] : [];
  return { fields, values: filled(fields, kept, bench), set: (name: string, value: string | boolean) => setKept((all) => ({ ...all, [name]: value })) };
}

function Numbers(props: { items: [string, number | string, string?][] }) {
  return <dl class="numbers">{props.items.map(([name, value, kind]) => <div key={name} class={kind}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>;
}

// A failure as it was found, before it is made small.
function Failure(props: { one: NonNullable<Progress['failures']>[number]; bench: Bench; open: boolean }) {
  const { one } = props;
  return (
    <details class="fallen" open={props.open}>
      <summary><b class="bad">{one.problem}</b> {one.reason} <span class="muted">{one.known ? 'kept from before' : `session ${one.session}`}</span></summary>
      <RunWalk run={one.run} title={`The run of session ${one.session}`} onLine={props.bench.go} />
    </details>
  );
}

function Live(props: { one: Asked; stop: string; bench: Bench }) {
  const made = props.one.progress;
  const campaign = made.campaign;
  const watched = made.watch;
  return (
    <section class="live" aria-label="Progress">
      <div class="bar"><span class="running" role="status">{made.line ?? 'starting …'}</span><span class="push" /><button onClick={props.one.cancel}>{props.stop}</button></div>
      {campaign && (
        <>
          <Numbers items={[['sessions', `${campaign.session} of ${campaign.sessions}`], ['messages', campaign.messages], ['coverage', `${campaign.covered} of ${campaign.steps} steps`], ['failures', campaign.failed, campaign.failed ? 'bad' : '']]} />
          <progress max={Math.max(campaign.steps, 1)} value={campaign.covered} aria-label="Coverage" />
        </>
      )}
      {made.count && made.count.total > 0 && (
        <>
          <p class="muted">{made.count.doing}: {made.count.detail}</p>
          <progress max={made.count.total} value={made.count.done} aria-label={made.count.doing} />
        </>
      )}
      {made.machine && (
        <>
          <p class="muted">The machine of the component: green parts were seen, red dashed parts not yet.</p>
          <div class="coverage-machine"><Drawing svg={made.machine} seen={made.seen} whole label="The component's machine, with what was seen so far" /></div>
        </>
      )}
      {(made.failures ?? []).map((one, i) => <Failure key={i} one={one} bench={props.bench} open={i === made.failures!.length - 1} />)}
      {watched && <Numbers items={[['messages', watched.messages], ['live sessions', watched.live], ['ended', watched.ended], ['failed', watched.failed, watched.failed ? 'bad' : ''], ['not understood', watched.garbled]]} />}
    </section>
  );
}

type Kept = { number: number; problem: string; reason: string; messages: number; count: number };

function Failures(props: { bench: Bench; again: number; replay: (number: number) => void }) {
  const [kept, setKept] = useState<Kept[] | null>(null);
  const [fault, setFault] = useState('');
  useEffect(() => {
    socket.ask<Answer>('ask', { question: 'failures', values: {} }).then((answer) => (setKept(answer.json.failures ?? []), setFault('')), (problem) => setFault(problem.message));
  }, [props.again]);
  if (fault) return <p class="fault">{fault}</p>;
  if (!kept) return <p class="muted">Reading …</p>;
  if (kept.length === 0) return <p class="muted">None. A failure is kept here until it is fixed.</p>;
  return (
    <ul class="kept">
      {kept.map((one) => (
        <li key={one.number}><span><b>{one.number}</b> {one.problem}: {one.reason} <span class="muted">({one.messages} messages, seen {one.count}×)</span></span> <button onClick={() => props.replay(one.number)}>Replay</button></li>
      ))}
    </ul>
  );
}

const testMain = ['file', 'cut', 'run', 'via', 'sessions', 'silence', 'strategy'];

export function Test(props: { bench: Bench; wanted?: Values }) {
  const { bench } = props;
  const asking = useAsking(bench);
  const question = bench.hello.questions.find((one) => one.name === 'test');
  const replay = bench.hello.questions.find((one) => one.name === 'replay');
  const form = useForm(question, bench, props.wanted);
  const [again, setAgain] = useState(0);
  const [compare, setCompare] = useState(false);
  const [open, setOpen] = useState(true); // the settings; folded while a campaign runs, to make room
  useEffect(() => { if (props.wanted) setOpen(true); }, [props.wanted]);
  if (!question || !replay)
    return (
      <div class="panel"><p class="empty">{bench.hello.readOnly ? 'This workbench is read-only: no program is run.' : <>To test programs from here, start the workbench with <code>treaty serve --allow-run</code>.</>}</p></div>
    );
  const done = (answer: Answer | null) => { setAgain((n) => n + 1); if (answer) bench.refreshFiles(); };
  const current = asking.asked[0];
  const finished = asking.asked.filter((one) => one.answer);
  const main = form.fields.filter((field) => testMain.includes(field.name));
  const more = form.fields.filter((field) => !testMain.includes(field.name));
  return (
    <div class="panel test">
      <form onSubmit={(event) => { event.preventDefault(); setOpen(false); asking.ask(question, form.values).then(done); }}>
        <details class="settings" open={open} onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
          <summary>{String(form.values.cut || 'a role')} of {String(form.values.file || 'a protocol')}{form.values.run ? ': ' + form.values.run : ''}</summary>
          <FormFields fields={main} prefix="test" values={form.values} bench={bench} set={form.set} />
          <details class="more"><summary>{more.length} more options</summary><FormFields fields={more} prefix="test" values={form.values} bench={bench} set={form.set} /></details>
        </details>
        <div class="bar"><button class="primary" type="submit" disabled={current?.state === 'running'}>Start the campaign</button></div>
      </form>
      {current?.state === 'running' && <Live one={current} stop="Stop" bench={bench} />}
      {current?.state === 'failed' && <p class="fault" role="alert">{current.fault}</p>}
      {current?.answer && <Result answer={current.answer} bench={bench} />}
      {finished.length > 1 && (
        <section>
          <h3>Earlier runs <button onClick={() => setCompare(!compare)} aria-pressed={compare}>Compare</button></h3>
          {compare && <Compare answers={finished.map((one) => one.answer!)} />}
        </section>
      )}
      <h3>Kept failures</h3>
      <Failures bench={bench} again={again} replay={(number) => asking.ask(replay, { run: String(number) }).then(done)} />
    </div>
  );
}

function Compare(props: { answers: Answer[] }) {
  const row = (title: string, of: (json: any) => unknown) => <tr key={title}><th scope="row">{title}</th>{props.answers.map((one, i) => <td key={i}>{String(of(one.json) ?? '–')}</td>)}</tr>;
  return (
    <table class="compare">
      <thead><tr><td /> {props.answers.map((_, i) => <th scope="col" key={i}>run {props.answers.length - i}</th>)}</tr></thead>
      <tbody>
        {row('verdict', (json) => json.answer)}
        {row('seed', (json) => json.seed)}
        {row('sessions', (json) => json.sessions ?? json.stats?.sessions)}
        {row('messages', (json) => json.messages ?? json.stats?.messages)}
        {row('coverage', (json) => json.coverage && `${json.coverage.covered} of ${json.coverage.total}`)}
        {row('reason', (json) => json.reason)}
      </tbody>
    </table>
  );
}

function Result(props: { answer: Answer; bench: Bench }) {
  const steps = (props.answer.lines ?? []).filter((line) => line.step);
  const unseen = steps.filter((line) => line.seen === 0);
  const sessions = props.answer.sessions ?? [];
  return (
    <>
      <AnswerView answer={props.answer} bench={props.bench} />
      {props.answer.page && (
        <div class="bar">
          <button onClick={() => download('report.html', new Blob([props.answer.page!], { type: 'text/html' }))}>Save as an HTML report</button>
          {props.answer.command && <code class="command" title="The same in a terminal">{props.answer.command}</code>}
        </div>
      )}
      {sessions.length > 0 && (
        <section>
          <h3>Sessions{sessions.length >= 1000 && <span class="muted"> (the first {sessions.length})</span>}</h3>
          <div class="list" tabIndex={0} role="group" aria-label="Sessions">
            <table>
              <thead><tr><th scope="col" class="number">session</th><th scope="col">result</th><th scope="col" class="number">messages</th><th scope="col" class="number">bytes sent</th><th scope="col" class="number">received</th><th scope="col" class="number">time</th></tr></thead>
              <tbody>{sessions.map((one) => <tr key={one.number} class={one.failed ? 'bad' : ''}><td class="number">{one.number}</td><td>{one.outcome}</td><td class="number">{one.messages}</td><td class="number">{one.sent}</td><td class="number">{one.received}</td><td class="number">{(one.seconds * 1000).toFixed(1)} ms</td></tr>)}</tbody>
            </table>
          </div>
        </section>
      )}
      {steps.length > 0 && (
        <section>
          <h3>Lines seen: {steps.length - unseen.length} of {steps.length}</h3>
          <ul class="lines">{steps.map((line) => <li key={line.number} class={line.seen ? '' : 'bad'}><button class="plain" onClick={() => props.bench.go(line.number)}>{line.number}</button> <code>{line.text.trim()}</code> <span class="muted">{line.seen ? `${line.seen}×` : 'never seen'}</span></li>)}</ul>
        </section>
      )}
    </>
  );
}

function Tally(props: { tally: Record<string, { pass: number; fail: number; other: number }> }) {
  const rows = Object.entries(props.tally);
  if (rows.length === 0) return null;
  return (
    <div class="list" tabIndex={0} role="group" aria-label="Counts">
      <table>
        <thead><tr><th scope="col">verdicts of</th><th scope="col" class="number">passed</th><th scope="col" class="number">failed</th><th scope="col" class="number">undecided</th></tr></thead>
        <tbody>{rows.map(([name, one]) => <tr key={name}><th scope="row">{name}</th><td class="number">{one.pass}</td><td class={one.fail ? 'number bad' : 'number'}>{one.fail}</td><td class="number">{one.other}</td></tr>)}</tbody>
      </table>
    </div>
  );
}

// A proxy between programs whose records are watched while they are written.
function Recording(props: { bench: Bench; question: Question; watch: (log: string) => void }) {
  const { bench, question } = props;
  const asking = useAsking(bench);
  const form = useForm(question, bench);
  const current = asking.asked[0];
  const running = current?.state === 'running';
  const log = String(form.values.log || 'recorded.jsonl');
  return (
    <details class="card recording">
      <summary>Record the traffic between programs</summary>
      <form onSubmit={(event) => { event.preventDefault(); asking.ask(question, form.values).then(() => bench.refreshFiles()); }}>
        <FormFields fields={question.fields} prefix="proxy" values={form.values} bench={bench} set={form.set} />
        <div class="bar">
          <button type="submit" disabled={running}>Start the proxy</button>
          {running && <button type="button" onClick={current.cancel}>Stop the proxy</button>}
          <button type="button" disabled={!current?.progress.listening} onClick={() => props.watch(log)}>Watch {log}</button>
        </div>
      </form>
      {running && <p class="running" role="status">{current.progress.line ?? 'starting …'}</p>}
      {current?.state === 'failed' && <p class="fault" role="alert">{current.fault}</p>}
      {current?.answer && <pre class="report" tabIndex={0}>{current.answer.text}</pre>}
    </details>
  );
}

const watchMain = ['file', 'logs', 'follow'];

export function Watch(props: { bench: Bench; wanted?: Values }) {
  const { bench } = props;
  const asking = useAsking(bench);
  const question = bench.hello.questions.find((one) => one.name === 'watch')!;
  const form = useForm(question, bench, props.wanted);
  const [session, setSession] = useState('');
  const record = bench.hello.questions.find((one) => one.name === 'proxy');
  const current = asking.asked[0];
  const verdicts = [...(current?.progress.verdicts ?? []), ...(current?.answer?.verdicts ?? [])];
  const shown = verdicts.filter((one) => !session || String(one.session ?? '').includes(session));
  const main = form.fields.filter((field) => watchMain.includes(field.name));
  const more = form.fields.filter((field) => !watchMain.includes(field.name));
  return (
    <div class="panel watch">
      <form onSubmit={(event) => { event.preventDefault(); asking.ask(question, form.values); }}>
        <FormFields fields={main} prefix="watch" values={form.values} bench={bench} set={form.set} />
        <details class="more"><summary>{more.length} more options</summary><FormFields fields={more} prefix="watch" values={form.values} bench={bench} set={form.set} /></details>
        <div class="bar"><button class="primary" type="submit" disabled={current?.state === 'running'}>Watch</button></div>
      </form>
      {current?.state === 'running' && <Live one={current} stop="Stop watching" bench={bench} />}
      {current?.state === 'failed' && <p class="fault" role="alert">{current.fault}</p>}
      {(verdicts.length > 0 || current?.state === 'running') && (
        <section>
          <h3>Verdicts as they are reached <input type="search" placeholder="Session" aria-label="Only this session" value={session} onInput={(event) => setSession((event.target as HTMLInputElement).value)} /></h3>
          {shown.length === 0 && <p class="muted">{verdicts.length ? 'No verdict of this session.' : 'No verdict yet.'}</p>}
          <Tally tally={counted(current?.progress.tally ?? {}, current?.answer?.verdicts ?? [])} />
          <ul class="verdicts" role="log" aria-label="Verdicts">{shown.slice(-200).map((one, i) => <li key={i} class={one.verdict === 'fail' ? 'bad' : ''}><span>{summary(one)}</span>{one.session && <button class="plain" onClick={() => setSession(session ? '' : String(one.session))}>{session ? 'all sessions' : 'only this session'}</button>}</li>)}</ul>
        </section>
      )}
      {record && <Recording bench={bench} question={record} watch={(log) => { form.set('logs', log); form.set('follow', true); }} />}
      {!current && <p class="empty">Name one log per line and start. With “follow”, records are judged as they are written.</p>}
      {current?.answer && <AnswerView answer={current.answer} bench={bench} />}
    </div>
  );
}

const summary = (one: any) =>
  [one.of, one.name, one.session && `session ${one.session}`, one.verdict, one.role, one.event, one.reason, one.log && `${one.log}:${one.line}`].filter(Boolean).join(' · ');
