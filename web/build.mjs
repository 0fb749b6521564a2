// Builds the page into out/: one script, one style sheet, the examples, and the page itself.
import { build } from 'esbuild';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const examples = JSON.parse(readFileSync('src/examples.json', 'utf8'));

rmSync('out', { recursive: true, force: true });
mkdirSync('out');
await build({
  entryPoints: { app: 'src/main.tsx' },
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2021',
  outdir: 'out',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  logLevel: 'warning',
});
copyFileSync('src/index.html', 'out/index.html');
copyFileSync('src/icon.svg', 'out/icon.svg');
for (const example of examples) example.text = readFileSync(`../${example.file}`, 'utf8');
writeFileSync('out/examples.json', JSON.stringify(examples));
