// A picture from the program: scoped styles, pan and zoom, lines that lead to the text and back.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { panZoom } from '../shared/zoom.js';
import { effectiveTheme, useTheme } from './theme';

const own = `
:host { display: block; }
svg { display: block; overflow: visible; }
svg a { cursor: pointer; }
[class*="line-"] { cursor: pointer; }
[class*="line-"]:hover:is(text, line, path, rect), [class*="line-"]:hover :is(path, line, polygon, ellipse, text) { opacity: 0.65; }
.marked:is(line, path:not(.tip)), .marked :is(path, line, ellipse, polygon) { stroke: var(--accent); stroke-width: 2.4; }
.treaty-chart .ground { fill: none; }
.graph > polygon { fill: none; stroke: none; }
svg.covered .graph { filter: none !important; }
svg.covered .node :is(ellipse, polygon) { fill: var(--panel); stroke: var(--ink); }
svg.covered text { fill: var(--ink); }
svg.covered .edge :is(path, polygon) { stroke: var(--muted); }
svg.covered .edge polygon { fill: var(--muted); }
.marked.tip, .marked .tip, text.marked, .marked text { fill: var(--accent); font-weight: bold; }
.marked .tip { stroke: none; }
.found { fill: var(--bad) !important; font-weight: bold; text-decoration: underline; }
.faded { opacity: 0.22; }
svg.covered .edge.unseen :is(path, polygon) { stroke: var(--bad); }
svg.covered .edge.unseen path { stroke-dasharray: 4 3; }
svg.covered .edge.unseen :is(text, polygon) { fill: var(--bad); }
svg.covered .edge.seen :is(path, polygon) { stroke: var(--good); }
svg.covered .edge.seen :is(text, polygon) { fill: var(--good); }
.block:hover .tab { stroke: var(--accent); }
`;

// The drawing with its styles apart: a style element would apply to the whole page, and the policy of the page forbids it.
function parse(text: string, dark: boolean) {
  let css = '';
  const plain = text.replace(/<style[^>]*>([^]*?)<\/style>/g, (_, rules) => ((css += rules), ''));
  const document_ = new DOMParser().parseFromString(plain, 'image/svg+xml');
  const svg = document_.documentElement as unknown as SVGSVGElement;
  if (svg.nodeName !== 'svg') return null;
  for (const one of svg.querySelectorAll('style, script, foreignObject, image, use')) one.remove();
  for (const one of svg.querySelectorAll('*'))
    for (const attribute of [...one.attributes])
      if (/^on|^style$|href$/i.test(attribute.name)) one.removeAttribute(attribute.name);
  css = css.replaceAll('@media (prefers-color-scheme: dark)', dark ? '@media all' : '@media not all');
  const box = (svg.getAttribute('viewBox') ?? '0 0 300 150').split(/[\s,]+/).map(Number);
  const points = /pt$/.test(svg.getAttribute('width') ?? '') ? 4 / 3 : 1;
  const width = Math.max(box[2] * points, 1);
  const height = Math.max(box[3] * points, 1);
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(height));
  svg.setAttribute('role', 'img');
  return { svg: document.importNode(svg, true), css, width, height, points };
}

const GAP = 26;

