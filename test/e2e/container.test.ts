import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { SMALL_STORM } from './small-storm.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const IMAGE = `muster-test-${process.pid}`;
const BASE = /^FROM (\S+)/m.exec(readFileSync(resolve(ROOT, 'Containerfile'), 'utf8'))?.[1] ?? '';
const TEN_MINUTES_MS = 600_000;

type Builder = { readonly name: string; readonly missing: string };

function words(program: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(program, [...args], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: TEN_MINUTES_MS,
  });
  return { code: status, stdout, stderr };
}

/** The first working program that builds images and has, or can pull, the base image of the Containerfile. */
function findBuilder(): Builder {
  const name = ['podman', 'docker'].find((program) => words(program, 'info').code === 0);
  if (name === undefined) return { name: '', missing: ' (skipped: neither podman nor docker works here)' };
  const hasBase = words(name, 'image', 'inspect', BASE).code === 0 || words(name, 'pull', BASE).code === 0;
  return { name, missing: hasBase ? '' : ` (skipped: ${name} cannot get ${BASE})` };
}

const { name, missing } = findBuilder();
afterAll(() => {
  if (missing === '') words(name, 'rmi', '--force', IMAGE);
});

describe.skipIf(missing !== '')(`the image${missing}`, () => {
  it('is built from the checkout, and prints its version', { timeout: TEN_MINUTES_MS }, () => {
    const built = words(name, 'build', '--tag', IMAGE, '--file', 'Containerfile', '.');
    expect(built.code, built.stderr).toBe(0);
    expect(words(name, 'run', '--rm', IMAGE, '--version').stdout).toBe(`${manifest.version}\n`);
  });

  it('does not run as root', () => {
    expect(words(name, 'run', '--rm', '--entrypoint', 'id', IMAGE, '-u').stdout).toBe('1000\n');
  });

  it('runs a shipped scenario and writes its results as that user', () => {
    const shipped = '/opt/muster/scenarios/enrollment-storm.yaml';
    const ended = words(name, 'run', '--rm', IMAGE, 'run', shipped, ...SMALL_STORM);
    expect([EXIT_CODES.pass, EXIT_CODES.invalid]).toContain(ended.code);
    expect(ended.stdout).toContain('results/enrollment-storm/');
  });
});
