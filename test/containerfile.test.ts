import { globSync, readFileSync } from 'node:fs';
import { matchesGlob, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

const ROOT = resolve(import.meta.dirname, '..');

const text = readFileSync(resolve(ROOT, 'Containerfile'), 'utf8');
const lines = text.split('\n').map((line) => line.split(' '));
const saidBy = (instruction: string) => lines.filter(([word]) => word === instruction).map(([, ...rest]) => rest);

// Sources in the checkout: the last word of the instruction is the destination.
const copied = saidBy('COPY')
  .filter(([first]) => !first?.startsWith('--from='))
  .flatMap((words) => words.slice(0, -1));

describe('Containerfile', () => {
  it("uses the checkout's Node version in every stage", () => {
    const major = /\d+/.exec(manifest.devDependencies.node)?.[0];
    const versions = saidBy('FROM').map((words) => /\/node:(\d+)-slim\b/.exec(words.join(' '))?.[1]);
    expect(versions).toEqual([major, major]);
  });

  it('runs no program of the target architecture, so that one machine builds the image for all', () => {
    const [, ofBuilder = [], ofTarget = []] = text.split(/^FROM /m).map((stage) => stage.split('\n'));
    expect(ofBuilder[0]).toContain('--platform=$BUILDPLATFORM');
    expect(ofTarget.filter((line) => line.startsWith('RUN'))).toEqual([]);
  });

  it('does not run as root, and sets the user by number', () => {
    expect(saidBy('USER').at(-1)?.[0]).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  it('copies only files that exist in the checkout', () => {
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((name) => globSync(name, { cwd: ROOT }).length === 0)).toEqual([]);
  });

  it('copies only files that .dockerignore permits', () => {
    const given = readFileSync(resolve(ROOT, '.dockerignore'), 'utf8').split('\n');
    const allowed = given.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(given).toContain('*');
    expect(copied.filter((name) => !allowed.some((pattern) => matchesGlob(name, pattern)))).toEqual([]);
  });

  it('starts the same launcher as the package', () => {
    expect(saidBy('ENTRYPOINT')[0]?.join(' ')).toContain(`/opt/muster/${manifest.bin.muster}"`);
  });
});
