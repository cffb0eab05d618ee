import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder, recordedRun } from '../results/result.ts';
import { muster } from './muster.ts';

describe('muster report', () => {
  it('prints the summary and writes it into the folder, with the exit code of its verdict', async () => {
    const { folder } = await recordedRun();
    const before = readFileSync(join(folder, 'summary.json'), 'utf8');
    rmSync(join(folder, 'summary.json'));
    const { code, stdout, stderr } = await muster(['report', folder]);
    expect([code, stderr]).toEqual([99, '']);
    expect(stdout).toContain('THRESHOLD CROSSED');
    expect(readFileSync(join(folder, 'summary.json'), 'utf8')).toBe(before);
  });

  it('prints only JSON with --json', async () => {
    const { folder, summary } = await recordedRun();
    const { stdout } = await muster(['report', folder, '--json']);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(summary)));
  });

  it('writes JUnit XML, and appends to the GitHub step summary', async () => {
    const { folder } = await recordedRun(5);
    const cwd = newFolder();
    const step = join(cwd, 'step.md');
    writeFileSync(step, 'before\n');
    const { code } = await muster(['report', folder, '--junit', 'junit.xml'], {
      cwd,
      env: { GITHUB_STEP_SUMMARY: step },
    });
    expect(code).toBe(113);
    expect(readFileSync(join(cwd, 'junit.xml'), 'utf8')).toContain('<error message="the run was killed');
    expect(readFileSync(step, 'utf8')).toMatch(/^before\n### kept: ⚠️ INCOMPLETE\n/);
    expect(readdirSync(cwd).sort()).toEqual(['junit.xml', 'step.md']);
  });

  it.each([
    ['no folder is there', 'missing/junit.xml', 'no such file or directory'],
    ['a folder has the name', 'taken', 'it is a folder'],
  ])('ends with 104 and changes nothing if %s for the JUnit file', async (_, name, reason) => {
    const { folder } = await recordedRun(5);
    const cwd = newFolder();
    mkdirSync(join(cwd, 'taken'));
    const { code, stdout, stderr } = await muster(['report', folder, '--junit', name], { cwd });
    expect([code, stdout]).toEqual([104, '']);
    expect(stderr).toContain(`cannot write ${join(cwd, name)}: ${reason}`);
    expect(readdirSync(folder)).not.toContain('summary.json');
  });

  it('ends with 104 for a folder that is not a result', async () => {
    const { code, stderr } = await muster(['report', newFolder()]);
    expect(code).toBe(104);
    expect(stderr).toContain('is not a result of a run');
  });
});
