// Learning by doing: a tour in which each step is done on the page, and the examples.
import { useEffect, useState } from 'preact/hooks';
import type { Values } from './form';
import type { Bench, Example } from './types';

export type Tools = {
  openExample: (example: Example) => void;
  setText: (name: string, text: string) => void;
  tab: (name: string) => void;
  look: (kind: string, role?: string) => void;
  ask: (question: string, values: Values) => void;
};

const broken = `message pay(amount: int)

protocol Withdraw(client, machine, bank) {
  client -> machine: withdraw
  machine -> bnak: ask
  choice at bank {
    bank -> machine: deny
  } or {
    machine -> client: money
  }
  bank -> client: pay(rest + 1)
}
`;

const stuck = `// The shop does not tell the bank that it is sold out, but the bank must then refund the client.
protocol Refund(shop, bank, client) {
  client -> shop: order
  choice at shop {
    shop -> bank: charge
    bank -> client: receipt
  } or {
    shop -> client: soldOut
    bank -> client: refund
  }
}
`;

type Stop = { title: string; text: string; action: string; run: (tools: Tools, examples: Example[]) => void };

const stops: Stop[] = [
  { title: 'A protocol', text: 'A client asks a cash machine for money, the machine asks the bank, the bank decides. The text is on the left, its sequence chart on the right. Click an arrow: it leads to its line.', action: 'Open the protocol',
    run: (tools, examples) => { const one = examples.find((example) => example.name === 'withdraw'); if (one) tools.openExample(one); tools.look('msc'); tools.tab('See'); } },
  { title: 'Mistakes', text: 'This text has three mistakes. Each is underlined and listed under the text, with what is wrong and how to fix it. Apply a fix and watch the list.', action: 'Open a text with mistakes',
    run: (tools) => tools.setText('broken.treaty', broken) },
  { title: 'What one role has to do', text: 'The machine of a role shows what it sends (!) and receives (?), from its own point of view.', action: 'Draw the machine of A',
    run: (tools, examples) => { const one = examples.find((example) => example.name === 'withdraw'); if (one) tools.openExample(one); tools.look('machine', 'A'); tools.tab('See'); } },
  { title: 'All roles together', text: 'Explore runs all roles with a queue between each pair and visits every situation they can get into. Here one of them is bad: walk through the run step by step, with the messages on their way at each step.', action: 'Explore a protocol that gets stuck',
    run: (tools) => { tools.setText('stuck.treaty', stuck); tools.ask('explore', { file: 'stuck.treaty' }); } },
  { title: 'Walk by yourself', text: 'Choose each event by hand, forwards and back. Data that is left open can be typed in; a suitable value is proposed.', action: 'Walk through the protocol',
    run: (tools, examples) => { const one = examples.find((example) => example.name === 'withdraw'); if (one) tools.openExample(one); tools.tab('Step'); } },
  { title: 'Programs and logs', text: 'Test plays all other roles against a program and keeps every failure; Watch judges recorded traffic, also while it grows. Both give the same reports as in the terminal.', action: 'Go to Test', run: (tools) => tools.tab('Test') },
];

export function Learn(props: { bench: Bench; tools: Tools }) {
  const [examples, setExamples] = useState<Example[] | null>(null);
  const [fault, setFault] = useState('');
  const [at, setAt] = useState(0);
  useEffect(() => {
    fetch('examples.json').then((reply) => (reply.ok ? reply.json() : Promise.reject(new Error('the examples are missing')))).then(setExamples, (problem) => setFault(problem.message));
  }, []);
  const stop = stops[at];
  return (
    <div class="panel learn">
      <h2>Five minutes</h2>
      <section class="tour" aria-label={`Tour, step ${at + 1} of ${stops.length}`}>
        <ol class="dots">{stops.map((one, i) => <li key={one.title}><button aria-current={i === at ? 'step' : undefined} onClick={() => setAt(i)}>{i + 1}<span class="hidden"> {one.title}</span></button></li>)}</ol>
        <h3>{stop.title}</h3>
        <p>{stop.text}</p>
        <div class="bar">
          <button class="primary" disabled={!examples} onClick={() => stop.run(props.tools, examples!)}>{stop.action}</button>
          <span class="push" />
          <button disabled={at === 0} onClick={() => setAt(at - 1)}>Back</button>
          <button disabled={at === stops.length - 1} onClick={() => setAt(at + 1)}>Next step</button>
        </div>
      </section>
      <h2>Examples</h2>
      {fault && <p class="fault">{fault}</p>}
      {!examples && !fault && <p class="muted">Reading …</p>}
      <ul class="examples">
        {examples?.map((example) => (
          <li key={example.name}>
            <h3>{example.title}</h3>
            <p>{example.about}</p>
            <p class="muted">{example.found}</p>
            <div class="bar">
              <button onClick={() => props.tools.openExample(example)}>Open</button>
              {example.ask && <button onClick={() => { props.tools.openExample(example); props.tools.ask(example.ask!.question, example.ask!.values as Values); }}>Open and {example.ask.action}</button>}
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}
