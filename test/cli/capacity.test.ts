import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { muster } from './muster.ts';

const cwd = mkdtempSync(join(tmpdir(), 'muster-capacity-'));
afterAll(() => rmSync(cwd, { recursive: true }));

writeFileSync(
  join(cwd, 'small.yaml'),
  `name: small
fleet: { agents: 2, payload: lean, profiles: { windows-server-2022: 1 }, identities: known.sqlite }
phases:
  - { name: enroll, register: { over: 20ms } }
  - { name: steady, duration: 9s, checkdata: { every: 100ms } }
thresholds:
  checkdata: ["error_rate < 10%", "count > 1000"]
`,
);

describe('muster capacity', () => {
  it.each<[string[], string]>([
    [['--until', 'checkdata p(99) < 5'], '--until: expected a duration such as 250ms after p(99) <, found "5"'],
    [['--from', '10/s'], '--from: expected a number of agents such as 500, found "10/s"'],
    [['--raise', 'rate'], 'The phase steady has no load with a rate to raise; use --raise agents'],
    [['--raise', 'load'], 'expected one of "agents", "rate", found "load"'],
    [['--from', '9', '--to', '4'], 'The search would start at 9 agents and end at 4 agents: --to must be at least'],
    [['--to', '9999999'], 'The search would reach 10.0M agents, but this machine has room for'],
    [['--growth', '1'], '--growth: expected a factor from 1.05 to 10 such as 1.5, found "1"'],
    [['--resolution', '0.5%'], '--resolution: expected a percentage from 1% to 50%, found "0.5%"'],
    [['--step', '0s'], '--step: expected a duration such as 15s, found "0s"'],
    [['--settle', '-5s'], '--settle'],
    [['--html', 'none/curve.html'], 'cannot write'],
    [['--json', '--json', '--from', '1', '--from', '2'], '--from: expected one value, found 2'],
  ])('rejects %j before the search starts', async (args, complaint) => {
    const { code, stdout, stderr } = await muster(['capacity', 'small.yaml', ...args], { cwd });
    expect({ code, stdout }).toEqual({ code: 104, stdout: '' });
    expect(stderr).toContain(complaint);
    expect(stderr).not.toContain('steps');
  });

  it('loads no other host without permission', async () => {
    const { code, stderr } = await muster(['capacity', 'small.yaml', '--target', 'http://mon.example'], { cwd });
    expect(code).toBe(112);
    expect(stderr).toContain('--allow mon.example');
  });
});
