import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { ALONE, startRun } from '../../src/run/run.ts';
import { GENERATOR_TOO_SLOW, NOT_KEPT_UP, repeatedIfBusy } from '../run/real-time/finished-run.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';

const DOWN_MS = 8000;
const UP_MS = 10_000;
/** Jobs of other clients in the queue after the outage, processed one after another. */
const BACKLOG_JOBS = 1040;
const JOB_MS = 10;
/** Time of a normal answer: long enough that a pause of this process, which is also the server's, is no slow answer. */
const NORMAL_MS = 300;

/**
 * Answers 503 for a fixed time, and then answers all requests only after its backlog. Records when it recovered: the time of
 * the last answer that had to wait.
 */
async function recoveringServer() {
  let startMs = Number.NaN;
  let lastWaitedMs = 0;
  const server = createServer(async (request, response) => {
    const { agentuuid } = JSON.parse(await text(request)) as { agentuuid: string };
    const isNew = request.url?.endsWith('register_agent.json') === true;
    const atMs = Date.now() - startMs;
    const waitMs = atMs < UP_MS ? 0 : Math.max(0, UP_MS + BACKLOG_JOBS * JOB_MS - atMs);
    setTimeout(() => {
      if (waitMs > 0) lastWaitedMs = Date.now() - startMs;
      response.writeHead(atMs >= DOWN_MS && atMs < UP_MS ? 503 : isNew ? 201 : 200, {
        'Content-Type': 'application/json',
      });
      response.end(JSON.stringify(isNew ? { agentuuid, password: 'issued' } : { received_checks: 1 }));
    }, NORMAL_MS + waitMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    started: (at: Date) => {
      startMs = at.getTime();
    },
    /** Time from the end of the outage. */
    recoveryMs: () => lastWaitedMs - UP_MS,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function measure() {
  const server = await recoveringServer();
  // Each agent waits once at most, so that none has a queue of its own.
  const scenario = scenarioOf(`
target: { url: "${server.url}", timeout: 20s }
fleet: { agents: 300, payload: lean, profiles: { debian-12: 1 } }
phases:
  - { name: enroll, duration: 2s, register: { over: 1s } }
  - { name: steady, duration: 30s, checkdata: { every: 15s, spread: even } }
events: [{ do: check-error, check: swap, name: outage, at: 8s, for: 2s }]
validity: { schedulingDelay: 500ms }
thresholds: { "recovery{event:outage}": ["time < 60s"] }`);
  const run = startRun({ ...ALONE, scenario, workers: 1, resultsFolder: undefined }, (event) => {
    if (event.kind === 'started') server.started(event.startedAt);
  });
  const { summary } = await run.outcome.finally(server.close);
  return { summary, truthMs: server.recoveryMs() };
}

it('a measured recovery differs by less than 10 % from what the server recorded', { timeout: 300_000 }, async ({
  skip,
}) => {
  const { summary, truthMs } = await repeatedIfBusy(measure, (it) => it.summary.verdict.kind === GENERATOR_TOO_SLOW);
  skip(summary.verdict.kind === GENERATOR_TOO_SLOW, NOT_KEPT_UP);
  const [recovery] = summary.recoveries ?? [];
  expect(truthMs).toBeGreaterThanOrEqual(BACKLOG_JOBS * JOB_MS - 10);
  expect(Math.abs((recovery?.timeMs ?? 0) / truthMs - 1), JSON.stringify({ recovery, truthMs })).toBeLessThan(0.1);
});
