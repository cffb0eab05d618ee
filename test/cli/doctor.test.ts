import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { MachineLimits } from '../../src/base/system/limits.ts';
import { calibrationText, doctorText } from '../../src/cli/actions/doctor.ts';
import {
  clockDiagnoses,
  machineDiagnoses,
  measureClock,
  neighborDiagnoses,
  nodeDiagnosis,
  programDiagnoses,
} from '../../src/cli/doctor/diagnoses.ts';
import { planText } from '../../src/cli/output/plan-text.ts';
import { PLAIN } from '../../src/report/palette.ts';
import { planOf } from '../../src/scenario/planning/plan.ts';
import { HOST_DATA } from '../hosts/host-data.ts';
import { scenarioOf, withPhases } from '../scenario/read-scenario.ts';
import { muster } from './muster.ts';

const WIDE = { ...PLAIN, columns: 100 };

const LIMITS: MachineLimits = {
  fileDescriptors: 1024,
  hardFileDescriptors: 524_288,
  addressBytes: undefined,
  localPorts: 28_232,
  localPortRange: { first: 32_768, last: 60_999 },
  memoryBytes: 8e9,
  cores: 4,
};
const SCENARIO = withPhases('  - { name: steady, duration: 10s, checkdata: { every: 5s } }\n');

const folder = mkdtempSync(join(tmpdir(), 'muster-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('what others take of the machine', () => {
  it('is a share of its cores, with a remedy above a quarter', () => {
    const found = (otherCores: number | undefined, stealShare = 0) =>
      neighborDiagnoses({ cores: 2, loadAverage: 1, otherCores, stealShare }).map(
        ({ mark, found, meaning, remedy }) => [...[mark, found, meaning], remedy === ''],
      );
    expect(found(0.5)).toEqual([['good', '0.5 of 2 cores', '25% of this machine in the last second', true]]);
    expect(found(1.9)).toEqual([['caution', '1.9 of 2 cores', '95% of this machine in the last second', false]]);
    expect(found(0.1, 0.3)[0]?.slice(0, 3)).toEqual([
      ...['caution', '0.1 of 2 cores'],
      '5% of this machine in the last second; the hypervisor gave 30% to other machines',
    ]);
    expect(found(undefined)).toEqual([]);
  });
});

