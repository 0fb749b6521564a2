// What a person does on the page, in Chromium: writes, sees, asks, walks, tests, watches, shares. Started by
// scripts/check_workbench.py, which gives the program, the page and the folders. Prints "ok ..." or "fault ...".
import { spawn } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import puppeteer from 'puppeteer-core';

const { TREATY, PAGE, CHROMIUM, FOLDER, ROOT, PICTURES, PYTHON } = process.env;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WAIT = 60000; // only reached if something is broken
let faults = 0;

function check(what, good, found = '') {
  if (!good) faults += 1;
  console.log(good ? `ok ${what}` : `fault ${what}: ${String(found).slice(0, 1500)}`);
}

function serve(folder, ...options) {
  const program = spawn(TREATY, ['serve', folder, '--no-browser', '--page', PAGE, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let text = '';
    program.stdout.on('data', (data) => {
      text += data;
      const url = /(https?:\S+)\n/.exec(text)?.[1];
      if (url) resolve({ program, url, stop: () => new Promise((ended) => { program.on('exit', ended); program.kill('SIGTERM'); }) });
    });
    program.on('exit', () => reject(new Error(`treaty serve has ended: ${text}`)));
  });
}

// A tab with the words that the checks use.
class Person {
  constructor(page) {
    this.page = page;
    this.messages = [];
    page.on('console', (message) => { if (message.type() === 'error' || message.type() === 'warn') this.messages.push(message.text()); });
    page.on('pageerror', (error) => this.messages.push(error.stack ?? error.message));
    page.on('request', (request) => { if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(this.url ?? 'http://127.0.0.1')) this.messages.push(`request of ${request.url()}`); });
  }
  async open(url) {
    this.url = url.replace(/#.*/, '');
    await this.page.goto(url);
    await this.until('the editor is connected', () => document.querySelector('.state.good'));
  }
  async until(what, condition, ...given) {
    try {
      await this.page.waitForFunction(condition, { timeout: WAIT, polling: 30 }, ...given);
      console.log(`ok ${what}`);
      return true;
    } catch (error) {
      check(what, false, `${error.message}\n${await this.page.evaluate(() => document.body.innerText)}`);
      throw new Error(what);
    }
  }
  text(selector) {
    return this.page.evaluate((s) => document.querySelector(s)?.innerText ?? '', selector);
  }
  // Clicks where the element is, as a mouse does.
  async click(selector, text = '') {
    const found = await this.page.waitForFunction((s, t) => [...document.querySelectorAll(s)].find((one) => one.offsetParent !== null && !one.disabled && one.textContent.includes(t)), { timeout: WAIT, polling: 30 }, selector, text);
    await found.evaluate((one) => one.scrollIntoView({ block: 'center', inline: 'nearest' }));
    await found.click();
  }
  async fill(id, value) {
    await this.page.waitForSelector(`#${id}`, { visible: true, timeout: WAIT });
    await this.page.focus(`#${id}`);
    await this.page.evaluate((i) => document.getElementById(i).select(), id);
    await this.page.keyboard.press('Backspace');
    await this.page.keyboard.type(value);
  }
  // What the picture shows, as text.
  picture() {
    return this.page.evaluate(() => document.querySelector('.see .paper > div')?.shadowRoot?.textContent ?? '');
  }
  seen(word, present = true) {
    return this.until(`the picture ${present ? 'shows' : 'does not show'} ${word}`, (w, p) => {
      const text = document.querySelector('.see .paper > div')?.shadowRoot?.textContent ?? '';
      return text !== '' && text.includes(w) === p;
    }, word, present);
  }
  // Puts the cursor after a part of the text.
  async cursorAfter(part) {
    await this.page.evaluate((p) => {
      const view = window.treatyEditor;
      view.focus();
      view.dispatch({ selection: { anchor: view.state.doc.toString().indexOf(p) + p.length }, scrollIntoView: true });
    }, part);
  }
  content() {
    return this.page.evaluate(() => window.treatyEditor.state.doc.toString());
  }
  async look(name) {
    if (!PICTURES) return;
    await this.page.screenshot({ path: `${PICTURES}/${name}.png` });
  }
  async accessible(what) {
    await this.page.evaluate(axe);
    const found = await this.page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'], rules: { 'target-size': { enabled: false } } }));
    check(`${what}: accessible`, found.violations.length === 0, found.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 150)} ${node.any[0]?.message ?? ''}`).join(' | ')}`).join('\n'));
  }
  quiet(what) {
    check(`${what}: nothing on the console, no request elsewhere`, this.messages.length === 0, this.messages.join('\n'));
    this.messages = [];
  }
}

