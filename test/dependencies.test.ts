import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import lock from '../package-lock.json' with { type: 'json' };

const ROOT = resolve(import.meta.dirname, '..');

describe('the libraries of the package', () => {
  it('are pinned to the versions used by the tests', () => {
    const tested = (name: string) => lock.packages[`node_modules/${name}` as keyof typeof lock.packages].version;
    const names = Object.keys(manifest.dependencies);
    expect(manifest.dependencies).toEqual(Object.fromEntries(names.map((name) => [name, tested(name)])));
  });

  it('are each explained in docs/developers/dependencies.md, with the number of packages that they install', () => {
    const page = readFileSync(resolve(ROOT, 'docs/developers/dependencies.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(\S+)` +\| +(\d+) \|/gm)];
    expect(rows.map(([, name]) => name).sort()).toEqual(Object.keys(manifest.dependencies).sort());
    const installed = JSON.parse(readFileSync(resolve(ROOT, 'node_modules/.package-lock.json'), 'utf8'));
    const needed = Object.values<object>(installed.packages).filter((facts) => !('dev' in facts));
    const counted = rows.reduce((sum, [, , packages]) => sum + Number(packages), 0);
    expect(counted).toBe(needed.length);
  });
});
