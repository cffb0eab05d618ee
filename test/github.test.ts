import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import lock from '../package-lock.json' with { type: 'json' };
import { readWorkflow, STEP_SHELL, stepText } from './workflow.ts';

const ROOT = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'muster-github-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a step of one of the project's own workflows as GitHub does. */
function runStep(
  file: string,
  name: string,
  step: { cwd: string; env: Readonly<Record<string, string>>; before?: string },
) {
  const text = `${step.before ?? ''}\n${stepText(readWorkflow(resolve(ROOT, '.github/workflows', file)), name)}`;
  const [shell, ...words] = STEP_SHELL;
  const env = { PATH: process.env.PATH, ...step.env };
  return spawnSync(shell, [...words, text], { cwd: step.cwd, env, encoding: 'utf8' });
}

describe('the release workflow', () => {
  const holdTag = (tag: string) =>
    runStep('release.yml', 'Hold the tag against the version', { cwd: ROOT, env: { GITHUB_REF_NAME: tag } });

  it('builds a tag that equals the version of the package', () => {
    expect(holdTag(`v${manifest.version}`)).toMatchObject({ status: 0, stdout: '' });
  });

  it('refuses any other tag', () => {
    const { status, stdout } = holdTag('v99.0.0');
    expect(status).toBe(1);
    expect(stdout).toBe(`::error::Tag v99.0.0 does not fit version ${manifest.version} of package.json.\n`);
  });
});

describe('the bill of materials of a release', () => {
  it('lists each package that the command needs, in the version of the lock file, and none that only tests need', () => {
    const written = runStep('release.yml', 'Write the bill of materials', { cwd: copyOfManifests(), env: {} });
    expect(written).toMatchObject({ status: 0, stdout: '' });
    const { components } = JSON.parse(readFileSync(join(folder, 'manifests/muster-sbom.cdx.json'), 'utf8'));
    const needed = Object.entries(lock.packages).filter(
      ([path, facts]) => path !== '' && !('dev' in facts || 'devOptional' in facts),
    );
    const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    expect(new Set(components.map(({ purl }: { purl: string }) => decodeURIComponent(purl)))).toEqual(
      new Set(needed.map(([path, { version }]) => `pkg:npm/${nameOf(path)}@${version}`)),
    );
  });

  /** A folder for the output of the step. */
  function copyOfManifests(): string {
    const copy = join(folder, 'manifests');
    mkdirSync(copy);
    for (const name of ['package.json', 'package-lock.json']) cpSync(join(ROOT, name), join(copy, name));
    return copy;
  }
});

describe('the check of commits', () => {
  const subjects = (lengths: readonly number[]) =>
    runStep('ci.yml', 'Hold subjects of commits to 72 characters', {
      cwd: folder,
      env: { BASE: 'base' },
      before: `git() { printf '%s\\n' ${lengths.map((length) => 'x'.repeat(length)).join(' ')}; }`,
    });

  it('accepts subjects of up to 72 characters', () => {
    expect(subjects([1, 72])).toMatchObject({ status: 0, stdout: '' });
  });

  it('reports each longer one, and fails', () => {
    const { status, stdout } = subjects([73, 72, 80]);
    expect(status).toBe(1);
    expect(stdout.match(/^::error::/gm)).toHaveLength(2);
  });
});

const JOBS = readdirSync(resolve(ROOT, '.github/workflows')).flatMap((file) =>
  Object.values(readWorkflow(resolve(ROOT, '.github/workflows', file)).jobs),
);

it('the workflows pin every action to a commit', () => {
  const actions = JOBS.flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
  expect(actions).not.toEqual([]);
  expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@[\da-f]{40}$/.test(action))).toEqual([]);
});

it('the workflows bound the time of every job', () => {
  expect(JOBS.filter((job) => !((job['timeout-minutes'] ?? 360) <= 120))).toEqual([]);
});
