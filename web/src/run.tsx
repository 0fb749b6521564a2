// A run as a sequence chart that can be walked event by event, with the channels and values at each step.
import { useEffect, useState } from 'preact/hooks';

export type RunEvent = { from: string; to: string; dir: string; message: string; data: Record<string, unknown>; line?: number };
export type Run = { events: RunEvent[]; roles?: string[]; failing?: number; ending?: string };

const show = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value) : typeof value === 'object' ? JSON.stringify(value) : String(value));
export const dataOf = (event: RunEvent) => Object.entries(event.data ?? {}).map(([name, value]) => `${name} = ${show(value)}`).join(', ');
export const labelOf = (event: RunEvent) => (dataOf(event) ? `${event.message}(${dataOf(event)})` : event.message);

export function rolesOf(run: Run): string[] {
  const roles = [...(run.roles ?? [])];
  for (const event of run.events) for (const role of [event.from, event.to]) if (role && !roles.includes(role)) roles.push(role);
  return roles;
}

// What is on its way after the first `count` events: messages sent and not received.
export function channelsAfter(run: Run, count: number) {
  const channels = new Map<string, RunEvent[]>();
  for (const event of run.events.slice(0, count)) {
    const name = `${event.from} → ${event.to}`;
    if (event.dir === '!') channels.set(name, [...(channels.get(name) ?? []), event]);
    if (event.dir === '?') {
      const waiting = channels.get(name) ?? [];
      const at = waiting.findIndex((one) => one.message === event.message);
      channels.set(name, waiting.filter((_, i) => i !== at));
    }
  }
  return [...channels].filter(([, waiting]) => waiting.length > 0);
}

// What the roles know after the first `count` events: the last value of each field, and who has sent or received it.
export function valuesAfter(run: Run, count: number) {
  const values = new Map<string, { value: string; roles: string[] }>();
  for (const event of run.events.slice(0, count))
    for (const [field, value] of Object.entries(event.data ?? {})) {
      const name = `${event.message}.${field}`;
      const text = show(value);
      const before = values.get(name);
      const roles = before?.value === text ? [...before.roles] : [];
      for (const role of event.dir === '!' ? [event.from] : event.dir === '?' ? [event.to] : [event.from, event.to]) if (role && !roles.includes(role)) roles.push(role);
      values.set(name, { value: text, roles });
    }
  return [...values];
}

// For each sending the event that receives it; -1: none does.
function receptions(run: Run): number[] {
  const taken = new Set<number>();
  return run.events.map((event, i) => {
    if (event.dir !== '!') return -1;
    const at = run.events.findIndex((other, j) => j > i && other.dir === '?' && !taken.has(j) && other.from === event.from && other.to === event.to && other.message === event.message);
    if (at >= 0) taken.add(at);
    return at;
  });
}

const GAP = 46;
const TOP = 44;

