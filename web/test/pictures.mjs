// The pictures of docs/workbench.md. Started by scripts/workbench_pictures.py.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { browser as start, Person, serve } from './person.mjs';

const { FOLDER, ROOT, PYTHON, PICTURES } = process.env;

const stuck = `// Nobody tells the bank that the shop is sold out, but then it is to refund the client.
message order(amount: int in 1..99)

protocol Order(client, shop, bank) {
  client -> shop: order(let amount)
  choice at shop {
    shop -> bank: charge
    bank -> client: receipt
  } or {
    shop -> client: soldOut
    bank -> client: refund
  }
}
`;

async function main() {
  mkdirSync(FOLDER, { recursive: true });
  for (const file of ['withdraw/withdraw.treaty', 'smtp/smtp.treaty', 'smtp/server.py', 'shipping/shipping.treaty', 'shipping/traffic.jsonl', 'atm/atm.treaty'])
    copyFileSync(`${ROOT}/examples/${file}`, `${FOLDER}/${file.replace(/^.*\//, '')}`);
  writeFileSync(`${FOLDER}/order.treaty`, stuck);
  const served = await serve(FOLDER, '--allow-run');
  const browser = await start(`${FOLDER}-profile`);
  const person = new Person(await browser.newPage());
  const look = (name) => person.page.screenshot({ path: `${PICTURES}/workbench_${name}.png` });
  try {
    await person.page.setViewport({ width: 1200, height: 740 });
    await person.open(served.url);
    // Writing and seeing, with a mistake and the fix for it.
    await person.click('.files button', 'atm.treaty');
    await person.click('.tabs button', 'See');
    await person.seen('Atm');
    await look('see');
    // A counterexample, half way.
    await person.click('.files button', 'order.treaty');
    await person.until('lenses', () => window.treatyEditor.state.doc.toString().includes('soldOut') && document.querySelector('.cm-lenses button'));
    await person.click('.cm-lenses button', 'explore');
    await person.until('the run', () => document.querySelector('.asked .run .event'));
    await person.click('.asked .walk button', 'Back');
    await person.page.evaluate(() => document.querySelector('.asked .walk').scrollIntoView({ block: 'start' }));
    await look('ask');
    // A walk.
    await person.click('.tabs button', 'Step');
    await person.click('.enabled .event', 'order');
    await person.until('a value is known', () => /amount/.test(document.querySelector('.configuration')?.innerText ?? ''));
    await look('step');
    // A campaign while it runs, then the failure.
    await person.click('.files button', 'smtp.treaty');
    await person.click('.tabs button', 'Test');
    await person.fill('test-cut', 'server');
    await person.fill('test-run', `${PYTHON} server.py {port} --bug rset`);
    await person.fill('test-via', 'tcp://127.0.0.1:{port}');
    await person.fill('test-silence', '20s');
    await person.click('.test .more summary');
    await person.click('#test-keep-going');
    await person.fill('test-sessions', '1000');
    await person.click('.test form button', 'Start the campaign');
    await person.until('a failure', () => document.querySelector('.live .fallen') && document.querySelector('.live .coverage-machine .paper > div')?.shadowRoot?.querySelector('.seen'));
    await look('test');
    await person.click('.test .live button', 'Stop');
    // Traffic.
    await person.click('.files button', 'shipping.treaty');
    await person.click('.tabs button', 'Watch');
    await person.fill('watch-logs', 'traffic.jsonl');
    await person.click('#watch-follow');
    await person.click('.watch form button', 'Watch');
    await person.until('verdicts', () => document.querySelectorAll('.verdicts li').length > 2);
    await look('watch');
    await person.click('.watch .live button', 'Stop');
    // The same in the dark, on a phone.
    await person.click('header button', 'Dark');
    await person.click('.files button', 'withdraw.treaty');
    await person.page.setViewport({ width: 390, height: 740, deviceScaleFactor: 1 });
    await person.click('.tabs button', 'See');
    await person.seen('Withdraw');
    await look('phone');
  } finally {
    await browser.close();
    await served.stop();
  }
}

await main();
