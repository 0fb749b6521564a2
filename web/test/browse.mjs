// What a person does on the page, in Chromium: writes, sees, asks, walks, tests, watches, shares. Started by
// scripts/check_workbench.py, which gives the program, the page and the folders. Prints "ok ..." or "fault ...".
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { browser as start, check, checked, large as manyStates, machine, Person, serve } from './person.mjs';

const { FOLDER, ROOT, PICTURES, PYTHON } = process.env;

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

// A name that two files share: its definition is in the other one, and renaming changes both.
async function twoFiles(person) {
  await person.click('.files button', 'uses.treaty');
  await person.until('no problem in the file that imports', () => window.treatyEditor.state.doc.toString().includes('a -> b: parcel') && document.querySelector('.problems')?.innerText.includes('none') && document.querySelector('.cm-lenses'));
  await person.cursorAfter('a -> b: parc');
  await person.page.keyboard.press('F2');
  await person.until('the new name is asked for', () => document.activeElement?.closest('.cm-dialog, .cm-panel'));
  await person.page.keyboard.down('Control');
  await person.page.keyboard.press('a');
  await person.page.keyboard.up('Control');
  await person.page.keyboard.type('crate');
  await person.page.keyboard.press('Enter');
  await person.until('it is renamed here', () => window.treatyEditor.state.doc.toString().includes('a -> b: crate'));
  await person.until('and in the file that declares it, which is open now and not saved', () => [...document.querySelectorAll('.opened .file')].some((one) => /shared.treaty.*•/.test(one.innerText)));
  await person.until('without a problem', () => document.querySelector('.problems')?.innerText.includes('none'));
  await person.cursorAfter('a -> b: cr');
  await person.page.keyboard.press('F12');
  await person.until('its definition is shown', () => /^message crate/.test(window.treatyEditor.state.doc.toString()));
}

async function seeing(person) {
  for (const [title, word] of [['Graph', 'authorizeW'], ['Machine', 'withdraw'], ['Net', 'authorizeW'], ['Pomset', 'withdraw'], ['States', 'authorizeW']]) {
    await person.click('.see .segmented button', title);
    await person.seen(word);
  }
  await person.click('.see .segmented button', 'Machine');
  await person.choose('.see select[aria-label=Role]', 'B');
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
  // One role, the rest faint; a block folded and unfolded by its corner.
  await person.choose('.see select[aria-label="Highlight a role"]', 'C');
  await person.until('what is not about C is faint', () => { const texts = [...document.querySelector('.see .paper > div').shadowRoot.querySelectorAll('text')]; const faint = (word) => !!texts.find((one) => one.textContent === word)?.closest('.faded'); return faint('allow') && faint('authorizeW') && !faint('bye') && !faint('withdraw'); });
  await person.look('highlight');
  await person.choose('.see select[aria-label="Highlight a role"]', '');
  const corner = () => person.page.evaluateHandle(() => document.querySelector('.see .paper > div').shadowRoot.querySelector('.block .tab'));
  await (await corner()).click();
  await person.seen('4 messages');
  await person.seen('allow', false);
  await (await corner()).click();
  await person.seen('allow');
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
  await person.choose('.see select[aria-label=Role]', 'A');
  await person.until('the machine of one role', () => (document.querySelector('.see .paper > div').shadowRoot?.querySelectorAll('.node').length ?? 0) > 400 && document.querySelector('.see .paper > div').shadowRoot.textContent.includes('B!m331'));
  const size = await person.page.evaluate(() => {
    const svg = document.querySelector('.see .paper > div').shadowRoot.querySelector('svg');
    return { width: svg.width.baseVal.value, height: svg.height.baseVal.value, states: svg.querySelectorAll('.node').length, overview: !document.querySelector('.see .overview').hidden };
  });
  check('a machine of 500 states is in rows, with an overview', size.width < 6000 && size.width < 3 * size.height && size.states >= 490 && size.overview, JSON.stringify(size));
  await person.look('large');
  await person.click('.see .segmented button', 'Chart');
}