async function writing(person) {
  await person.until('the files of the folder are listed', () => [...document.querySelectorAll('.files button')].some((one) => one.textContent === 'withdraw.treaty'));
  await person.look('learn');
  await person.accessible('Learn');
  await person.click('.files button', 'withdraw.treaty');
  await person.click('.tabs button', 'See');
  await person.seen('authW');
  await person.until('no problem', () => document.querySelector('.problems')?.innerText.includes('none'));
  // A mistake, its problem, and the fix that is offered.
  await person.cursorAfter('A -> B');
  await person.page.keyboard.press('Backspace');
  await person.page.keyboard.type('D');
  await person.until('the mistake is a problem', () => /not a role/.test(document.querySelector('.problems li.error')?.innerText ?? ''));
  await person.until('the old picture stays, and says so', () => document.querySelector('.drawing.stale') && /last text that could be read/.test(document.querySelector('.see .hint')?.innerText ?? ''));
  await person.until('a fix is offered', () => document.querySelector('.problems .fix'));
  await person.look('problem');
  await person.accessible('See, with a problem');
  const before = await person.content();
  await person.click('.problems .fix');
  check('the fix changes the text', (await person.content()) !== before, await person.content());
  await person.until('the problem is gone', () => !/not a role/.test(document.querySelector('.problems')?.innerText ?? ''));
  await person.seen('D');
  // Undo all of it, then another message.
  for (let i = 0; i < 8 && !(await person.content()).includes('A -> B: authW'); ++i) {
    await person.page.focus('.cm-content');
    await person.page.keyboard.down('Control');
    await person.page.keyboard.press('z');
    await person.page.keyboard.up('Control');
  }
  check('undo brings the text back', (await person.content()).includes('A -> B: authW'), await person.content());
  await person.cursorAfter('A -> B: auth');
  await person.page.keyboard.type('orize');
  await person.seen('authorizeW');
  check('without flicker: one picture', (await person.page.$$('.see .paper')).length === 1);
}

async function editorHelp(person) {
  await person.cursorAfter('  A -> C: money\n');
  await person.page.keyboard.type('    B -> ');
  await person.until('completion offers the roles', () => /[AC]/.test(document.querySelector('.cm-tooltip-autocomplete')?.innerText ?? ''));
  await person.page.keyboard.press('Escape');
  await person.page.keyboard.down('Shift');
  await person.page.keyboard.press('Home');
  await person.page.keyboard.up('Shift');
  await person.page.keyboard.press('Backspace');
  const place = await person.page.evaluate(() => {
    const view = window.treatyEditor;
    const at = view.coordsAtPos(view.state.doc.toString().indexOf('Withdraw(') + 2);
    return { x: at.left, y: (at.top + at.bottom) / 2 };
  });
  await person.page.mouse.move(place.x + 40, place.y + 40);
  await person.page.mouse.move(place.x, place.y);
  await person.until('hovering explains', () => document.querySelector('.cm-tooltip-hover')?.innerText.trim());
  await person.page.mouse.move(5, 400);
}

async function seeing(person) {
  for (const [title, word] of [['Graph', 'authorizeW'], ['Machine', 'withdraw'], ['Net', 'authorizeW'], ['Pomset', 'withdraw'], ['States', 'authorizeW']]) {
    await person.click('.see .segmented button', title);
    await person.seen(word);
  }
  await person.click('.see .segmented button', 'Machine');
  await person.page.select('.see select[aria-label=Role]', 'B');
  await person.seen('A?authorizeW');
  await person.look('machine');
  await person.click('.see .segmented button', 'Chart');
  await person.seen('chosen by B');
  // From the picture to the line, and back.
  const arrow = await person.page.evaluateHandle(() => [...document.querySelector('.see .paper > div').shadowRoot.querySelectorAll('text')].find((one) => one.textContent === 'bye'));
  await arrow.click();
  await person.until('a click on an arrow leads to its line', () => document.querySelector('.cm-marked-line')?.textContent.includes('bye'));
  await person.cursorAfter('B -> A: allow');
  await person.until('the line of the cursor is marked in the picture', () => [...document.querySelector('.see .paper > div').shadowRoot.querySelectorAll('.marked')].some((one) => one.textContent.trim() === 'allow'));
  await person.page.type('.see input[type=search]', 'money');
  await person.until('find counts', () => document.querySelector('.zoom')?.innerText.includes('1 found'));
  await person.page.focus('.see .frame');
  const zoom = await person.text('.zoom .muted:not([role])');
  await person.page.keyboard.press('+');
  await person.until('plus enlarges', (before) => document.querySelector('.zoom .muted:not([role])').innerText !== before, zoom);
}

