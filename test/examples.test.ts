import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { MIN_PAIRS } from '../src/metrics/comparing/significance.ts';
import { readWorkflow, STEP_SHELL, stepText } from './workflow.ts';

const workflow = readWorkflow(resolve(import.meta.dirname, '../examples/github-workflow.yml'));

const folder = mkdtempSync(join(tmpdir(), 'muster-examples-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  for (const name of ['said', 'candidate', 'baseline']) rmSync(join(folder, name), { force: true, recursive: true });
});

const BUILD = { GITHUB_RUN_ID: '7001', GITHUB_RUN_ATTEMPT: '1' };

/** A `muster` that records its arguments, and exits with these codes in order. */
function fake(codes: readonly number[]): string {
  return `codes=(${codes.join(' ')})
muster() {
  echo "$*" >> said
  if [ "$1" = compare ]; then echo "| compared |" > compared.md; fi
  mkdir -p results/push-server/latest; echo "$*" > results/push-server/latest/summary.json
  local code=\${codes[0]}; codes=("\${codes[@]:1}")
  return "$code"
}
`;
}

/** Runs a step as GitHub does, with a fake `muster`. */
function runStep(name: string, codes: readonly number[]) {
  const [shell, ...words] = STEP_SHELL;
  const env = { ...workflow.env, PATH: process.env.PATH, GITHUB_STEP_SUMMARY: join(folder, 'step.md'), ...BUILD };
  const { status, stdout } = spawnSync(shell, [...words, fake(codes) + stepText(workflow, name)], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  const said = join(folder, 'said');
  const asked = existsSync(said) ? readFileSync(said, 'utf8').trim().split('\n') : [];
  return { code: status, stdout, asked };
}

describe('the gate of examples/github-workflow.yml', () => {
  it('measures four times with different hosts, because the server knows those of the previous run', () => {
    const { code, asked } = runStep('Measure', [0, 0, 0, 0, 0]);
    expect(code).toBe(0);
    const seeds = asked.map((words) => /--seed (\S+)/.exec(words)?.[1]);
    expect(seeds).toEqual(['1', '2', '3', '4']);
    const kept = readdirSync(join(folder, 'candidate')).toSorted();
    expect(kept).toEqual(['7001-1-1', '7001-1-2', '7001-1-3', '7001-1-4']);
    expect(readFileSync(join(folder, 'candidate/7001-1-3/summary.json'), 'utf8')).toContain('--seed 3');
  });

  it.each([99, 105, 115])('ends immediately with %i if a run does', (code) => {
    const step = runStep('Measure', [0, code, 0]);
    expect(step).toMatchObject({ code, stdout: '' });
    expect(step.asked).toHaveLength(2);
  });

  it('repeats up to two runs that end with 111, and keeps only valid runs', () => {
    const step = runStep('Measure', [0, 111, 0, 111, 0, 0]);
    expect(step.code).toBe(0);
    expect(step.stdout).toMatch(/^(::warning title=INVALID::[^\n]+\n){2}$/);
    expect(readdirSync(join(folder, 'candidate')).toSorted()).toEqual(['7001-1-1', '7001-1-3', '7001-1-5', '7001-1-6']);
  });

  it('reports after too many 111 that nothing was measured, and fails', () => {
    const step = runStep('Measure', [111, 0, 111, 0, 111, 0]);
    expect(step.code).toBe(111);
    expect(step.stdout).toContain('::error title=Not measured::');
    expect(step.asked).toHaveLength(6);
  });

  it('compares enough runs to distinguish a change from chance', () => {
    runStep('Measure', [0, 0, 0, 0]);
    const candidate = readdirSync(join(folder, 'candidate')).length;
    runStep('Keep as the baseline', []);
    const base = readdirSync(join(folder, 'baseline')).length;
    expect(Math.min(base, candidate)).toBeGreaterThanOrEqual(MIN_PAIRS);
    expect(runStep('Compare', [0]).asked.at(-1)).toBe(
      'compare baseline candidate --tolerance 10% --error-tolerance 2% --markdown compared.md',
    );
  });

  it('keeps the runs of the last three builds as the baseline, in numeric order of the builds', () => {
    const builds = ['998-1', '999-1', '1000-1', '1000-2'];
    for (const name of builds.flatMap((build) => [1, 2, 3, 4].map((seed) => `${build}-${seed}`))) {
      mkdirSync(join(folder, 'baseline', name), { recursive: true });
      writeFileSync(join(folder, 'baseline', name, 'summary.json'), '{}');
    }
    runStep('Measure', [0, 0, 0, 0]);
    expect(runStep('Keep as the baseline', []).code).toBe(0);
    const kept = new Set(readdirSync(join(folder, 'baseline')).map((name) => name.replace(/-\d+$/, '')));
    expect([...kept].toSorted()).toEqual(['1000-1', '1000-2', '7001-1']);
  });

  it.each([0, 114, 117])(
    'ends with the exit code of the comparison, and shows the comparison in the step summary: %i',
    (code) => {
      rmSync(join(folder, 'step.md'), { force: true });
      expect(runStep('Compare', [code]).code).toBe(code);
      expect(readFileSync(join(folder, 'step.md'), 'utf8')).toBe('| compared |\n');
    },
  );

  it('keeps results for any outcome of the run', () => {
    const upload = workflow.jobs.load?.steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact@'));
    expect(upload?.if).toBe('always()');
  });

  it('installs the file that npm pack writes', () => {
    const file = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;
    expect(workflow.env.LOAD_PACKAGE).toMatch(new RegExp(`/${file}$`));
    expect(readFileSync(resolve(import.meta.dirname, '../docs/how-to/install.md'), 'utf8')).toContain(`./${file}`);
  });
});
