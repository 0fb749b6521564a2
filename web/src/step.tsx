// Walking through a protocol: clicking the events that can come next, back and forth.
import { useEffect, useState } from 'preact/hooks';
import { labelOf, RunChart, channelsAfter, rolesOf, valuesAfter, type Run } from './run';
import { socket } from './socket';
import type { Bench } from './types';

type Enabled = { text: string; line: number; from: string; to: string; fields: { name: string; type: string; fixed?: string; proposed?: string }[] };
type State = { walk: number; title: string; standing: string; where: string[]; enabled: Enabled[]; run: Run };

const standings: Record<string, [string, string]> = {
  going: ['', ''], 'may end': ['good', 'The conversation may also end here.'], over: ['good', 'The conversation is over.'],
  stuck: ['bad', 'Stuck: nothing can come next, but the conversation is not over.'], lost: ['bad', 'Too many situations are possible here.'],
};

export function Step(props: { bench: Bench; protocol: string }) {
  const { bench } = props;
  const [state, setState] = useState<State | null>(null);
  const [fault, setFault] = useState('');
  const [asTest, setAsTest] = useState(false);
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
    return ask('walk', { file: bench.path, protocol: props.protocol, role, mode, texts: { ...bench.texts(), [bench.path]: bench.text } });
  };
  const take = (event: number) => ask('take', { walk: state!.walk, how: 'event', event, values: values[event] ?? {} });
  const move = (how: string, times = 1) => ask('take', { walk: state!.walk, how, times });

  useEffect(() => {
    setState(null);
    setFault('');
    if (bench.path) begin();
  }, [bench.path, props.protocol, role, mode]);

  if (!bench.path) return <p class="empty">Open a file to walk through it.</p>;
  const changed = state && (from.path !== bench.path || from.text !== bench.text);
  const standing = standings[state?.standing ?? 'going'];
  // All roles of the protocol have a lifeline, also those that have done nothing yet.
  const run = state && { ...state.run, roles: state.run.roles ?? (role === '' ? bench.roles : []) };
  const saveRun = () => bench.openText('walk.json', JSON.stringify(run, null, 2) + '\n');
  return (
    <div class="panel step">
      <div class="bar">
        <label class="inline">Role <select value={role} onChange={(event) => setRole((event.target as HTMLSelectElement).value)}><option value="">all, together</option>{bench.roles.map((one) => <option key={one}>{one}</option>)}</select></label>
        <label class="inline">Channels <select value={mode} onChange={(event) => setMode((event.target as HTMLSelectElement).value)}><option value="">none</option>{['sync', 'fifo', 'bag', 'mailbox'].map((one) => <option key={one}>{one}</option>)}</select></label>
        <span class="push" />
        <button onClick={saveRun} disabled={!run?.events.length}>Save the run</button>
        <button onClick={() => setAsTest(!asTest)} aria-expanded={asTest} disabled={!run?.events.length || mode !== '' || role !== ''} title="Only a walk of all roles, without channels">Save as a test</button>
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
          </div>
          {asTest && <SaveTest bench={bench} walk={state.walk} close={() => setAsTest(false)} />}
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
          <Configuration run={run} enabled={state.enabled} />
          {state.where.length > 0 && <><h3>Where it is</h3><ul class="where">{state.where.map((line, i) => <li key={i}>{line}</li>)}</ul></>}
          {run.events.length > 0 && <div class="chart" tabIndex={0} role="group" aria-label="The events so far"><RunChart run={run} step={run.events.length} onStep={(step) => move('back', run.events.length - step)} onLine={bench.go} /></div>}
          {run.events.length > 0 && <p class="muted">A click on an event of the chart goes back to it.</p>}
        </>
      )}
      {!state && !fault && <p class="empty">Opening the walk …</p>}
    </div>
  );
}

// Where the conversation is: the roles, what waits for each of them, what it can do next, and what it knows.
function Configuration(props: { run: Run; enabled: Enabled[] }) {
  const { run, enabled } = props;
  const roles = rolesOf(run);
  const channels = channelsAfter(run, run.events.length);
  const values = valuesAfter(run, run.events.length);
  const now = run.events[run.events.length - 1];
  if (roles.length === 0) return null;
  return (
    <>
      <h3>The configuration</h3>
      <ul class="configuration">
        {roles.map((role) => {
          const inbox = channels.filter(([name]) => name.endsWith(` → ${role}`));
          const sends = enabled.filter((one) => one.from === role).map((one) => one.text);
          const known = values.filter(([, one]) => one.roles.includes(role));
          return (
            <li key={role} class={now && (now.from === role || now.to === role) ? 'active' : ''}>
              <b>{role}</b>
              {inbox.map(([name, waiting]) => <div class="inbox" key={name}><span class="muted">from {name.replace(/ → .*/, '')}</span> {waiting.map((one, i) => <span class="message" key={i}>{labelOf(one)}</span>)}</div>)}
              {known.map(([name, one]) => <div class="muted" key={name}>{name} = {one.value}</div>)}
              {sends.length > 0 ? <div class="good">can act: {sends.length}</div> : <div class="muted">{enabled.some((one) => one.to === role) ? 'is waited for' : 'waits'}</div>}
            </li>
          );
        })}
      </ul>
    </>
  );
}

// The walk as a test of one role: what it received is sent to a program, and what it sent is expected.
function SaveTest(props: { bench: Bench; walk: number; close: () => void }) {
  const { bench } = props;
  const [cut, setCut] = useState(bench.roles[0] ?? '');
  const [run, setRun] = useState('');
  const [via, setVia] = useState('stdio:');
  const save = async () => {
    try {
      const made = await socket.ask<{ text: string }>('walk_as_test', { walk: props.walk, cut, run, via });
      const name = bench.openText('walk-test.json', made.text);
      bench.tell(`Save ${name}; then “Replay” with it, or: treaty replay ${name}`);
      props.close();
    } catch (problem) {
      bench.tell((problem as Error).message, true);
    }
  };
  return (
    <form class="card" onSubmit={(event) => { event.preventDefault(); save(); }}>
      <div class="field"><label for="walk-cut">component</label><select id="walk-cut" value={cut} onChange={(event) => setCut((event.target as HTMLSelectElement).value)}>{bench.roles.map((one) => <option key={one}>{one}</option>)}</select><span class="about">the role that a program plays; Treaty plays the others</span></div>
      <div class="field"><label for="walk-run">command</label><input id="walk-run" type="text" value={run} onInput={(event) => setRun((event.target as HTMLInputElement).value)} spellcheck={false} /><span class="about">starts the program; {'{port}'} is a free port (empty: it runs already)</span></div>
      <div class="field"><label for="walk-via">address</label><input id="walk-via" type="text" value={via} onInput={(event) => setVia((event.target as HTMLInputElement).value)} spellcheck={false} required /><span class="about">tcp://127.0.0.1:{'{port}'}, stdio: and the like</span></div>
      <div class="bar"><button class="primary" type="submit">Make the test</button><button type="button" onClick={props.close}>Cancel</button></div>
    </form>
  );
}
