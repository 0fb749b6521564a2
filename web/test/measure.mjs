// How fast the page is: first paint, typing, a large picture. Started by bench/workbench_page.py; prints one JSON object.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { browser as start, machine, Person, serve } from './person.mjs';

const { FOLDER, ROOT, PYTHON, LOADS = '20', KEYS = '400' } = process.env;
console.log = console.error; // the person's steps

const rank = (all, share) => all.sort((a, b) => a - b)[Math.min(Math.floor(all.length * share), all.length - 1)];
const summary = (all) => ({ p50: rank(all, 0.5), p99: rank(all, 0.99), most: rank(all, 1), count: all.length });

async function loading(browser, url) {
  const paints = [];
  const ready = [];
  let bytes = 0;
  for (let i = 0; i < Number(LOADS); ++i) {
    const page = await browser.newPage();
    const person = new Person(page);
    await page.goto(url);
    await page.waitForFunction(() => document.querySelector('.files button'), { polling: 10 });
    const found = await page.evaluate(() => ({
      paint: performance.getEntriesByName('first-contentful-paint')[0].startTime,
      ready: performance.now(),
      bytes: [...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')].reduce((sum, one) => sum + one.encodedBodySize, 0),
    }));
    paints.push(found.paint);
    ready.push(found.ready);
    bytes = found.bytes;
    person.messages = [];
    await page.close();
  }
  return { paint: summary(paints), ready: summary(ready), bytes };
}

// From a key to the end of the frame that shows its letter.
async function typing(person, file) {
  await person.click('.files button', file);
  await person.cursorAfter('// '); // in the comment of the first line
  await person.page.evaluate(() => {
    window.frames_ = [];
    window.treatyEditor.contentDOM.addEventListener('keydown', () => {
      const begin = performance.now();
      requestAnimationFrame(() => {
        const done = new MessageChannel();
        done.port1.onmessage = () => window.frames_.push(performance.now() - begin);
        done.port2.postMessage(0);
      });
    }, true);
  });
  await person.page.focus('.cm-content');
  for (let i = 0; i < Number(KEYS); ++i) {
    await person.page.keyboard.press(i % 40 === 39 ? 'Backspace' : 'a');
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return summary(await person.page.evaluate(() => window.frames_));
}

async function main() {
  mkdirSync(FOLDER, { recursive: true });
  for (const file of ['smtp/smtp.treaty', 'smtp/server.py', 'withdraw/withdraw.treaty']) copyFileSync(`${ROOT}/examples/${file}`, `${FOLDER}/${file.replace(/^.*\//, '')}`);
  writeFileSync(`${FOLDER}/machine.treaty`, machine);
  const served = await serve(FOLDER, '--allow-run');
  const browser = await start(`${FOLDER}-profile`);
  const person = new Person(await browser.newPage());
  try {
    const result = await loading(browser, served.url);
    await person.page.setViewport({ width: 1400, height: 850 });
    await person.open(served.url);
    await person.click('.files button', 'machine.treaty');
    await person.click('.tabs button', 'See');
    await person.until('the roles', () => document.querySelectorAll('.see select[aria-label="Highlight a role"] option').length === 3);
    const begin = Date.now();
    await person.click('.see .segmented button', 'Machine');
    await person.page.waitForFunction(() => (document.querySelector('.see .paper > div').shadowRoot?.querySelectorAll('.node').length ?? 0) > 400, { polling: 10 });
    result.picture = Date.now() - begin;
    await person.click('.see .segmented button', 'Chart');
    await person.click('.files button', 'smtp.treaty');
    result.typing = await typing(person, 'smtp.treaty');
    await person.click('.files button', 'withdraw.treaty');
    await person.click('.tabs button', 'Test');
    await person.fill('test-file', 'smtp.treaty');
    await person.fill('test-cut', 'server');
    await person.fill('test-run', `${PYTHON} server.py {port}`);
    await person.fill('test-via', 'tcp://127.0.0.1:{port}');
    await person.fill('test-silence', '20s');
    await person.fill('test-sessions', '1000000');
    await person.click('.test form button', 'Start the campaign');
    await person.until('a campaign runs', () => document.querySelector('.test .live .numbers'));
    result.typingWithCampaign = await typing(person, 'withdraw.treaty');
    process.stdout.write(JSON.stringify(result) + '\n');
  } finally {
    await browser.close();
    await served.stop();
  }
}

await main();
