// Pictures of the file, drawn again while somebody types; the last one stays until the next one is there.
import { useEffect, useRef, useState } from 'preact/hooks';
import { socket } from './socket';
import { Drawing } from './svg';
import type { Answer, Bench, Picture } from './types';

export const kinds = [
  ['msc', 'Chart'], ['graph', 'Graph'], ['machine', 'Machine'], ['net', 'Net'], ['pomset', 'Pomset'], ['space', 'States'],
] as const;

export type Look = { kind: string; role: string; protocol: string };

export function download(name: string, data: Blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(data);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function png(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(svg.replace('@media (prefers-color-scheme: dark)', '@media not all'));
  await image.decode();
  const scale = Math.min(2, 8000 / Math.max(image.width, image.height, 1));
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(image.width * scale);
  canvas.height = Math.ceil(image.height * scale);
  const paper = canvas.getContext('2d')!;
  paper.fillStyle = '#fff';
  paper.fillRect(0, 0, canvas.width, canvas.height);
  paper.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture is too large'))), 'image/png'));
}

export function See(props: { bench: Bench; look: Look; setLook: (look: Look) => void; line: number; onPicture: (picture: Picture) => void }) {
  const { bench, look } = props;
  const [picture, setPicture] = useState<Picture | null>(null);
  const [fault, setFault] = useState('');
  const [drawing, setDrawing] = useState(false);
  const [search, setSearch] = useState('');
  const [shown, setShown] = useState('');
  const [subject, setSubject] = useState('');
  const [folded, setFolded] = useState<number[]>([]); // lines of blocks
  const [only, setOnly] = useState(''); // this role, the rest is faint
  const under = useRef<{ cancel: () => void } | null>(null);

  useEffect(() => {
    if (!bench.path) return;
    let current = true;
    const timer = setTimeout(() => {
      setDrawing(true);
      const call = socket.call<Picture>('picture', { file: bench.path, ...look, folded, texts: { ...bench.texts(), [bench.path]: bench.text } });
      under.current = call;
      call.answer.then(
        (made) => {
          if (!current) return;
          setDrawing(false);
          setFault(made.svg ? '' : made.fault ?? 'there is nothing to draw');
          props.onPicture(made);
          if (made.svg) {
            setPicture(made);
            setShown(bench.path);
            setSubject([bench.path, made.kind, look.role, look.protocol].join('\n'));
          }
        },
        (problem: Error) => {
          if (!current) return;
          setDrawing(false);
          setFault(problem.message);
        },
      );
    }, 90);
    return () => {
      current = false;
      clearTimeout(timer);
      under.current?.cancel();
      under.current = null;
    };
  }, [bench.path, bench.text, look.kind, look.role, look.protocol, folded]);
  useEffect(() => { setFolded([]); setOnly(''); }, [bench.path, look.protocol]);

  const kind = look.kind || picture?.kind || 'msc';
  const name = bench.path.replace(/^.*\//, '').replace(/\.[^.]*$/, '') || 'picture';
  const convert = async (notation: string) => {
    try {
      const answer = await socket.ask<Answer>('ask', { question: 'convert', values: { file: bench.path, notation, protocol: look.protocol, 'allow loss': true }, texts: bench.texts() });
      if (answer.made) download(`${name}.${notation}`, new Blob([answer.made.text], { type: 'text/plain' }));
      else bench.tell(answer.json?.reason || 'It cannot be written in this notation.', true);
    } catch (problem) {
      bench.tell((problem as Error).message, true);
    }
  };
  const exporting = async (how: string) => {
    if (how === 'mmd' || how === 'puml') return convert(how);
    if (!picture?.svg) return;
    try {
      download(`${name}-${kind}.${how}`, how === 'svg' ? new Blob([picture.svg], { type: 'image/svg+xml' }) : await png(picture.svg));
    } catch (problem) {
      bench.tell((problem as Error).message, true);
    }
  };
  const stale = fault !== '' && picture !== null && shown === bench.path;
  const show = picture && shown === bench.path;
  return (
    <div class="see">
      <div class="bar" role="toolbar" aria-label="Picture">
        <div class="segmented" role="group" aria-label="Kind of picture">
          {kinds.map(([id, title]) => <button key={id} aria-pressed={kind === id} onClick={() => props.setLook({ ...look, kind: id })}>{title}</button>)}
        </div>
        {bench.protocols.length > 1 && (
          <select aria-label="Protocol" value={look.protocol || bench.protocols[bench.protocols.length - 1]} onChange={(event) => props.setLook({ ...look, protocol: (event.target as HTMLSelectElement).value })}>
            {bench.protocols.map((one) => <option key={one}>{one}</option>)}
          </select>
        )}
        {(kind === 'machine' || kind === 'net') && bench.roles.length > 0 && (
          <select aria-label="Role" value={look.role} onChange={(event) => props.setLook({ ...look, role: (event.target as HTMLSelectElement).value })}>
            <option value="">all roles</option>
            {bench.roles.map((one) => <option key={one}>{one}</option>)}
          </select>
        )}
        {kind !== 'machine' && kind !== 'space' && bench.roles.length > 1 && (
          <select aria-label="Highlight a role" value={only} onChange={(event) => setOnly((event.target as HTMLSelectElement).value)}>
            <option value="">every role</option>
            {bench.roles.map((one) => <option key={one} value={one}>only {one}</option>)}
          </select>
        )}
        {kind === 'msc' && folded.length > 0 && <button onClick={() => setFolded([])}>Unfold all</button>}
        <input type="search" placeholder="Find" aria-label="Find in the picture" value={search} onInput={(event) => setSearch((event.target as HTMLInputElement).value)} />
        <span class="push" />
        <select aria-label="Export" value="" onChange={(event) => { const select = event.target as HTMLSelectElement; exporting(select.value); select.value = ''; }}>
          <option value="" disabled>Export</option><option value="svg">SVG</option><option value="png">PNG</option><option value="mmd">Mermaid</option><option value="puml">PlantUML</option>
        </select>
      </div>
      {fault && <p class={stale ? 'hint' : 'fault'} role="status">{stale ? `${fault}. The picture is of the last text that could be read.` : fault}</p>}
      {show && picture.incomplete && <p class="hint">{picture.incomplete}</p>}
      {show ? (
        <Drawing svg={picture.svg!} label={`Picture of ${bench.path}`} subject={subject} line={props.line} onLine={bench.go} search={search} stale={stale}
          role={only ? picture.lines[only] : undefined} onBlock={kind === 'msc' ? (line) => setFolded((all) => (all.includes(line) ? all.filter((one) => one !== line) : [...all, line])) : undefined} />
      ) : (
        <p class="empty">{bench.path ? (drawing ? 'Drawing …' : fault ? '' : 'Drawing …') : 'Open a file to see it.'}</p>
      )}
    </div>
  );
}