export function RunChart(props: { run: Run; step: number; onStep: (step: number) => void; onLine?: (line: number) => void }) {
  const { run, step } = props;
  const roles = rolesOf(run);
  const longest = Math.max(8, ...run.events.map((event) => Math.min(labelOf(event).length, 60)));
  const span = Math.max(110, longest * 6.6 + 34);
  const x = (role: string) => 58 + Math.max(roles.indexOf(role), 0) * span;
  const y = (row: number) => TOP + 26 + row * GAP * 0.72;
  const width = 58 + Math.max(roles.length - 1, 0) * span + 70;
  const height = y(run.events.length) + 6;
  const received = receptions(run);
  const arrivals = new Set(received);
  return (
    <svg class="run" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`Sequence chart of ${run.events.length} events`}>
      {roles.map((role) => (
        <g key={role}>
          <line class="life" x1={x(role)} y1={TOP} x2={x(role)} y2={height} />
          <rect class="head" x={x(role) - 40} y={10} width={80} height={26} rx={5} />
          <text class="name" x={x(role)} y={28}>{role.length > 11 ? role.slice(0, 10) + '…' : role}</text>
        </g>
      ))}
      {run.events.map((event, i) => {
        const at = y(i);
        const wrong = run.failing === i;
        const kind = `event${i < step ? '' : ' later'}${i === step - 1 ? ' now' : ''}${wrong ? ' wrong' : ''}`;
        const choose = () => { props.onStep(i + 1); if (event.line) props.onLine?.(event.line); };
        const alone = !event.from && !event.to;
        const known = event.dir !== '?' || !arrivals.has(i);
        let shape;
        if (alone || event.from === event.to) shape = <text class="label" x={alone ? 58 : x(event.from) + 8} y={at + 4}>{labelOf(event)}</text>;
        else {
          const lands = event.dir === '!' ? (received[i] >= 0 ? y(received[i]) : null) : at;
          const left = x(event.from);
          const right = x(event.to);
          const side = right > left ? 1 : -1;
          const start = known || event.dir !== '?' ? left : left;
          const endX = lands === null ? left + (right - left) * 0.45 : right;
          const endY = lands ?? at;
          const arrives = event.dir === '!' && received[i] >= 0;
          shape = event.dir === '?' && arrivals.has(i) ? (
            <circle class="dot" cx={right} cy={at} r={3.4} />
          ) : (
            <g class={arrives && received[i] >= step ? 'waiting' : ''}>
              <line class="arrow" x1={event.dir === '?' ? left + (right - left) * 0.55 : start} y1={at} x2={endX} y2={endY} />
              {lands === null ? (
                <path class="arrow" d={`M${endX - 4} ${endY - 4}l8 8m0 -8l-8 8`} />
              ) : (
                <path class="tip" d={`M${endX} ${endY}l${-side * 9} -4v8z`} transform={`rotate(${(Math.atan2(endY - at, endX - left) * 180) / Math.PI - (side < 0 ? 180 : 0)} ${endX} ${endY})`} />
              )}
              <text class="label" x={(left + endX) / 2} y={at - 5}>{labelOf(event).length > 60 ? labelOf(event).slice(0, 59) + '…' : labelOf(event)}</text>
            </g>
          );
        }
        return (
          <g class={kind} key={i} onClick={choose}>
            <rect class="hit" x={0} y={at - 16} width={width} height={GAP * 0.72} />
            <text class="number" x={12} y={at + 4}>{i + 1}</text>
            {shape}
          </g>
        );
      })}
    </svg>
  );
}

// The chart with the means to walk through it.
export function RunWalk(props: { run: Run; title: string; onLine: (line: number) => void }) {
  const { run } = props;
  const last = run.events.length;
  const [step, setStep] = useState(last);
  useEffect(() => setStep(last), [run]);
  const to = (target: number) => {
    const next = Math.min(Math.max(target, 0), last);
    setStep(next);
    const line = next > 0 ? run.events[next - 1].line : 0;
    if (line) props.onLine(line);
  };
  const event = step > 0 ? run.events[step - 1] : null;
  const channels = channelsAfter(run, step);
  const values = valuesAfter(run, step);
  return (
    <section class="walk" aria-label={props.title}>
      <div class="bar" role="toolbar" aria-label="Walk through the run">
        <button onClick={() => to(0)} disabled={step === 0} aria-label="To the beginning">«</button>
        <button onClick={() => to(step - 1)} disabled={step === 0}>Back</button>
        <button onClick={() => to(step + 1)} disabled={step === last} class="primary">Next</button>
        <button onClick={() => to(last)} disabled={step === last} aria-label="To the end">»</button>
        <span class="muted" role="status">{step === 0 ? `before the first of ${last} events` : `event ${step} of ${last}`}</span>
      </div>
      <div class="chart" tabIndex={0} role="group" aria-label="Chart of the run"><RunChart run={run} step={step} onStep={to} onLine={props.onLine} /></div>
      <dl class="facts">
        <dt>Event</dt>
        <dd>{event ? <>{event.from && <>{event.from} {event.dir === '?' ? '→' : '→'} {event.to}: </>}<b>{labelOf(event)}</b> <span class="muted">{event.dir === '!' ? 'is sent' : event.dir === '?' ? 'is received' : ''}{event.line ? `, line ${event.line}` : ''}</span></> : <span class="muted">nothing has happened yet</span>}</dd>
        <dt>Channels</dt>
        <dd>{channels.length === 0 ? <span class="muted">all empty</span> : channels.map(([name, waiting]) => <div key={name}>{name}: {waiting.map(labelOf).join(', ')}</div>)}</dd>
        {values.length > 0 && (
          <>
            <dt>Values</dt>
            <dd>{values.map(([name, one]) => <div key={name}>{name} = {one.value} <span class="muted">{one.roles.join(', ')}</span></div>)}</dd>
          </>
        )}
        {run.ending && step === last && (<><dt>Ending</dt><dd class="bad">{run.ending}</dd></>)}
      </dl>
    </section>
  );
}