// Lenses above the protocol, names in colour.
async function lenses(person) {
  await person.click('.files button', 'withdraw.treaty');
  await person.until('roles have a colour', () => document.querySelectorAll('.cm-token-class').length > 5);
  await person.click('.files button', 'shipping.treaty');
  await person.choose('.outline', '31');
  await person.until('the outline leads to a property', () => { const { state } = window.treatyEditor; return state.doc.lineAt(state.selection.main.head).text.startsWith('property NoEarlyCommit'); });
  await person.click('.files button', 'withdraw.treaty');
  await person.until('the lenses of the protocol', () => window.treatyEditor.state.doc.toString().includes('protocol Withdraw') && document.querySelector('.cm-lenses'));
  await person.click('.cm-lenses button', 'check');
  await person.until('a lens asks', () => document.querySelector('.asked')?.innerText.includes('Check') && document.querySelector('.asked .badge')?.innerText === 'holds');
  await person.click('.asked button[aria-label^=Remove]');
  await person.click('.cm-lenses button', 'step');
  await person.until('a lens begins a walk', () => document.querySelector('.step .enabled .event'));
  await person.click('.cm-lenses button', 'draw');
  await person.seen('chosen by B');
}

async function asking(person) {
  await person.click('.files button', 'stuck.treaty');
  await person.click('.tabs button', 'Ask');
  await person.choose('#ask-question', 'explore');
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
  await person.until('the configuration is drawn', () => /can act: 2/.test(document.querySelector('.configuration li.active:last-child')?.innerText ?? ''));
  await person.look('step');
  await person.accessible('Step');
  await person.click('.enabled .event', 'deny');
  await person.click('.enabled .event', 'bye');
  await person.until('the conversation is over', () => /conversation is over/.test(document.querySelector('.step').innerText));
  check('four events in the chart', (await person.page.$$('.step .run .event')).length === 4);
  await person.click('.step button', 'Back');
  await person.until('back', () => /after 3 events/.test(document.querySelector('.step').innerText));
  await person.click('.step button', 'Save as a test');
  await person.choose('#walk-cut', 'B');
  await person.accessible('Step, saving a test');
  await person.click('.step .card button', 'Make the test');
  await person.until('the test is a file', () => window.treatyEditor.state.doc.toString().includes('"treaty_run"'));
  const test = JSON.parse(await person.content());
  check('with what B gets and sends', test.cut === 'B' && test.file === 'withdraw.treaty' && test.exchanges.map((one) => one.message).join(' ') === 'withdraw authorizeW deny', JSON.stringify(test));
  await person.click('.files button', 'withdraw.treaty');
  await person.click('.enabled .event', 'withdraw');
  await person.click('.enabled .event', 'authorizeW');
  await person.click('.enabled .event', 'deny');
  await person.until('three events again', () => /after 3 events/.test(document.querySelector('.step').innerText));
  await person.click('.step button', 'Save the run');
  await person.until('the run is a file', () => [...document.querySelectorAll('.opened button')].some((one) => one.textContent.includes('walk.json')));
  check('with its events', JSON.parse(await person.content()).events.length === 3, await person.content());
}

// The HTML report that the page saves, opened from the disk.
async function report(person, browser, folder) {
  const client = await person.page.createCDPSession();
  await client.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
  await person.click('.test button', 'Save as an HTML report');
  for (let i = 0; i < 600 && !existsSync(`${folder}/report.html`); ++i) await new Promise((resolve) => setTimeout(resolve, 50));
  const other = new Person(await browser.newPage());
  other.url = `file://${folder}/report.html`;
  await other.page.setViewport({ width: 1200, height: 900 });
  await other.page.goto(other.url);
  for (const scheme of ['light', 'dark']) {
    await other.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await other.accessible(`the report, ${scheme}`);
    if (PICTURES) await other.page.screenshot({ path: `${PICTURES}/report-${scheme}.png`, fullPage: true });
  }
  const facts = await other.text('.about');
  for (const fact of [/date\s+\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/, /duration\s+[\d.]+ s/, /seed\s+0/, /version\s+treaty \d/, /treaty test smtp.treaty --cut server --run/]) check(`the report states ${fact}`, fact.test(facts), facts);
  const row = await other.text('.sessions tbody tr');
  check('a session with its messages, bytes and time', /^\d+\t[\w ]+\t\d+\t[1-9]\d*\t[1-9]\d*\t[\d.]+ ms$/.test(row.trim()), row);
  const before = await other.text('.percent');
  await other.click('.larger');
  check('its machine can be enlarged', before !== '' && (await other.text('.percent')) !== before, before);
  other.quiet('the report');
  await other.page.close();
}

