/**
 * Compiles the renderer of documents to WebAssembly: `node scripts/assembly.ts` after a change in `src/hosts/document/assembly`.
 * With `--check` it writes nothing, and fails if the existing file is not the result of the current sources.
 *
 * The compiler is not a dependency, because it takes 100 MB and only this script needs it. npx downloads it and keeps it in npm's
 * cache.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const COMPILER = 'assemblyscript@0.28.20';
const SOURCE = 'src/hosts/document/assembly/render.ts';
const MODULE = 'src/hosts/document/render.wasm';
// A number that fits no integer is a bug, so the conversion traps.
const FLAGS = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--disable', 'nontrapping-f2i'];
const ROOT = resolve(import.meta.dirname, '..');

function compiler(...args: readonly string[]): void {
  execFileSync('npx', ['--yes', '-p', COMPILER, 'asc', ...args], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
}

function compiled(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'muster-assembly-'));
  try {
    const file = join(folder, 'render.wasm');
    compiler(SOURCE, ...FLAGS, '--outFile', file);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function isThere(): boolean {
  try {
    compiler('--version');
    return true;
  } catch {
    return false;
  }
}

const module = resolve(ROOT, MODULE);
if (!process.argv.includes('--check')) writeFileSync(module, compiled());
else if (!isThere())
  process.stderr.write(`NOT CHECKED: npx could not get ${COMPILER}, so ${MODULE} may be outdated.\n`);
else if (compiled().equals(readFileSync(module))) process.stdout.write(`${MODULE} is made of its sources.\n`);
else {
  process.stderr.write(`${MODULE} is not made of its sources: npm run assembly.\n`);
  process.exitCode = 1;
}