async function large(person) {
  await person.click('.files button', 'machine.treaty');
  await person.click('.see .segmented button', 'Machine');
  await person.until('the roles are known', () => document.querySelector('.see select[aria-label=Role] option:nth-child(3)'));
  await person.page.select('.see select[aria-label=Role]', 'A');
  await person.seen('m331');
  const size = await person.page.evaluate(() => {
    const svg = document.querySelector('.see .paper > div').shadowRoot.querySelector('svg');
    return { width: svg.width.baseVal.value, height: svg.height.baseVal.value, states: svg.querySelectorAll('.node').length, overview: !document.querySelector('.see .overview').hidden };
  });
  check('a machine of 500 states is in rows, with an overview', size.width < 6000 && size.width < 3 * size.height && size.states >= 490 && size.overview, JSON.stringify(size));
  await person.look('large');
  await person.click('.see .segmented button', 'Chart');
}

async function asking(person) {
  await person.click('.files button', 'stuck.treaty');
  await person.click('.tabs button', 'Ask');
  await person.page.select('#ask-question', 'explore');
  await person.accessible('Ask');
  await person.click('.ask form button', 'Ask');
  await person.until('the verdict', () => document.querySelector('.asked .badge.fails') && /never received/.test(document.querySelector('.asked .verdict')?.innerText ?? ''));
  await person.until('the report of the terminal', () => /states, .*transitions/.test(document.querySelector('.asked .report')?.innerText ?? ''));
  const events = await person.page.$$eval('.asked .run .event', (all) => all.length);
  check('the counterexample is a chart', events >= 2, events);
  await person.click('.asked .walk button', '«');
  await person.until('before the first event', () => /before the first/.test(document.querySelector('.asked .walk .bar').innerText));
  let waiting = false;
  for (let i = 1; i <= events; ++i) {
    await person.click('.asked .walk button', 'Next');
    await person.until(`event ${i}`, (n) => document.querySelector('.asked .walk .bar').innerText.includes(`event ${n} of`) && document.querySelectorAll('.asked .run .event:not(.later)').length === n, i);
    waiting ||= /→/.test((await person.text('.asked .facts dd:nth-of-type(2)')));
  }
  check('channels are shown on the way', waiting);
  check('the ending is explained', /never received/.test(await person.text('.asked .facts .bad')), await person.text('.asked .facts'));
  await person.look('counterexample');
  await person.accessible('Ask, with an answer');
  await person.click('.asked .segmented button', 'JSON');
  await person.until('the answer as JSON', () => JSON.parse(document.querySelector('.asked .report').innerText).verb === 'explore');
  // A question that takes long, and is cancelled.
  await person.click('.files button', 'large.treaty');
  await person.click('.ask .more summary');
  await person.click('#ask-explore-every-interleaving');
  await person.click('.ask form button', 'Ask');
  await person.until('progress', () => /states/.test(document.querySelector('.asked .running')?.innerText ?? ''));
  await person.click('.asked button', 'Cancel');
  await person.until('cancelled', () => document.querySelector('.asked')?.innerText.includes('cancelled'));
}

async function stepping(person) {
  await person.click('.files button', 'withdraw.treaty');
  await person.click('.tabs button', 'Step');
  await person.click('.enabled .event', 'withdraw');
  await person.until('one event was taken', () => /after 1 event/.test(document.querySelector('.step').innerText));
  await person.click('.enabled .event', 'authorizeW');
  await person.until('the bank can choose', () => document.querySelectorAll('.enabled .event').length === 2);
  await person.look('step');
  await person.accessible('Step');
  await person.click('.enabled .event', 'deny');
  await person.click('.enabled .event', 'bye');
  await person.until('the conversation is over', () => /conversation is over/.test(document.querySelector('.step').innerText));
  check('four events in the chart', (await person.page.$$('.step .run .event')).length === 4);
  await person.click('.step button', 'Back');
  await person.until('back', () => /after 3 events/.test(document.querySelector('.step').innerText));
  await person.page.select('.step .bar select:not([value])', '');
  await person.click('.step button', 'Save the run');
  await person.until('the run is a file', () => [...document.querySelectorAll('.opened button')].some((one) => one.textContent.includes('walk.json')));
  check('with its events', JSON.parse(await person.content()).events.length === 3, await person.content());
}

