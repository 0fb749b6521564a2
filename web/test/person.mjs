// Treaty's page in Chromium, for scripts: the workbench on a folder, and a tab with the words of a person. `checked` counts faults and
// prints "ok ..." or "fault ...".
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import puppeteer from 'puppeteer-core';

const { TREATY, PAGE, CHROMIUM, PICTURES } = process.env;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WAIT = 60000; // only reached if something is broken

export const checked = { faults: 0 };

export function check(what, good, found = '') {
  if (!good) checked.faults += 1;
  console.log(good ? `ok ${what}` : `fault ${what}: ${String(found).slice(0, 1500)}`);
}

export function serve(folder, ...options) {
  const page = PAGE ? ['--page', PAGE] : []; // else the one in the program
  const program = spawn(TREATY, ['serve', folder, '--no-browser', ...page, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
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

// Runs in the page before its scripts: keeps the text of every note.
function keepNotes() {
  window.notes = [];
  new MutationObserver(() => {
    const text = document.querySelector('.note')?.innerText;
    if (text && text !== window.notes.at(-1)) window.notes.push(text);
  }).observe(document, { childList: true, subtree: true, characterData: true });
}

// A tab with the words that the checks use.
export class Person {
  constructor(page) {
    this.page = page;
    this.messages = [];
    page.on('console', (message) => { if (message.type() === 'error' || message.type() === 'warn') this.messages.push(message.text()); });
    page.on('pageerror', (error) => this.messages.push(error.stack ?? error.message));
    page.on('request', (request) => { if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(this.url ?? 'http://127.0.0.1')) this.messages.push(`request of ${request.url()}`); });
  }
  async open(url) {
    this.url = url.replace(/#.*/, '');
    this.keepsNotes ??= await this.page.evaluateOnNewDocument(keepNotes);
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
  // A note that has been shown since the last question, even if it is gone by now: a busy machine may look too late.
  async noted(what, word) {
    await this.until(what, (w) => window.notes.some((one) => one.includes(w)), word);
    await this.page.evaluate(() => { window.notes.length = 0; });
  }
  text(selector) {
    return this.page.evaluate((s) => document.querySelector(s)?.innerText ?? '', selector);
  }
  // Clicks where the element is, as a mouse does, once it has been there for two looks: the page may draw it anew at any time.
  async click(selector, text = '') {
    const found = await this.page.waitForFunction((s, t) => {
      const one = [...document.querySelectorAll(s)].find((each) => each.offsetParent !== null && !each.disabled && each.textContent.includes(t));
      if (!one) return false;
      one.scrollIntoView({ block: 'center', inline: 'nearest' });
      const { left, top, width, height } = one.getBoundingClientRect();
      const place = [left + width / 2, top + height / 2];
      const last = window.lastPlace;
      window.lastPlace = [s, t, ...place];
      return last && last.every((each, i) => each === window.lastPlace[i]) && place;
    }, { timeout: WAIT, polling: 30 }, selector, text);
    const [x, y] = await found.jsonValue();
    await this.page.evaluate(() => { delete window.lastPlace; });
    await this.page.mouse.click(x, y);
  }
  async fill(id, value) {
    await this.page.waitForSelector(`#${id}`, { visible: true, timeout: WAIT });
    await this.page.focus(`#${id}`);
    await this.page.evaluate((i) => document.getElementById(i).select(), id);
    await this.page.keyboard.press('Backspace');
    await this.page.keyboard.type(value);
  }
  // Chooses in a list, as soon as it has that choice.
  async choose(selector, value) {
    await this.page.waitForFunction((s, v) => [...(document.querySelector(s)?.options ?? [])].some((one) => one.value === v), { timeout: WAIT, polling: 30 }, selector, value);
    await this.page.select(selector, value);
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

export function browser(profile) {
  return puppeteer.launch({
    executablePath: CHROMIUM, headless: true, userDataDir: profile,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
  });
}

// A machine of about 500 states; and pairs that talk side by side, with more configurations than anybody waits for.
const pairs = [...Array(14).keys()];
export const machine = `protocol Big(A, B) {\n${[...Array(166).keys()].map((i) => `  choice at A {\n    A -> B: m${2 * i}\n    B -> A: r${2 * i}\n  } or {\n    A -> B: m${2 * i + 1}\n    B -> A: r${2 * i + 1}\n  }\n`).join('')}}\n`;
export const large = `protocol Large(${pairs.map((i) => `a${i}, b${i}`).join(', ')}) {\n  par {\n${pairs.map((i) => `    a${i} -> b${i}: x${i}\n    b${i} -> a${i}: y${i}\n    a${i} -> b${i}: z${i}`).join('\n  } and {\n')}\n  }\n}\n`;
