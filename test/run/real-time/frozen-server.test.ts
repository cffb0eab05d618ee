import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { percentileOf, timesUnderFreeze } from '../../../src/run/calibration/truth.ts';
import { finishedRun, GENERATOR_TOO_SLOW, NOT_KEPT_UP, repeatedIfBusy, WITHOUT_FAULT } from './finished-run.ts';
import { serve } from './own-server.ts';
import { total } from './sums.ts';

// Each agent is due twice in total, so that none is due while an earlier arrival of its own is still waiting.
const LOAD = { ratePerSecond: 80, agents: 40, durationMs: 1000, freezeMs: 700 };
const CALM_ARRIVALS = 10;

/**
 * The server freezes at an arrival, not at a time. Every later arrival is therefore answered no earlier than one freeze after
 * that arrival was due, however slow the machine is. Service counts from the actual start, so the server itself tells the least of it.
 */
it('a run measures the wait of every arrival while its server is frozen, including those that wait for their agent', async ({
  skip,
}) => {
  const { summary, authorizations, heldMs } = await repeatedIfBusy(
    measure,
    (it) => it.summary.verdict.kind === GENERATOR_TOO_SLOW,
  );
  const verdict = summary.verdict.kind;
  expect(WITHOUT_FAULT).toContain(verdict);
  expect(total(summary, 'authorize', 'started')).toBe(authorizations);
  skip(verdict === GENERATOR_TOO_SLOW, NOT_KEPT_UP);
  const latency = summary.phases[1]?.operations.find(({ operation }) => operation === 'authorize')?.latencyMs;
  const { responseMs } = timesUnderFreeze(LOAD);
  expect(total(summary, 'authorize', 'succeeded')).toBe(responseMs.length);
  for (const [name, percentile] of [
    ['p50', 50],
    ['p90', 90],
    ['p99', 99],
    ['max', 100],
  ] as const) {
    expect(latency?.response?.[name], `response ${name}`).toBeGreaterThanOrEqual(
      percentileOf(responseMs, percentile) * 0.999,
    );
    expect(latency?.service?.[name], `service ${name}`).toBeGreaterThanOrEqual(
      percentileOf(heldMs, percentile) * 0.999,
    );
  }
  // The first arrival whose agent is still waiting for an answer starts when that answer arrives.
  const waitedFirstMs = LOAD.freezeMs - (LOAD.agents * 1000) / LOAD.ratePerSecond;
  expect(latency?.lag?.max).toBeGreaterThanOrEqual(waitedFirstMs * 0.999);
});

async function measure() {
  let authorizations = 0;
  const heldMs: number[] = [];
  let thaw: Promise<void> | undefined;
  const url = await serve(async (request, response) => {
    const { agentuuid, password } = JSON.parse(await text(request)) as { agentuuid: string; password: string };
    const receivedMs = performance.now();
    const authorizes = request.url?.endsWith('register_agent.json') === true && password !== '';
    if (authorizes) authorizations++;
    if (authorizations === CALM_ARRIVALS) {
      thaw ??= new Promise((resolve) => setTimeout(resolve, LOAD.freezeMs + 1));
    }
    await thaw;
    if (authorizes) heldMs.push(performance.now() - receivedMs);
    response.writeHead(password === '' ? 201 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ agentuuid, password: password || 'issued' }));
  });
  const summary = await finishedRun(
    `target: { url: "${url}" }
fleet: { agents: ${LOAD.agents}, payload: lean, profiles: { windows-server-2022: 1 } }
phases:
  - { name: enroll, register: { rate: 100/s } }
  - { name: steady, duration: ${LOAD.durationMs}ms, authorize: { rate: ${LOAD.ratePerSecond}/s } }`,
  );
  return { summary, authorizations, heldMs };
}