async function testing(person) {
  await person.click('.files button', 'smtp.treaty');
  await person.click('.tabs button', 'Test');
  await person.until('the roles are known', () => document.querySelectorAll('#test-cut-list option').length === 2);
  await person.fill('test-cut', 'server');
  await person.fill('test-run', `${PYTHON} server.py {port} --bug rset`);
  await person.fill('test-via', 'tcp://127.0.0.1:{port}');
  await person.fill('test-silence', '20s');
  await person.accessible('Test');
  await person.click('.test form button', 'Start the campaign');
  await person.until('a failure is found', () => document.querySelector('.test .answer .badge.fails'));
  await person.until('its chart', () => document.querySelectorAll('.test .run .event').length >= 2);
  await person.until('the machine with its coverage', () => document.querySelector('.coverage-machine .paper > div')?.shadowRoot?.querySelector('.seen'));
  await person.until('the failure is kept', () => document.querySelectorAll('.kept li').length === 1);
  await person.look('test');
  await person.click('.kept button', 'Replay');
  await person.until('the replay fails again', () => { const answer = document.querySelector('.test .answer'); return answer && JSON.parse(JSON.stringify(answer.innerText)).includes('fails') && !document.querySelector('.coverage-machine'); });
  await person.accessible('Test, with a failure');
}

async function watching(person, folder) {
  const lines = readFileSync(`${ROOT}/examples/shipping/traffic.jsonl`, 'utf8').trim().split('\n');
  writeFileSync(`${folder}/live.jsonl`, lines[0] + '\n');
  await person.click('.files button', 'shipping.treaty');
  await person.click('.tabs button', 'Watch');
  await person.fill('watch-logs', 'live.jsonl');
  await person.click('#watch-follow');
  await person.accessible('Watch');
  await person.click('.watch form button', 'Watch');
  await person.until('it is watched', () => /live sessions/.test(document.querySelector('.watch .live')?.innerText ?? ''));
  appendFileSync(`${folder}/live.jsonl`, lines.slice(1).join('\n') + '\n');
  await person.until('the deviation appears while it is watched', () => document.querySelector('.watch .live') && /Response/.test(document.querySelector('.watch .verdicts')?.innerText ?? ''));
  await person.look('watch');
  await person.click('.watch .live button', 'Stop watching');
  await person.until('the report', () => /violates Shipping/.test(document.querySelector('.watch .answer')?.innerText ?? ''));
  check('the first deviation is drawn', (await person.page.$$('.watch .run .event')).length >= 1);
}

async function learning(person) {
  await person.click('.tabs button', 'Learn');
  await person.click('.dots button', '4');
  await person.click('.tour button', 'Explore a protocol');
  await person.until('the tour asks by itself', () => document.querySelector('.asked')?.querySelector('.badge')?.innerText);
  await person.click('.tabs button', 'Learn');
  await person.until('the published examples', () => document.querySelectorAll('.examples li').length >= 11);
  await person.click('.examples li:nth-child(2) button', 'Open');
  await person.until('an example is one click away', () => window.treatyEditor.state.doc.toString().includes('protocol Atm'));
}

async function sharing(person, browser) {
  await person.click('header button', 'Share');
  await person.until('a link', () => document.querySelector('.share textarea')?.value.includes('#t='));
  const link = await person.page.$eval('.share textarea', (one) => one.value);
  await person.accessible('Share');
  await person.click('.share button', 'Close');
  const other = new Person(await browser.newPage());
  await other.page.setViewport({ width: 1200, height: 800 });
  await other.open(link);
  await other.until('the link brings the text', () => window.treatyEditor.state.doc.toString().includes('protocol Atm'));
  await other.seen('auth');
  check('and leaves the address clean', !(await other.page.url()).includes('#'), other.page.url());
  other.quiet('a shared link');
  await other.open(person.url + '#t=' + 'A'.repeat(500));
  await other.until('a damaged link is reported', () => /damaged/.test(document.querySelector('.note')?.innerText ?? ''));
  await other.page.close();
}

async function saving(person, folder) {
  await person.click('.files button', 'withdraw.treaty');
  await person.page.focus('.cm-content');
  await person.page.keyboard.down('Control');
  await person.page.keyboard.press('s');
  await person.page.keyboard.up('Control');
  await person.until('it is saved', () => /is saved/.test(document.querySelector('.note')?.innerText ?? ''));
  check('the file has the text of the editor', readFileSync(`${folder}/withdraw.treaty`, 'utf8') === (await person.content()));
}

