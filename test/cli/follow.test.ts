import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { summarySchema } from '../../src/metrics/summary/summary-schema.ts';
import { total } from '../run/real-time/sums.ts';
import { muster } from './muster.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'muster-follow-test-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

describe('muster replay --follow', () => {
  it('sends the requests of its input to the target, accounts for each, and ends with its input', async () => {
    const nowS = Date.now() / 1000;
    const lines = Array.from({ length: 60 }, (_, index) => {
      const request = 'POST /agentconnector/submit_checkdata.json HTTP/1.1';
      return `192.0.2.${index % 6} ${(nowS + index / 100).toFixed(3)} "${request}" 200\n`;
    });
    const args = [
      '--follow',
      '--target',
      'embedded',
      '--agents',
      '5',
      '--format',
      '$remote_addr $msec "$request" $status',
    ];
    const { code, stdout } = await muster(['replay', '-', ...args], { cwd, stdin: lines.join('') });
    expect(code).toBe(0);
    expect(stdout).toContain('followed 60 requests: ');
    expect(stdout).toContain('10 dropped: more addresses than --agents');
    const tooLate = Number(/(\d+) dropped: logged too late/.exec(stdout)?.[1] ?? 0);
    const summary = summarySchema.parse(
      JSON.parse(readFileSync(join(cwd, 'results/followed/latest/summary.json'), 'utf8')),
    );
    const planned = total(summary, 'register', 'planned') + total(summary, 'checkdata', 'planned');
    // An agent that is unknown to the target registers first, and then sends the check data.
    expect(planned).toBeGreaterThanOrEqual(50 - tooLate);
  });

  it.each([
    [['-', '--follow']],
    [['access.log', '--follow', '--target', 'embedded']],
    [['-', '--follow', '--target', 'embedded', '--delay', '10ms']],
  ])('needs the input, a target and a delay: %j', async (args) => {
    expect(await muster(['replay', ...args], { cwd })).toMatchObject({
      code: 104,
      stderr: expect.stringContaining('--follow: expected the log on stdin, a target, and a delay of at least 1s'),
    });
  });

  it('sends to other machines only with permission', async () => {
    const args = ['replay', '-', '--follow', '--target', 'https://mon.example'];
    expect((await muster(args, { cwd })).code).toBe(112);
  });
});