describe('doctor', () => {
  it('always ends with 0 and prints to stdout', async () => {
    const { code, stdout, stderr } = await muster(['doctor', '--agents', '9999999']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const what of ['open files', 'local ports', 'cores', 'memory', 'clock', 'timers', 'Node', 'nginx'])
      expect(stdout).toMatch(new RegExp(`^  [✓!-] ${what} `, 'm'));
  });

  it('says how to raise a limit that is too low, and nothing about others', () => {
    const text = doctorText([{ title: 'This machine', diagnoses: machineDiagnoses(LIMITS, 1000) }], WIDE);
    expect(text).toBe(`This machine

  ! open files   1,024 soft, 524,288 hard  960 agents; with the embedded server: 480 agents
      → raise it with ulimit -n 2064, LimitNOFILE=2064 in a systemd unit, or --ulimit nofile=2064
      for a container
  ✓ local ports  28,232                    28,232 agents to one address and port of a server
  ✓ cores        4                         4 workers; with the embedded server: 3
  ✓ memory       8.0 GB                    about 980,000 agents; with the embedded server: about
                                           200,000 agents

`);
  });

  it('says what is needed if the machine does not report its limits', () => {
    const limits = { ...LIMITS, fileDescriptors: undefined, hardFileDescriptors: undefined, localPorts: undefined };
    expect(machineDiagnoses(limits, 1000).slice(0, 2)).toMatchObject([
      { mark: 'good', found: 'unknown', meaning: '2,064 needed at peak' },
      { mark: 'good', found: 'unknown', meaning: '1,000 needed at peak' },
    ]);
  });

  it('counts like plan: the reported number of agents is enough, and one more is not', () => {
    const planned = (agents: number) => {
      const scenario = scenarioOf(SCENARIO, [`fleet.agents=${agents}`]);
      return planText(scenario, planOf(scenario, HOST_DATA), { limits: LIMITS, columns: 120 });
    };
    expect(planned(480)).toMatch(/file descriptors +1024 +1024 +enough/);
    expect(planned(481)).toMatch(/file descriptors +1026 +1024 +NOT ENOUGH\n {2}→ raise it with ulimit -n/);
    expect(planned(28_232)).toMatch(/local ports +28232 +28232 +enough/);
    expect(planned(28_233)).toMatch(/local ports +28233 +28232 +NOT ENOUGH\n {2}→ list more/);
  });

  it('finds a program in any folder of the path', () => {
    const program = join(folder, 'wrk');
    writeFileSync(program, '');
    chmodSync(program, 0o755);
    writeFileSync(join(folder, 'java'), 'not executable');
    chmodSync(join(folder, 'java'), 0o644);
    const found = programDiagnoses(`/nowhere::${folder}`);
    expect(found.find(({ what }) => what === 'wrk')).toMatchObject({ mark: 'good', found: program });
    expect(found.find(({ what }) => what === 'java')).toMatchObject({ mark: 'absent', found: 'not found' });
    expect(programDiagnoses(undefined).every(({ mark }) => mark === 'absent')).toBe(true);
  });

  it('warns of a coarse clock, late timers and an old Node', async () => {
    const marks = (stepMs: number, worst: number) =>
      clockDiagnoses({ stepMs, timerLateMs: { median: 0.1, worst } }).map(({ mark }) => mark);
    expect([marks(0.0001, 3), marks(1, 300)]).toEqual([
      ['good', 'good'],
      ['caution', 'caution'],
    ]);
    expect(['v23.9.0', 'v24.0.0', 'v26.1.0'].map((version) => nodeDiagnosis(version).mark)).toEqual([
      'caution',
      'good',
      'good',
    ]);
    const { stepMs, timerLateMs } = await measureClock();
    expect(stepMs).toBeGreaterThan(0);
    expect(timerLateMs.worst).toBeGreaterThanOrEqual(timerLateMs.median);
  });

  it('rejects an invalid fleet size', async () => {
    const { code, stderr } = await muster(['doctor', '--agents', 'many']);
    expect(code).toBe(104);
    expect(stderr).toContain('--agents: expected a whole number from 1 to 9999999, found "many"');
  });
});

it('a calibration shows the true times, the errors, and which clock exceeds the limit', () => {
  const comparisons = (errors: readonly number[]) =>
    [50, 90, 99].map((percentile, index) => ({ percentile, trueMs: 20, measuredMs: 20.021 + (errors[index] ?? 0) }));
  const text = calibrationText(
    [
      {
        clocks: [
          { trial: '20 ms', clock: 'service', comparisons: comparisons([1.5, 2, 3]), within: true },
          { trial: '20 ms', clock: 'response', comparisons: comparisons([2, 9, 48]), within: false },
        ],
        overOneSecond: { expected: 80, measured: 81 },
      },
    ],
    WIDE,
  );
  expect(text).toBe(`Calibration: known delays of the server, and the error of a run that measured them

    server  clock     p50            p90            p99
  ✓ 20 ms   service   20.0 ms +1.50  20.0 ms +2.00  20.0 ms +3.00
  ! 20 ms   response  20.0 ms +2.00  20.0 ms +9.00  20.0 ms +48.00

  The freeze made 80 arrivals wait longer than a second; the run measured 81.
  Histograms keep three significant digits. Timers and cores may add 10 ms to a percentile, and the
  backlog of a freeze 50 ms more. The largest error was 48.0 ms.
  Larger errors (!) mean that other processes were using the cores: stop them and calibrate again.
`);
});