async function pasting(person) {
  const before = await person.content();
  await person.page.evaluate(() => {
    const data = new DataTransfer();
    data.setData('text/plain', 'x'.repeat(100 << 20));
    document.querySelector('.cm-content').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await person.until('100 MB are refused', () => /at most 4 MB/.test(document.querySelector('.note')?.innerText ?? ''));
  check('and the text is as before', (await person.content()) === before);
  await person.click('.note button');
}

async function looks(person) {
  await person.click('.tabs button', 'See');
  await person.seen('withdraw');
  await person.click('header button', 'Dark');
  await person.until('dark', () => document.documentElement.dataset.theme === 'dark');
  await person.accessible('dark');
  await person.look('dark');
  await person.click('.tabs button', 'Ask');
  await person.accessible('Ask, dark');
  await person.click('header button', 'Light');
  await person.page.setViewport({ width: 390, height: 780, isMobile: false });
  await person.click('.tabs button', 'See');
  await person.until('on a phone nothing sticks out', () => document.documentElement.scrollWidth <= innerWidth);
  await person.look('phone');
  await person.accessible('phone');
  await person.page.setViewport({ width: 1400, height: 850 });
}

// Typing while a campaign runs: the time from a key to the next frame.
async function typing(person) {
  await person.click('.tabs button', 'Test');
  await person.fill('test-run', `${PYTHON} server.py {port}`);
  await person.fill('test-sessions', '1000000');
  await person.click('.test form button', 'Start the campaign');
  await person.until('a campaign runs', () => /failures/.test(document.querySelector('.test .live')?.innerText ?? ''));
  await person.cursorAfter('protocol');
  const before = (await person.content()).length;
  await person.page.keyboard.type('abcdefghij');
  check('what is typed is there while a campaign runs', (await person.content()).length === before + 10 && (await person.page.$('.test .live')) !== null);
  await person.click('.test .live button', 'Stop');
  await person.until('the campaign has stopped', () => !document.querySelector('.test .live'));
}

async function lost(person, served) {
  await served.stop();
  await person.until('a lost connection is shown', () => /disconnected/.test(document.querySelector('.state')?.innerText ?? ''));
}

async function main() {
  mkdirSync(FOLDER, { recursive: true });
  for (const file of ['withdraw/withdraw.treaty', 'smtp/smtp.treaty', 'smtp/server.py', 'shipping/shipping.treaty']) copyFileSync(`${ROOT}/examples/${file}`, `${FOLDER}/${file.replace(/^.*\//, '')}`);
  writeFileSync(`${FOLDER}/stuck.treaty`, 'protocol Stuck(a, b, c) {\n  choice at a {\n    a -> b: x\n    b -> c: y\n  } or {\n    a -> b: z\n    c -> b: w\n  }\n}\n');
  writeFileSync(`${FOLDER}/machine.treaty`, `protocol Big(A, B) {\n${[...Array(166).keys()].map((i) => `  choice at A {\n    A -> B: m${2 * i}\n    B -> A: r${2 * i}\n  } or {\n    A -> B: m${2 * i + 1}\n    B -> A: r${2 * i + 1}\n  }\n`).join('')}}\n`);
  const pairs = [...Array(14).keys()];
  writeFileSync(`${FOLDER}/large.treaty`, `protocol Large(${pairs.map((i) => `a${i}, b${i}`).join(', ')}) {\n  par {\n${pairs.map((i) => `    a${i} -> b${i}: x${i}\n    b${i} -> a${i}: y${i}\n    a${i} -> b${i}: z${i}`).join('\n  } and {\n')}\n  }\n}\n`);
  const served = await serve(FOLDER, '--allow-run');
  const browser = await puppeteer.launch({
    executablePath: CHROMIUM, headless: true, userDataDir: `${FOLDER}-profile`,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
  });
  const person = new Person(await browser.newPage());
  try {
    await person.page.setViewport({ width: 1400, height: 850 });
    await person.open(served.url);
    const steps = { writing, editorHelp, seeing, large, asking, stepping, testing, watching: () => watching(person, FOLDER), learning, sharing: () => sharing(person, browser), saving: () => saving(person, FOLDER), pasting, looks, typing: async () => { await person.click('.files button', 'smtp.treaty'); await typing(person); } };
    for (const [name, step] of Object.entries(steps)) {
      await step(person);
      person.quiet(name);
    }
    await lost(person, served);
  } catch (error) {
    check('no step was cut short', false, error.stack);
    if (PICTURES) await person.page.screenshot({ path: `${PICTURES}/fault.png` });
  } finally {
    await browser.close();
    served.program.kill('SIGTERM');
  }
  process.exit(faults ? 1 : 0);
}

await main();
