import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { controlFileOf } from '../../src/base/storage/control-file.ts';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { muster } from './muster.ts';

const SCENARIO = `
fleet: { agents: 10, payload: lean }
phases: [{ name: steady, duration: 4s, checkdata: { every: 500ms } }]
`;

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'muster-run-control-'));
  writeFileSync(join(cwd, 'small.yaml'), SCENARIO);
});
afterEach(() => rmSync(cwd, { recursive: true }));

describe('muster run --control', () => {
  it('can be inspected and controlled by muster ctl while it runs, and leaves no file behind', async () => {
    const run = muster(['run', 'small.yaml', '--control', '--json'], { cwd });
    const file = controlFileOf(join(cwd, 'fleets', 'small', 'identities.db'));
    await expect.poll(() => existsSync(file)).toBe(true);
    await expect.poll(async () => (await muster(['ctl', 'agents'], { cwd })).code).toBe(EXIT_CODES.pass);
    const done = await muster(['ctl', 'do', 'restart', '--cohort', '0..2', '--name', 'by-hand'], { cwd });
    expect(done.stdout).toMatch(/^by-hand hits 3 agents \(0\.\.2\): /);
    const { stderr, stdout } = await run;
    expect(stderr).toMatch(/^Control: http:\/\/127\.0\.0\.1:\d+$/m);
    expect(stderr).not.toContain('token');
    expect(JSON.parse(stdout).events).toMatchObject([{ name: 'by-hand', do: 'restart', agents: 3 }]);
    expect(readdirSync(cwd).sort()).toEqual(['results', 'small.yaml']);
    expect((await muster(['ctl', 'fleet'], { cwd })).stderr).toMatch(/^Expected a running fleet, found none in /);
  });

  it.each([
    [['small.yaml', '--control=somewhere'], /^--control: expected an address such as 127\.0\.0\.1:9500/],
    [['small.yaml', 'small.yaml', '--control'], /^--control: expected one scenario, found 2;/],
  ])('is rejected in one sentence: %j', async (args, sentence) => {
    const { code, stderr } = await muster(['run', ...args], { cwd });
    expect(code).toBe(EXIT_CODES.userError);
    expect(stderr).toMatch(sentence);
  });
});
