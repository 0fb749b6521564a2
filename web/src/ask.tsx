// Questions as forms, and their answers; several may be under way.
import { useEffect, useState } from 'preact/hooks';
import { AnswerView, Badge } from './answer';
import { filled, FormFields, type Values } from './form';
import { socket, type Progress } from './socket';
import type { Answer, Bench, Question } from './types';

export type Asked = { id: number; title: string; subject: string; state: 'running' | 'done' | 'failed'; progress: Progress; answer?: Answer; fault?: string; cancel: () => void };

let last = 0;

// How often each property, role and so on has passed and failed; the verdicts themselves are only kept in part.
export function counted(before: NonNullable<Progress['tally']>, verdicts: any[]): NonNullable<Progress['tally']> {
  const tally = { ...before };
  for (const one of verdicts) {
    const name = [one.of, one.name ?? one.role].filter(Boolean).join(' ');
    const now = tally[name] ?? { pass: 0, fail: 0, other: 0 };
    const kind = one.verdict === 'pass' || one.verdict === 'fail' ? (one.verdict as 'pass' | 'fail') : 'other';
    tally[name] = { ...now, [kind]: now[kind] + 1 };
  }
  return tally;
}

// Asks, and keeps the list of what was asked up to date.
export function useAsking(bench: Bench) {
  const [asked, setAsked] = useState<Asked[]>([]);
  const change = (id: number, by: Partial<Asked> | ((one: Asked) => Partial<Asked>)) =>
    setAsked((all) => all.map((one) => (one.id === id ? { ...one, ...(typeof by === 'function' ? by(one) : by) } : one)));
  const ask = (question: Question, values: Values): Promise<Answer | null> => {
    const id = ++last;
    const call = socket.call<Answer>('ask', { question: question.name, values, texts: bench.texts() }, (made) =>
      change(id, (one) => ({ progress: { ...one.progress, ...made, verdicts: [...(one.progress.verdicts ?? []), ...(made.verdicts ?? [])].slice(-500), failures: [...(one.progress.failures ?? []), ...(made.failures ?? [])].slice(-100), tally: counted(one.progress.tally ?? {}, made.verdicts ?? []) } })));
    setAsked((all) => [{ id, title: question.title, subject: String(values.file ?? values.implementation ?? values.before ?? ''), state: 'running' as const, progress: {}, cancel: call.cancel }, ...all].slice(0, 20));
    return call.answer.then(
      (answer) => (change(id, { state: 'done', answer }), answer),
      (fault: Error) => (change(id, { state: 'failed', fault: fault.message }), null),
    );
  };
  const drop = (id: number) => setAsked((all) => all.filter((one) => one.id !== id));
  return { asked, ask, drop };
}

export function AskedItem(props: { one: Asked; bench: Bench; open: boolean; drop: () => void }) {
  const { one } = props;
  const [open, setOpen] = useState(props.open);
  useEffect(() => setOpen(props.open), [props.open]);
  return (
    <section class="asked" data-state={one.state} aria-label={`${one.title} ${one.subject}`}>
      <div class="bar">
        <button class="plain" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? '▾' : '▸'} <b>{one.title}</b> <span class="muted">{one.subject}</span></button>
        {one.state === 'running' && <span class="running" role="status">{one.progress.line ?? 'working …'}</span>}
        {one.state === 'done' && <Badge answer={one.answer!.json?.answer} cancelled={one.answer!.cancelled} />}
        {one.state === 'failed' && <span class="badge error">no answer</span>}
        <span class="push" />
        {one.state === 'running' ? <button onClick={one.cancel}>Cancel</button> : <button class="plain" aria-label={`Remove the answer of ${one.title}`} onClick={props.drop}>×</button>}
      </div>
      {one.state === 'running' && <div class="meter"><span /></div>}
      {open && one.state === 'failed' && <p class="fault">{one.fault}</p>}
      {open && one.answer && <AnswerView answer={one.answer} bench={props.bench} />}
    </section>
  );
}

export function Ask(props: { bench: Bench; asking: ReturnType<typeof useAsking>; wanted?: { question: string; values: Values } }) {
  const { bench, asking } = props;
  const questions = bench.hello.questions;
  const [name, setName] = useState(props.wanted?.question ?? 'check');
  const [kept, setKept] = useState<Record<string, Values>>(props.wanted ? { [props.wanted.question]: props.wanted.values } : {});
  // While drawing, not in an effect: that may come after what a quick hand has chosen already.
  const [shown, setShown] = useState(props.wanted);
  if (props.wanted && props.wanted !== shown) {
    setShown(props.wanted);
    setName(props.wanted.question);
    setKept({ ...kept, [props.wanted.question]: props.wanted.values });
  }
  const question = questions.find((one) => one.name === name) ?? questions[0];
  const fields = [...question.fields, ...question.limits];
  const values = filled(fields, kept[name] ?? {}, bench);
  const set = (field: string, value: string | boolean) => setKept((all) => ({ ...all, [name]: { ...(all[name] ?? {}), [field]: value } }));
  const groups = [...new Set(questions.map((one) => one.group))];
  const main = question.fields.filter((field) => field.needed || field.kind === 'protocol' || field.kind === 'role');
  const more = fields.filter((field) => !main.includes(field));
  return (
    <div class="panel ask">
      <form onSubmit={(event) => { event.preventDefault(); asking.ask(question, values); }}>
        <div class="field">
          <label for="ask-question">question</label>
          <select id="ask-question" value={name} onChange={(event) => setName((event.target as HTMLSelectElement).value)}>
            {groups.map((group) => (
              <optgroup label={group} key={group}>{questions.filter((one) => one.group === group).map((one) => <option value={one.name} key={one.name}>{one.title}</option>)}</optgroup>
            ))}
          </select>
          <span class="about">{question.about}</span>
        </div>
        <FormFields fields={main} prefix={`ask-${name}`} values={values} bench={bench} set={set} />
        <details class="more">
          <summary>{more.length} more options</summary>
          <FormFields fields={more} prefix={`ask-${name}`} values={values} bench={bench} set={set} />
        </details>
        <div class="bar"><button class="primary" type="submit">Ask</button>{!bench.hello.allowRun && <span class="muted">Programs are tested only if treaty serve is started with --allow-run.</span>}</div>
      </form>
      {asking.asked.length === 0 && <p class="empty">No questions yet. Answers appear here; several questions can run at the same time.</p>}
      {asking.asked.map((one, i) => <AskedItem one={one} bench={bench} open={i === 0} key={one.id} drop={() => asking.drop(one.id)} />)}
    </div>
  );
}
