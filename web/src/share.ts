// A link that carries a text and how it is looked at, in its fragment: browsers do not send fragments anywhere.
export type Shared = { name: string; text: string; kind: string; role: string; protocol: string; tab: string };

const LONGEST = 200_000;

async function through(stream: GenericTransformStream, bytes: Uint8Array): Promise<Uint8Array> {
  const writer = (stream.writable as WritableStream<Uint8Array>).getWriter();
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  const reader = (stream.readable as ReadableStream<Uint8Array>).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > 4 << 20) throw new Error('the text in the link is too long'); // a small link may unpack to anything
    parts.push(value);
  }
  const out = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

export async function linkOf(shared: Shared): Promise<string> {
  const packed = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(JSON.stringify(shared)));
  let binary = '';
  for (const byte of packed) binary += String.fromCharCode(byte);
  const code = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  if (code.length > LONGEST) throw new Error('the text is too long for a link');
  return `${location.href.replace(/#.*/, '')}#t=${code}`;
}

export async function sharedIn(fragment: string): Promise<Shared | null> {
  const code = /^#t=([\w-]+)$/.exec(fragment)?.[1];
  if (!code || code.length > LONGEST) return null;
  const binary = atob(code.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  const read = JSON.parse(new TextDecoder().decode(await through(new DecompressionStream('deflate-raw'), bytes)));
  const word = (name: string) => (typeof read[name] === 'string' ? read[name] : '');
  return { name: word('name').replace(/[^\w.\- ]/g, '_') || 'shared.treaty', text: word('text'), kind: word('kind'), role: word('role'), protocol: word('protocol'), tab: word('tab') };
}
