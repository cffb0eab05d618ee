import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { MIN_PAIRS } from '../../src/metrics/comparing/significance.ts';

const KITS = resolve(import.meta.dirname, '../../examples/ci');
const GATE = readFileSync(join(KITS, 'load-gate.sh'), 'utf8');
const PACKAGE = `./load/${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;

const home = mkdtempSync(join(tmpdir(), 'muster-kits-'));
let folder = '';
let count = 0;
afterAll(() => rmSync(home, { recursive: true }));
/** A checkout of a server, and programs that record how they were called. */
beforeEach(() => {
  folder = join(home, String(count++));
  mkdirSync(join(folder, 'load'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'load/load-gate.sh'), GATE);
  for (const name of ['npm', 'docker', 'node', 'curl']) program(name, 'echo "$(basename "$0") $*" >> said');
});

function program(name: string, text: string): void {
  const file = join(folder, 'bin', name);
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
}

/** Runs shell lines with a `muster` that exits with these codes in order, and with `compared` if it compares. */
function shell(lines: string, codes: readonly number[], { compared = 0, env = {} } = {}) {
  writeFileSync(join(folder, 'codes'), `${codes.join('\n')}\n`);
  program(
    'muster',
    `echo "muster $*" >> said
if [ "$1" = compare ]; then exit ${compared}; fi
mkdir -p results/push-server/latest; echo "$*" > results/push-server/latest/summary.json
code=$(head -n 1 codes); sed -i 1d codes
exit "$code"`,
  );
  const PATH = `${join(folder, 'bin')}:${process.env.PATH}`;
  const { status, stderr } = spawnSync('sh', ['-e', '-c', lines], {
    cwd: folder,
    env: { PATH, ...env },
    encoding: 'utf8',
  });
  const said = join(folder, 'said');
  const asked = existsSync(said) ? readFileSync(said, 'utf8').trim().split('\n') : [];
  return { code: status, stderr, asked, runs: asked.filter((line) => line.startsWith('muster run')) };
}

const CALL = 'sh load/load-gate.sh load/push-server.yaml http://127.0.0.1:8080';
const filesIn = (name: string) => readdirSync(join(folder, name)).toSorted();

describe('the gate for any CI', () => {
  it('measures four times with different hosts, and keeps a JUnit file of each', () => {
    const { code, runs } = shell(CALL, [0, 0, 0, 0, 0], { env: { BUILD: '0042' } });
    expect(code).toBe(0);
    expect(runs.map((line) => /--seed (\d+)/.exec(line)?.[1])).toEqual(['421', '422', '423', '424']);
    expect(new Set(runs.map((line) => /--junit (\S+)/.exec(line)?.[1])).size).toBe(4);
    expect(filesIn('candidate')).toEqual(['0042-1', '0042-2', '0042-3', '0042-4']);
    expect(filesIn('candidate').length).toBeGreaterThanOrEqual(MIN_PAIRS);
  });

  it('repeats two INVALID runs, and says after more that nothing was measured', () => {
    expect(shell(CALL, [111, 0, 111, 0, 0, 0])).toMatchObject({ code: 0, runs: { length: 6 } });
    const unmeasured = shell(CALL, [111, 0, 111, 0, 111, 0]);
    expect(unmeasured.code).toBe(111);
    expect(unmeasured.stderr).toContain('only 3 were valid');
  });

  it.each([99, 104, 115])('ends immediately with %i if a run does', (code) => {
    expect(shell(CALL, [0, code, 0])).toMatchObject({ code, runs: { length: 2 } });
  });

  it.each([0, 114, 117])('compares with the baseline if there is one, and ends with its code: %i', (compared) => {
    expect(shell(CALL, [0, 0, 0, 0]).asked.join()).not.toContain('compare');
    mkdirSync(join(folder, 'baseline/7-1'), { recursive: true });
    const { code, asked } = shell(CALL, [0, 0, 0, 0], { compared });
    expect([code, asked.at(-1)]).toEqual([compared, expect.stringContaining('muster compare baseline candidate ')]);
  });

  it('keeps the runs of the last three builds as the baseline, only if asked and only if they passed', () => {
    for (const build of ['998', '999', '1000'])
      for (const run of [1, 2, 3, 4]) mkdirSync(join(folder, `baseline/${build}-${run}`), { recursive: true });
    const before = filesIn('baseline');
    shell(CALL, [0, 0, 0, 0], { env: { BUILD: '1001' } });
    shell(CALL, [0, 0, 0, 0], { env: { BUILD: '1001', KEEP: '1' }, compared: 114 });
    expect(filesIn('baseline')).toEqual(before);
    shell(CALL, [0, 0, 0, 0], { env: { BUILD: '1001', KEEP: '1' } });
    expect(new Set(filesIn('baseline').map((name) => name.replace(/-\d$/, '')))).toEqual(
      new Set(['999', '1000', '1001']),
    );
  });
});

it.each(['ci/Jenkinsfile', 'ci/gitlab-ci.yml', 'ci/load-gate.sh', 'github-workflow.yml'])(
  '%s sets no variable that begins as those of Muster, of which each run would warn',
  (name) => {
    expect(readFileSync(join(KITS, '..', name), 'utf8')).not.toMatch(/\bMUSTER_\w/);
  },
);

describe('the kit for GitLab', () => {
  const { load } = parse(readFileSync(join(KITS, 'gitlab-ci.yml'), 'utf8'));

  it('installs, starts the server and runs the gate, as its runner does', () => {
    const env = { ...load.variables, CI_JOB_ID: '77', KEEP: '0' };
    const { code, asked, runs } = shell([...load.before_script, ...load.script].join('\n'), [0, 0, 0, 0], { env });
    expect(code).toBe(0);
    expect(asked.filter((line) => line.startsWith('npm'))).toEqual([expect.stringContaining(PACKAGE)]);
    const first = asked.findIndex((line) => line.startsWith('muster run'));
    const answered = expect.stringMatching(/^curl .*http:\/\/127\.0\.0\.1:8080$/);
    expect(asked.slice(0, first)).toContainEqual(answered);
    expect(runs.map((line) => line.replace(/ --(quiet|junit).*/, ''))).toEqual(
      [1, 2, 3, 4].map((n) => `muster run load/push-server.yaml --target http://127.0.0.1:8080 --seed 77${n}`),
    );
  });

  it('repeats the job on 111 only, shows JUnit files and keeps results of failed jobs, too', () => {
    expect(load.retry).toEqual({ max: 2, exit_codes: 111 });
    expect(load.artifacts).toMatchObject({ when: 'always', reports: { junit: 'results-*.xml' } });
    expect(load.cache.paths).toEqual(['baseline/']);
  });

  it('changes the baseline only on the main branch', () => {
    const { policy } = load.cache;
    const policies = load.rules.map((rule: { variables: Record<string, string> }) => [
      rule.variables[policy.slice(1)],
      rule.variables.KEEP,
    ]);
    expect(policies).toEqual([
      ['pull-push', '1'],
      ['pull', '0'],
    ]);
  });
});

