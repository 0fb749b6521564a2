// Walking through a protocol: clicking the events that can come next, back and forth.
import { useEffect, useState } from 'preact/hooks';
import { labelOf, RunChart, channelsAfter, type Run } from './run';
import { socket } from './socket';
import type { Bench } from './types';

type Enabled = { text: string; line: number; from: string; to: string; fields: { name: string; type: string; fixed?: string; proposed?: string }[] };
type State = { walk: number; title: string; standing: string; where: string[]; enabled: Enabled[]; run: Run };

const standings: Record<string, [string, string]> = {
  going: ['', ''], 'may end': ['good', 'The conversation may also end here.'], over: ['good', 'The conversation is over.'],
  stuck: ['bad', 'Stuck: nothing can come next, but the conversation is not over.'], lost: ['bad', 'Too many situations are possible here.'],
};

export function Step(props: { bench: Bench }) {
  const { bench } = props;
  const [state, setState] = useState<State | null>(null);
  const [fault, setFault] = useState('');
  const [role, setRole] = useState('');
  const [mode, setMode] = useState('');
  const [values, setValues] = useState<Record<string, Record<string, string>>>({});
  const [from, setFrom] = useState({ path: '', text: '' });

  const ask = async (method: string, params: object) => {
    try {
      const next = await socket.ask<State>(method, params);
      setState(next);
      setFault('');
      setValues({});
      const last = next.run.events[next.run.events.length - 1];
      if (last?.line) bench.mark(last.line);
    } catch (problem) {
      setFault((problem as Error).message);
    }
  };
  const begin = () => {
    setFrom({ path: bench.path, text: bench.text });
    return ask('walk', { file: bench.path, role, mode, texts: { ...bench.texts(), [bench.path]: bench.text } });
  };
  const take = (event: number) => ask('take', { walk: state!.walk, how: 'event', event, values: values[event] ?? {} });
  const move = (how: string, times = 1) => ask('take', { walk: state!.walk, how, times });

  useEffect(() => {
    setState(null);
    setFault('');
    if (bench.path) begin();
  }, [bench.path, role, mode]);

  if (!bench.path) return <p class="empty">Open a file to walk through it.</p>;
  const changed = state && (from.path !== bench.path || from.text !== bench.text);
  const standing = standings[state?.standing ?? 'going'];
  const run = state?.run;
  const saveRun = () => bench.openText('walk.json', JSON.stringify(run, null, 2) + '\n');
  return (
    <div class="panel step">
      <div class="bar">
        <label class="inline">Role <select value={role} onChange={(event) => setRole((event.target as HTMLSelectElement).value)}><option value="">all, together</option>{bench.roles.map((one) => <option key={one}>{one}</option>)}</select></label>
        <label class="inline">Channels <select value={mode} onChange={(event) => setMode((event.target as HTMLSelectElement).value)}><option value="">none: whole interactions</option>{['sync', 'fifo', 'bag', 'mailbox'].map((one) => <option key={one}>{one}</option>)}</select></label>
        <span class="push" />
        <button onClick={begin}>Restart</button>
      </div>
      {changed && <p class="hint">The text has changed since this walk began. <button onClick={begin}>Restart with the new text</button></p>}
      {fault && <p class="fault" role="alert">{fault}</p>}
      {state && run && (
        <>
          <div class="bar" role="toolbar" aria-label="Walk">
            <button onClick={() => move('back', 1e4)} disabled={run.events.length === 0} aria-label="To the beginning">«</button>
            <button onClick={() => move('back')} disabled={run.events.length === 0}>Back</button>
            <button onClick={() => move('random')} disabled={state.enabled.length === 0}>Random</button>
            <button onClick={() => move('random', 10)} disabled={state.enabled.length === 0}>Random × 10</button>
            <span class="muted" role="status">{run.events.length === 0 ? 'at the beginning' : `after ${run.events.length} event${run.events.length > 1 ? 's' : ''}`}</span>
            <span class="push" />
            <button onClick={saveRun} disabled={run.events.length === 0}>Save the run</button>
          </div>
          <h3>{state.enabled.length > 0 ? 'What can come next' : 'Nothing can come next'}</h3>
          <ul class="enabled">
            {state.enabled.map((event, i) => (
              <li key={i}>
                <button class="event" onClick={() => take(i)} onMouseEnter={() => event.line && bench.mark(event.line)}><b>{event.text}</b>{event.line > 0 && <span class="muted"> line {event.line}</span>}</button>
                {event.fields.map((field) => (
                  <label class="inline" key={field.name}>{field.name}{' '}
                    {field.fixed !== undefined ? <code>{field.fixed}</code> : (
                      <input size={12} placeholder={field.proposed ?? field.type} title={field.type} value={values[i]?.[field.name] ?? ''} onInput={(input) => setValues((all) => ({ ...all, [i]: { ...(all[i] ?? {}), [field.name]: (input.target as HTMLInputElement).value } }))} />
                    )}
                  </label>
                ))}
              </li>
            ))}
          </ul>
          {standing[1] && <p class={standing[0]} role="status">{standing[1]}</p>}
          {state.where.length > 0 && <><h3>Where it is</h3><ul class="where">{state.where.map((line, i) => <li key={i}>{line}</li>)}</ul></>}
          {channelsAfter(run, run.events.length).length > 0 && <p class="muted">on their way: {channelsAfter(run, run.events.length).map(([name, waiting]) => `${name}: ${waiting.map(labelOf).join(', ')}`).join('; ')}</p>}
          {run.events.length > 0 && <div class="chart" tabIndex={0} role="group" aria-label="The events so far"><RunChart run={run} step={run.events.length} onStep={(step) => move('back', run.events.length - step)} onLine={bench.go} /></div>}
          {run.events.length > 0 && <p class="muted">A click on an event of the chart goes back to it.</p>}
        </>
      )}
      {!state && !fault && <p class="empty">Opening the walk …</p>}
    </div>
  );
}
