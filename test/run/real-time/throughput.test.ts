import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { finishedRun, GENERATOR_TOO_SLOW, NOT_KEPT_UP, repeatedIfBusy } from './finished-run.ts';
import { serve } from './own-server.ts';
import { total } from './sums.ts';

// Timers fire late but never early, so that the server is never faster than this on any machine.
const SERVED = { intervalMs: 10, durationMs: 1000, planned: 250 };

it('a run against a server with a queue reports the throughput of the server, not of its plan', async ({ skip }) => {
  const { summary, isSoonAnswered } = await repeatedIfBusy(
    measure,
    (it) => it.summary.verdict.kind === GENERATOR_TOO_SLOW,
  );
  const { verdict, overall, thresholds } = summary;
  const authorize = overall.find(({ operation }) => operation === 'authorize');
  // On a very busy machine, the server may have answered no request by the end of the phase.
  if (isSoonAnswered && verdict.kind !== GENERATOR_TOO_SLOW) expect(authorize?.succeededPerSecond).toBeGreaterThan(0);
  expect(authorize?.succeededPerSecond).toBeLessThanOrEqual(SERVED.durationMs / SERVED.intervalMs + 1);
  skip(verdict.kind === GENERATOR_TOO_SLOW, NOT_KEPT_UP);
  expect(total(summary, 'authorize', 'planned')).toBe(SERVED.planned);
  const [rate] = thresholds;
  expect(rate?.passed).toBe(false);
  // If the generator was late for a moment, the threshold judges the rest.
  if (rate?.kind === 'operation' && rate.leftOut === undefined)
    expect(rate.observed).toBe(authorize?.succeededPerSecond);
  expect(authorize?.succeeded).toBe(SERVED.planned);
  expect(verdict.kind).toBe('threshold_crossed');
});

async function measure() {
  let free: Promise<unknown> = Promise.resolve();
  let firstMs: number | undefined;
  let isSoonAnswered = false;
  const url = await serve(async (request, response) => {
    const { agentuuid, password } = JSON.parse(await text(request)) as { agentuuid: string; password: string };
    if (password !== '' && request.url?.endsWith('register_agent.json') === true) {
      firstMs ??= performance.now();
      free = free.then(() => new Promise((resolve) => setTimeout(resolve, SERVED.intervalMs + 1)));
      await free;
      isSoonAnswered ||= performance.now() - firstMs < SERVED.durationMs / 2;
    }
    response.writeHead(password === '' ? 201 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ agentuuid, password: password || 'issued' }));
  });
  const summary = await finishedRun(
    `target: { url: "${url}" }
fleet: { agents: 300, payload: lean, profiles: { windows-server-2022: 1 } }
phases:
  - { name: enroll, exclude: true, register: { rate: 500/s } }
  - { name: steady, duration: ${SERVED.durationMs}ms, authorize: { rate: ${SERVED.planned}/s } }
thresholds: { authorize: ["rate > 200/s", "count == ${SERVED.planned}", "error_rate == 0%"] }`,
  );
  return { summary, isSoonAnswered };
}
