import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { rebuild } from '../../../src/results/rebuild.ts';
import { ALONE, startRun } from '../../../src/run/run.ts';
import { row, traceText } from '../../load/traces/traces.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-trace-'));
afterAll(() => rmSync(folder, { recursive: true }));

const AGENTS = 20;
const KNOWN = 16;

/** Agents that are known push three times, the others register and push once. */
const ROWS = [
  ...Array.from({ length: 3 * KNOWN }, (_, n) => row(10_000 * n, 'checkdata', n % KNOWN)),
  ...Array.from({ length: AGENTS - KNOWN }, (_, n) => row(500_000 + 1000 * n, 'register', KNOWN + n)),
  ...Array.from({ length: AGENTS - KNOWN }, (_, n) => row(900_000 + 1000 * n, 'checkdata', KNOWN + n)),
].map((one) => ({ ...one, status: one.operation === 'register' ? 201 : 200, responseMs: 7 }));

function replay() {
  const file = join(folder, 'incident.trace');
  writeFileSync(file, traceText(AGENTS, ROWS));
  const text = `
name: replay
target: { url: embedded }
fleet: { agents: ${AGENTS}, payload: lean, profiles: { windows-server-2022: 1 } }
phases:
  - { name: enroll, exclude: true, duration: 1s, register: { over: 200ms, agents: ${KNOWN} } }
  - { name: replay, load: { trace: ${file} } }`;
  return { file, scenario: scenarioOf(text, [], {}, { [file]: readFileSync(file, 'utf8') }) };
}

it.each([1, 3])('%i workers send each row of a trace once, and results have the log beside it', async (workers) => {
  const { outcome } = startRun({ ...ALONE, scenario: replay().scenario, workers, resultsFolder: folder }, () => {});
  const { summary, resultsPath = '' } = await outcome;
  const counts = (operations: readonly { operation: string; planned: number }[] = []) =>
    operations.map(({ operation, planned }) => [operation, planned]);
  const expected = [
    ['register', AGENTS - KNOWN],
    ['checkdata', 3 * KNOWN + AGENTS - KNOWN],
  ];
  expect(counts(summary.phases[1]?.operations)).toEqual(expected);
  expect(counts(summary.logged?.phases[0]?.operations)).toEqual(expected);
  expect(summary.delivery).toMatchObject({ observed: true, lost: 0, duplicated: 0 });
  expect(summary.agents).toMatchObject({ registered: AGENTS });
  expect((await rebuild(resultsPath)).summary).toEqual(summary);
});

it('a trace that has changed since its scenario was read is refused before the first request', async () => {
  const { file, scenario } = replay();
  appendFileSync(file, '2000000\tc\t0\t0\n');
  const { outcome } = startRun({ ...ALONE, scenario, workers: 1, resultsFolder: undefined }, () => {});
  await expect(outcome).rejects.toThrow(
    /^The trace \S+: expected the file with \d+ bytes that the scenario was read with/,
  );
});
