import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { describe, expect, it } from 'vitest';
import rules, { DOMAIN, NOT_DOMAIN } from '../.dependency-cruiser.mjs';
import { freeNames } from './free-names.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** Globals of the language that only compute, and `Buffer`, to which documents are written. */
const ALLOWED_GLOBALS = new Set([
  ...[
    'undefined',
    'NaN',
    'Infinity',
    'Object',
    'Array',
    'Map',
    'Set',
    'WeakMap',
    'Number',
    'BigInt',
    'Boolean',
    'String',
  ],
  ...['Symbol', 'RegExp', 'Math', 'JSON', 'Date', 'Intl', 'Promise', 'Error', 'RangeError', 'TypeError', 'SyntaxError'],
  ...[
    'Uint8Array',
    'Uint16Array',
    'Uint32Array',
    'Int32Array',
    'Float32Array',
    'Float64Array',
    'BigUint64Array',
    'DataView',
  ],
  ...[
    'ArrayBuffer',
    'SharedArrayBuffer',
    'Buffer',
    'TextEncoder',
    'TextDecoder',
    'URL',
    'encodeURIComponent',
    'decodeURIComponent',
  ],
  ...['structuredClone', 'WebAssembly'],
]);

const forbiddenIn = (source: string): readonly string[] =>
  [...freeNames(source)].filter((name) => !ALLOWED_GLOBALS.has(name)).sort();

describe('modules of the domain', () => {
  it('use only globals that compute', () => {
    const files = globSync(`src/{${DOMAIN.join(',')}}/**/*.ts`, {
      cwd: ROOT,
      exclude: NOT_DOMAIN.map((folder) => `src/${folder}/**`),
    }).filter((path) => !path.endsWith('.d.ts') && !path.includes('/assembly/'));
    const found = files.flatMap((path) =>
      forbiddenIn(readFileSync(resolve(ROOT, path), 'utf8')).map((name) => `${path}: ${name}`),
    );
    expect(found).toEqual([]);
    expect(files.length).toBeGreaterThan(100);
  });

  it.each([
    ['process', 'export const home = process.env.HOME;'],
    ['process', 'export const home = () => process["env"];'],
    ['Date.now', 'export const nowMs = () => Date.now();'],
    ['Date.now', 'export const clock = Date["now"];'],
    ['new Date()', 'export const now = (): Date => new Date();'],
    ['Math.random', 'const { PI } = Math; export const draw = () => PI * Math.random();'],
    ['setTimeout', 'export function later(act: () => void): void { setTimeout(act, 1); }'],
    ['fetch', 'export const page = async (url: string) => (await fetch(url)).text();'],
    ['performance', 'export const clock = ({ from = performance.now() } = {}) => from;'],
    ['globalThis', 'export const hidden = globalThis;'],
    ['console', 'export const say = (text = "") => { console.log(text); };'],
    ['crypto', 'export const id = `${crypto.randomUUID()}`;'],
    ['queueMicrotask', 'export const run = (act = queueMicrotask) => act(() => {});'],
  ])('are rejected if they use %s', (name, source) => {
    expect(forbiddenIn(source)).toEqual([name]);
  });

  it("may have their own names and members that equal a global's name", () => {
    const source = `import { text as fetch } from './a.ts';
      type Process = { readonly process: typeof setTimeout };
      export function draw({ random: performance, ...console }: Process, [crypto = 1]: number[]): unknown {
        return { process: fetch(performance, console, crypto), date: new Date(crypto), now: Date.UTC(crypto) };
      }`;
    expect(forbiddenIn(source)).toEqual([]);
  });

  it('import only modules that compute', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-domain-'));
    try {
      mkdirSync(join(folder, 'src/load'), { recursive: true });
      mkdirSync(join(folder, 'src/base/runtime'), { recursive: true });
      writeFileSync(join(folder, 'src/base/runtime/event-loop.ts'), 'export const clock = 1;\n');
      const forbidden = [
        'node:os',
        'node:fs',
        'node:process',
        'node:timers/promises',
        'node:crypto',
        'node:net',
        'undici',
      ];
      for (const [n, name] of [...forbidden, 'node:util'].entries()) {
        writeFileSync(join(folder, `src/load/m${n}.ts`), `import * as it from '${name}';\nexport const all = it;\n`);
      }
      writeFileSync(join(folder, 'src/load/clock.ts'), `export * from '../base/runtime/event-loop.ts';\n`);
      const { output } = await cruise(['src'], { baseDir: folder, validate: true, ruleSet: rules, parser: 'swc' });
      const { violations } = (output as ICruiseResult).summary;
      const caught = (rule: string) =>
        violations.filter((one) => one.rule.name === rule).map(({ to }) => (to.startsWith('src') ? to : `node:${to}`));
      const named = forbidden.map((name) => (name.startsWith('node:') ? name : `node:${name}`));
      expect(caught('the-domain-imports-what-computes').sort()).toEqual(named.sort());
      expect(caught('the-domain-imports-the-domain')).toEqual(['src/base/runtime/event-loop.ts']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