const JAR = process.env.GROOVY_JAR ?? '/usr/share/java/groovy.jar';
const isReadable = existsSync(JAR);

/** The steps of the pipeline, read and run by Groovy; each shell step ends with this code. */
function pipelineSteps(code: number): readonly (readonly [step: string, text: string])[] {
  const reader = join(import.meta.dirname, 'steps.groovy');
  const words = ['-cp', JAR, 'groovy.ui.GroovyMain', reader, join(KITS, 'Jenkinsfile'), String(code)];
  const { stdout, stderr } = spawnSync('java', words, { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.split('\t') as [string, string]);
}

describe.skipIf(!isReadable)('the kit for Jenkins (skipped without GROOVY_JAR)', () => {
  it('installs, starts the server and runs the gate', () => {
    const steps = pipelineSteps(0);
    const text = readFileSync(join(KITS, 'Jenkinsfile'), 'utf8');
    const variables = Object.fromEntries([...text.matchAll(/^ +([A-Z_]+) = '(.*)'$/gm)].map(([, ...pair]) => pair));
    const env = { ...variables, BUILD_NUMBER: '5', BRANCH_NAME: 'main' };
    const lines = steps.filter(([step]) => step === 'sh').map(([, line]) => line);
    const { code, asked, runs } = shell(lines.join('\n'), [0, 0, 0, 0], { env });
    expect(code).toBe(0);
    expect(asked[0]).toContain(PACKAGE);
    expect(runs).toHaveLength(4);
    expect(filesIn('baseline')).toEqual(['5-1', '5-2', '5-3', '5-4']);
  });

  it.each([
    [0, 'archiveArtifacts'],
    [99, 'error'],
    [111, 'unstable'],
  ])('makes of %i: %s', (code, step) => {
    const steps = pipelineSteps(code).map(([name]) => name);
    expect(steps).toContain(step);
    expect(steps.filter((name) => ['error', 'unstable'].includes(name))).toHaveLength(code === 0 ? 0 : 1);
    expect(steps.slice(-2)).toEqual(['junit', 'archiveArtifacts']);
  });
});
