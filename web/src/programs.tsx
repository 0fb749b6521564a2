// Test: campaigns against a program, kept failures. Watch: logs, also while they grow.
import { useEffect, useState } from 'preact/hooks';
import { AnswerView } from './answer';
import { useAsking, type Asked } from './ask';
import { filled, FormFields, type Values } from './form';
import { socket } from './socket';
import type { Answer, Bench, Question } from './types';

function useForm(question: Question | undefined, bench: Bench, wanted?: Values) {
  const [kept, setKept] = useState<Values>(wanted ?? {});
  useEffect(() => { if (wanted) setKept(wanted); }, [wanted]);
  const fields = question ? [...question.fields, ...question.limits] : [];
  return { fields, values: filled(fields, kept, bench), set: (name: string, value: string | boolean) => setKept((all) => ({ ...all, [name]: value })) };
}

function Numbers(props: { items: [string, number | string, string?][] }) {
  return <dl class="numbers">{props.items.map(([name, value, kind]) => <div key={name} class={kind}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>;
}

function Live(props: { one: Asked; stop: string }) {
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
      <form onSubmit={(event) => { event.preventDefault(); asking.ask(question, form.values).then(done); }}>
        <FormFields fields={main} prefix="test" values={form.values} bench={bench} set={form.set} />
        <details class="more"><summary>{more.length} more options</summary><FormFields fields={more} prefix="test" values={form.values} bench={bench} set={form.set} /></details>
        <div class="bar"><button class="primary" type="submit" disabled={current?.state === 'running'}>Start the campaign</button></div>
      </form>
      {current?.state === 'running' && <Live one={current} stop="Stop" />}
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
        {row('reason', (json) => json.reason)}
      </tbody>
    </table>
  );
}

function Result(props: { answer: Answer; bench: Bench }) {
  const steps = (props.answer.lines ?? []).filter((line) => line.step);
  const unseen = steps.filter((line) => line.seen === 0);
  return (
    <>
      <AnswerView answer={props.answer} bench={props.bench} />
      {steps.length > 0 && (
        <section>
          <h3>Lines seen: {steps.length - unseen.length} of {steps.length}</h3>
          <ul class="lines">{steps.map((line) => <li key={line.number} class={line.seen ? '' : 'bad'}><button class="plain" onClick={() => props.bench.go(line.number)}>{line.number}</button> <code>{line.text.trim()}</code> <span class="muted">{line.seen ? `${line.seen}×` : 'never seen'}</span></li>)}</ul>
        </section>
      )}
    </>
  );
}

const watchMain = ['file', 'logs', 'follow'];

export function Watch(props: { bench: Bench; wanted?: Values }) {
  const { bench } = props;
  const asking = useAsking(bench);
  const question = bench.hello.questions.find((one) => one.name === 'watch')!;
  const form = useForm(question, bench, props.wanted);
  const [session, setSession] = useState('');
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
      {current?.state === 'running' && <Live one={current} stop="Stop watching" />}
      {current?.state === 'failed' && <p class="fault" role="alert">{current.fault}</p>}
      {(verdicts.length > 0 || current?.state === 'running') && (
        <section>
          <h3>Verdicts as they fall <input type="search" placeholder="Session" aria-label="Only this session" value={session} onInput={(event) => setSession((event.target as HTMLInputElement).value)} /></h3>
          {shown.length === 0 && <p class="muted">{verdicts.length ? 'No verdict of this session.' : 'No verdict yet.'}</p>}
          <ul class="verdicts" role="log" aria-label="Verdicts">{shown.slice(-200).map((one, i) => <li key={i} class={one.verdict === 'fail' ? 'bad' : ''}>{summary(one)}</li>)}</ul>
        </section>
      )}
      {!current && <p class="empty">Name one log per line and start. With “follow”, records are judged as they are written.</p>}
      {current?.answer && <AnswerView answer={current.answer} bench={bench} />}
    </div>
  );
}

const summary = (one: any) =>
  [one.of, one.name, one.session && `session ${one.session}`, one.verdict, one.role, one.event, one.reason, one.log && `${one.log}:${one.line}`].filter(Boolean).join(' · ');
