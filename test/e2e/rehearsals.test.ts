import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { summarySchema } from '../../src/metrics/summary/summary-schema.ts';
import { NOT_KEPT_UP, repeatedIfBusy } from '../run/real-time/finished-run.ts';
import { muster } from './muster.ts';

const SCENARIOS = resolve(import.meta.dirname, '../../scenarios');

/** Each scenario with events, with a fault of the server that must make it fail. */
const REHEARSALS = [
  ['outage-and-herd', '{ do: freeze, at: steady+15s, for: 15s }'],
  ['cloned-machines', '{ do: status, status: 503, at: cloned, share: 20% }'],
  ['upgrade-wave', '{ do: status, status: 500, at: roll-out+10s, share: 5% }'],
  ['lost-passwords', '{ do: forget, at: after }'],
  ['site-restart', '{ do: connection-limit, connections: 75, at: steady+8s }'],
  ['patch-day', '{ do: latency, delay: 1s, at: patch-day+5s }'],
  ['hostile-agents', '{ do: freeze, at: attacked+2s, for: 8s }'],
] as const;

/** Fewer than in their files, so that the machine keeps up with several: what these tests hold does not depend on the size. */
const AGENTS = '150';

/** Exit code of a run whose machine was too busy, which allows no statement about the server. */
const TOO_BUSY = EXIT_CODES.invalid;

/** Protects only against hanging: a run takes less than a minute. */
const LIMIT = { timeout: 600_000 };

describe.concurrent('the scenario', () => {
  for (const [name, fault] of REHEARSALS) {
    const args = ['run', join(SCENARIOS, `${name}.yaml`), '--agents', AGENTS, '--quiet'];
    const run = (...flags: string[]) =>
      repeatedIfBusy(
        () => muster(...args, ...flags),
        ({ code }) => code === TOO_BUSY,
      );

    // How fast a server answers and recovers depends on the machine; what it answers does not.
    it(`${name} crosses no threshold except on times against the embedded server`, LIMIT, async ({ skip }) => {
      const { code, stdout, stderr } = await run('--json');
      skip(code === TOO_BUSY, NOT_KEPT_UP);
      const { thresholds } = summarySchema.parse(JSON.parse(stdout));
      const crossed = thresholds.filter((one) => !one.passed && one.unit !== 'milliseconds' && one.kind !== 'recovery');
      expect(crossed, stderr).toEqual([]);
    });

    it(`${name} fails if the server misbehaves`, LIMIT, async ({ skip }) => {
      const { code, stdout, stderr } = await run('--set', `target.faults=[${fault}]`, '--out', `${name}-faulty`);
      skip(code === TOO_BUSY, NOT_KEPT_UP);
      expect(code, stdout + stderr).toBe(EXIT_CODES.thresholdCrossed);
    });
  }
});
