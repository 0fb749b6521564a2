// An answer: verdict first, then the report of the terminal, the runs, and the whole of it as JSON.
import { useState } from 'preact/hooks';
import { RunWalk, type Run } from './run';
import { Drawing } from './svg';
import type { Answer, Bench } from './types';

export const verdictWords: Record<string, string> = { holds: 'holds', fails: 'fails', conditional: 'holds under a condition', undecided: 'undecided' };

// All runs of an answer, wherever its JSON has them, each once.
export function runsOf(json: any): { title: string; run: Run }[] {
  const found: { title: string; run: Run }[] = [];
  const seen = new Set<string>();
  const visit = (value: any, title: string, depth: number) => {
    if (!value || typeof value !== 'object' || depth > 6) return;
    if (Array.isArray(value.events) && value.events.every((one: any) => one && typeof one === 'object' && 'message' in one)) {
      const key = JSON.stringify(value.events);
      if (value.events.length > 0 && !seen.has(key)) found.push({ title, run: value });
      seen.add(key);
      return;
    }
    for (const [name, child] of Object.entries(value)) visit(child, typeof value.reason === 'string' ? value.reason : Array.isArray(value) ? title : name, depth + 1);
  };
  visit(json, 'run', 0);
  return found.slice(0, 12);
}

export function Badge(props: { answer?: string; cancelled?: boolean }) {
  if (props.cancelled && props.answer !== 'fails') return <span class="badge undecided">cancelled</span>;
  const name = props.answer ?? 'error';
  return <span class={`badge ${name}`}>{verdictWords[name] ?? 'no answer'}</span>;
}

function copy(text: string, tell: (message: string) => void) {
  navigator.clipboard?.writeText(text).then(() => tell('Copied.'), () => tell('The browser does not allow copying.'));
}

export function AnswerView(props: { answer: Answer; bench: Bench }) {
  const { answer, bench } = props;
  const [view, setView] = useState<'report' | 'json'>('report');
  const runs = runsOf(answer.json);
  const [which, setWhich] = useState(0);
  const run = runs[Math.min(which, runs.length - 1)];
  return (
    <div class="answer">
      <p class="verdict"><Badge answer={answer.json?.answer} cancelled={answer.cancelled} /> <span>{answer.json?.reason}</span></p>
      {answer.json?.condition && <p class="condition">{answer.json.condition}</p>}
      {runs.length > 1 && (
        <label class="inline">Run <select value={which} onChange={(event) => setWhich(Number((event.target as HTMLSelectElement).value))}>{runs.map((one, i) => <option value={i} key={i}>{i + 1}: {one.title.slice(0, 80)}</option>)}</select></label>
      )}
      {run && <RunWalk run={run.run} title={`The run: ${run.title}`} onLine={bench.go} />}
      {answer.machine && <div class="coverage-machine"><Drawing svg={answer.machine} whole label="The component's machine; steps that were not seen are dashed" /></div>}
      <div class="bar">
        <div class="segmented" role="group" aria-label="Form of the answer">
          <button aria-pressed={view === 'report'} onClick={() => setView('report')}>Report</button>
          <button aria-pressed={view === 'json'} onClick={() => setView('json')}>JSON</button>
        </div>
        <button onClick={() => copy(view === 'report' ? answer.text : JSON.stringify(answer.json, null, 2), (message) => bench.tell(message))}>Copy</button>
        {answer.made && <button onClick={() => bench.openText(answer.made!.name, answer.made!.text)}>Open as {answer.made.name}</button>}
      </div>
      <pre class="report" tabIndex={0}>{view === 'report' ? answer.text || '(nothing)' : JSON.stringify(answer.json, null, 2)}</pre>
    </div>
  );
}