// A graph that is one long line, in rows: each row shows a part of it, from left to right. What crosses the end of a row is
// drawn in both. The drawing must be in the document, because boxes are measured.
function inRows(svg: SVGSVGElement): { width: number; height: number } | null {
  const [left, top, width, height] = (svg.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
  const graph = svg.querySelector('.graph');
  if (!graph || !(width > 3000 && width > 8 * height)) return null;
  const rows = Math.ceil(Math.sqrt(width / (1.5 * (height + GAP))));
  const long = width / rows;
  const moved = /translate\(([-\d.]+)[ ,]+([-\d.]+)\)/.exec(graph.getAttribute('transform') ?? '');
  const shift = moved ? Number(moved[1]) : 0;
  const name = 'http://www.w3.org/2000/svg';
  const groups = [...Array(rows).keys()].map((row) => {
    const part = document.createElementNS(name, 'svg');
    part.setAttribute('y', String(row * (height + GAP)));
    part.setAttribute('width', String(long));
    part.setAttribute('height', String(height));
    part.setAttribute('viewBox', `${left + row * long} ${top} ${long} ${height}`);
    const inner = graph.cloneNode(false) as Element;
    inner.removeAttribute('id');
    part.append(inner);
    return { part, inner };
  });
  const boxes = [...graph.querySelectorAll(':scope > .node, :scope > .edge')].map((one) => ({ one, box: (one as SVGGraphicsElement).getBBox() }));
  for (const { one, box } of boxes) {
    const begin = Math.max(0, Math.floor((box.x + shift - left) / long));
    const end = Math.min(rows - 1, Math.floor((box.x + box.width + shift - left) / long));
    for (let row = begin; row <= end; ++row) groups[row].inner.append(row === begin ? one : one.cloneNode(true));
  }
  graph.remove();
  svg.append(...groups.map((group) => group.part));
  const tall = rows * (height + GAP);
  svg.setAttribute('viewBox', `0 0 ${long} ${tall}`);
  return { width: long, height: tall };
}

export function lineOf(path: EventTarget[]): number {
  for (const one of path)
    if (one instanceof Element) for (const name of one.classList) if (/^line-\d+$/.test(name)) return Number(name.slice(5));
  return 0;
}

type Place = { x: number; y: number; scale: number };

export type DrawingProps = {
  svg: string;
  label: string;
  whole?: boolean; // shown whole at first, however small
  subject?: string; // a picture of another subject is shown whole
  line?: number;
  onLine?: (line: number) => void;
  onBlock?: (line: number) => void; // the corner of a block was clicked
  search?: string;
  role?: number[]; // lines of one role: the rest is faint
  seen?: (number | null)[]; // how often the edges of the classes step-0, step-1, ... were seen
  stale?: boolean;
};

export function Drawing(props: DrawingProps) {
  const frame = useRef<HTMLDivElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const small = useRef<HTMLDivElement>(null);
  const size = useRef({ width: 1, height: 1 });
  const [place, setPlace] = useState<Place>({ x: 12, y: 12, scale: 1 });
  const [found, setFound] = useState(-1);
  const moving = useRef<ReturnType<typeof panZoom> | null>(null);
  const fitted = useRef<string | null>(null);
  const theme = useTheme();

  useLayoutEffect(() => {
    moving.current = panZoom(frame.current!, () => size.current, setPlace);
    return () => moving.current?.close();
  }, []);

  useLayoutEffect(() => {
    const element = host.current!;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const parsed = parse(props.svg, effectiveTheme(theme) === 'dark');
    if (!parsed) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(parsed.css + own);
    root.adoptedStyleSheets = [sheet];
    // Coverage has colours of its own, which must not be turned over in the dark.
    parsed.svg.classList.toggle('covered', props.seen !== undefined || parsed.svg.querySelector('.edge:is(.seen, .unseen)') !== null);
    root.replaceChildren(parsed.svg);
    const rows = inRows(parsed.svg);
    if (rows) {
      parsed.width = rows.width * parsed.points;
      parsed.height = rows.height * parsed.points;
      parsed.svg.setAttribute('width', String(parsed.width));
      parsed.svg.setAttribute('height', String(parsed.height));
    }
    const before = size.current;
    size.current = { width: parsed.width, height: parsed.height };
    // A picture of another size is shown whole; one that grew by a line stays where it is.
    const other = Math.abs(before.width - parsed.width) > 0.5 * before.width;
    const subject = props.subject ?? '';
    if (fitted.current !== subject || (other && !moving.current!.moved())) {
      fitted.current = subject;
      moving.current!.fit(!!props.whole);
    }
    // The overview is drawn when the picture can be seen already.
    const later = setTimeout(() => {
      const overview = small.current;
      if (!overview) return;
      const inner = overview.shadowRoot ?? overview.attachShadow({ mode: 'open' });
      inner.adoptedStyleSheets = [sheet];
      const copy = parsed.svg.cloneNode(true) as SVGSVGElement;
      copy.setAttribute('width', '100%');
      copy.setAttribute('height', '100%');
      copy.setAttribute('aria-hidden', 'true');
      inner.replaceChildren(copy);
    }, 60);
    return () => clearTimeout(later);
  }, [props.svg, props.subject, theme]);

  useEffect(() => {
    const root = host.current?.shadowRoot;
    if (!root) return;
    for (const one of root.querySelectorAll('.marked')) one.classList.remove('marked');
    if (props.line) for (const one of root.querySelectorAll(`.line-${props.line}`)) one.classList.add('marked');
  }, [props.line, props.svg, theme]);

  useEffect(() => {
    const root = host.current?.shadowRoot;
    if (!root) return;
    for (const one of root.querySelectorAll('[class*="line-"]')) {
      const lines = [...one.classList].filter((name) => /^line-\d+$/.test(name)).map((name) => Number(name.slice(5)));
      one.classList.toggle('faded', !!props.role && lines.length > 0 && !lines.some((line) => props.role!.includes(line)));
    }
  }, [props.role, props.svg, theme]);

  useEffect(() => {
    const root = host.current?.shadowRoot;
    if (!root || !props.seen) return;
    props.seen.forEach((times, i) => {
      if (times === null) return;
      for (const one of root.querySelectorAll(`.step-${i}`)) {
        one.classList.toggle('seen', times > 0);
        one.classList.toggle('unseen', times === 0);
      }
    });
  }, [props.seen, props.svg, theme]);

  useEffect(() => {
    const root = host.current?.shadowRoot;
    if (!root) return;
    const word = (props.search ?? '').toLowerCase();
    let count = 0;
    for (const one of root.querySelectorAll('text')) {
      const hit = word !== '' && (one.textContent ?? '').toLowerCase().includes(word);
      one.classList.toggle('found', hit);
      if (hit && count++ === 0) {
        const at = one.getBoundingClientRect();
        const box = frame.current!.getBoundingClientRect();
        if (at.left < box.left || at.right > box.right || at.top < box.top || at.bottom > box.bottom)
          moving.current!.move(box.left + box.width / 2 - at.left, box.top + box.height / 2 - at.top);
      }
    }
    setFound(word === '' ? -1 : count);
  }, [props.search, props.svg, theme]);

  const clicked = (event: MouseEvent) => {
    const path = event.composedPath();
    const line = lineOf(path);
    const block = path.some((one) => one instanceof Element && one.classList.contains('block'));
    if (line && block) props.onBlock?.(line);
    if (line) props.onLine?.(line);
  };

  // The part that can be seen, in the overview.
  const box = frame.current?.getBoundingClientRect();
  const { width, height } = size.current;
  const larger = box && (width * place.scale > box.width * 1.3 || height * place.scale > box.height * 1.3);
  const ratio = Math.min(160 / width, 110 / height);
  return (
    <div class={props.stale ? 'drawing stale' : 'drawing'}>
      <div class="frame" ref={frame} tabIndex={0} role="group" aria-label={`${props.label}. Arrow keys move it, plus and minus zoom, zero shows all of it.`} onClick={clicked}>
        <div class="paper" style={{ transform: `translate(${place.x}px, ${place.y}px) scale(${place.scale})` }}><div ref={host} /></div>
      </div>
      <div class="zoom">
        {found >= 0 && <span class="muted" role="status">{found} found</span>}
        <button onClick={() => moving.current!.zoom(0.8)} aria-label="Smaller">−</button>
        <span class="muted">{Math.round(place.scale * 100)} %</span>
        <button onClick={() => moving.current!.zoom(1.25)} aria-label="Larger">+</button>
        <button onClick={() => moving.current!.fit(true)}>Fit</button>
      </div>
      <div class="overview" hidden={!larger} style={{ width: `${width * ratio}px`, height: `${height * ratio}px` }} aria-hidden="true"
        onClick={(event) => {
          const here = (event.currentTarget as HTMLElement).getBoundingClientRect();
          moving.current!.center((event.clientX - here.left) / ratio, (event.clientY - here.top) / ratio);
        }}>
        <div ref={small} class="small" />
        {larger && <div class="seen" style={{ left: `${(-place.x / place.scale) * ratio}px`, top: `${(-place.y / place.scale) * ratio}px`, width: `${(box.width / place.scale) * ratio}px`, height: `${(box.height / place.scale) * ratio}px` }} />}
      </div>
    </div>
  );
}