async function testing(person, browser, folder) {
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
  await person.until('the list of sessions', () => /^\d+\t/.test(document.querySelector('.test .list tbody tr')?.innerText ?? ''));
  await person.until('the same in a terminal', () => /^treaty test smtp.treaty --cut server/.test(document.querySelector('.test .command')?.innerText ?? ''));
  await person.look('test');
  await report(person, browser, folder);
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
  await person.until('properties with their counts', () => /property Quoted\t0\t1/.test(document.querySelector('.watch .list')?.innerText ?? ''));
  check('the first deviation is drawn', (await person.page.$$('.watch .run .event')).length >= 1);
}

async function learning(person) {
  await person.click('.tabs button', 'Learn');
  await person.click('.dots button', '4');
  await person.click('.tour button', 'Explore a protocol');
  await person.until('the tour finds the deadlock', () => document.querySelector('.asked .badge.fails'));
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
  await other.noted('a damaged link is reported', 'damaged');
  await other.page.close();
}

async function saving(person, folder) {
  await person.click('.files button', 'withdraw.treaty');
  await person.page.focus('.cm-content');
  await person.page.keyboard.down('Control');
  await person.page.keyboard.press('s');
  await person.page.keyboard.up('Control');
  await person.noted('it is saved', 'withdraw.treaty is saved');
  check('the file has the text of the editor', readFileSync(`${folder}/withdraw.treaty`, 'utf8') === (await person.content()));
}

async function pasting(person) {
  const before = await person.content();
  await person.page.evaluate(() => {
    const data = new DataTransfer();
    data.setData('text/plain', 'x'.repeat(100 << 20));
    document.querySelector('.cm-content').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await person.noted('100 MB are refused', 'at most 4 MB');
  check('and the text is as before', (await person.content()) === before);
  await person.click('.note button');
}

async function looks(person) {
  await person.page.keyboard.down('Alt');
  await person.page.keyboard.press('2');
  await person.page.keyboard.up('Alt');
  await person.until('Alt-2 chooses the second panel', () => document.querySelector('.tabs [aria-current]').innerText === 'Ask');
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
  await person.click('.test .settings > summary');
  await person.fill('test-run', `${PYTHON} server.py {port}`);
  await person.fill('test-sessions', '1000000');
  await person.click('.test form button', 'Start the campaign');
  await person.until('a campaign runs', () => /failures/.test(document.querySelector('.test .live')?.innerText ?? ''));
  await person.until('coverage grows on the machine', () => document.querySelector('.live .coverage-machine .paper > div')?.shadowRoot?.querySelector('.edge.seen'));
  await person.look('campaign');
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
  writeFileSync(`${FOLDER}/shared.treaty`, 'message parcel(weight: int)\n');
  writeFileSync(`${FOLDER}/uses.treaty`, 'import "shared.treaty"\n\nprotocol Uses(a, b) {\n  a -> b: parcel\n}\n');
  writeFileSync(`${FOLDER}/machine.treaty`, machine);
  writeFileSync(`${FOLDER}/large.treaty`, manyStates);
  const served = await serve(FOLDER, '--allow-run');
  const browser = await start(`${FOLDER}-profile`);
  const person = new Person(await browser.newPage());
  try {
    await person.page.setViewport({ width: 1400, height: 850 });
    await person.open(served.url);
    const steps = { writing, editorHelp, twoFiles, back: () => person.click('.files button', 'withdraw.treaty'), seeing, large, lenses, asking, stepping, testing: () => testing(person, browser, FOLDER), watching: () => watching(person, FOLDER), learning, sharing: () => sharing(person, browser), saving: () => saving(person, FOLDER), pasting, looks, typing: async () => { await person.click('.files button', 'smtp.treaty'); await typing(person); } };
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
  process.exit(checked.faults ? 1 : 0);
}

await main();
