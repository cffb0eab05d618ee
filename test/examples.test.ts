import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { readWorkflow, STEP_SHELL, stepText } from './workflow.ts';

const workflow = readWorkflow(resolve(import.meta.dirname, '../examples/github-workflow.yml'));

const folder = mkdtempSync(join(tmpdir(), 'muster-examples-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => rmSync(join(folder, 'said'), { force: true }));

/** A `muster` that writes down what it was asked, and ends with these codes one after another. */
function fake(codes: readonly number[]): string {
  return `codes=(${codes.join(' ')})
muster() {
  echo "$*" >> said
  if [ "$1" = compare ]; then echo "| compared |" > compared.md; fi
  local code=\${codes[0]}; codes=("\${codes[@]:1}")
  return "$code"
}
`;
}

/** Runs a step as GitHub would, but for `muster`. */
function runStep(name: string, codes: readonly number[]) {
  const [shell, ...words] = STEP_SHELL;
  const env = { ...workflow.env, PATH: process.env.PATH, GITHUB_STEP_SUMMARY: join(folder, 'step.md') };
  const { status, stdout } = spawnSync(shell, [...words, fake(codes) + stepText(workflow, name)], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { code: status, stdout, asked: readFileSync(join(folder, 'said'), 'utf8').trim().split('\n') };
}

describe('the gate of examples/github-workflow.yml', () => {
  it.each([0, 99, 105, 115])('ends with %i at once if the run does', (code) => {
    const step = runStep('Measure', [code, 0]);
    expect(step).toMatchObject({ code, stdout: '' });
    expect(step.asked).toHaveLength(1);
  });

  it.each([0, 99])('tries again after 111, and ends as the second run does: %i', (code) => {
    const step = runStep('Measure', [111, code]);
    expect(step.code).toBe(code);
    expect(step.stdout).toMatch(/^::warning title=INVALID::[^\n]+\n$/);
  });

  it('says after 111 twice that nothing was measured, and fails', () => {
    const step = runStep('Measure', [111, 111, 0]);
    expect(step.code).toBe(111);
    expect(step.stdout).toContain('::error title=Not measured::');
    expect(step.asked).toHaveLength(2);
  });

  it('takes other hosts for the second try, as the server knows the first ones', () => {
    const seeds = runStep('Measure', [111, 0]).asked.map((words) => /--seed (\S+)/.exec(words)?.[1]);
    expect(new Set(seeds).size).toBe(2);
    expect(seeds).not.toContain(undefined);
  });

  it.each([0, 114])('ends with the code of the comparison, and shows it beside the step: %i', (code) => {
    rmSync(join(folder, 'step.md'), { force: true });
    expect(runStep('Compare', [code]).code).toBe(code);
    expect(readFileSync(join(folder, 'step.md'), 'utf8')).toBe('| compared |\n');
  });

  it('keeps results whatever came of the run', () => {
    const upload = workflow.jobs.load?.steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact@'));
    expect(upload?.if).toBe('always()');
  });

  it('installs the file that npm pack writes', () => {
    const file = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`;
    expect(workflow.env.MUSTER_PACKAGE).toMatch(new RegExp(`/${file}$`));
    expect(readFileSync(resolve(import.meta.dirname, '../docs/install.md'), 'utf8')).toContain(`./${file}`);
  });
});
