import { expect, it, onTestFinished } from 'vitest';
import { monotonicClock, realTimer } from '../../../src/base/runtime/event-loop.ts';
import { PUSH_CASES, tryPushes } from '../../../src/conformance/pushes/mode.ts';
import { selfSigned } from '../../../src/wire/http/tls.ts';
import { startFleet } from '../../run/listening/running-fleet.ts';

it('the simulated agent breaks no rule of pushes', async () => {
  const stop = new AbortController();
  const started = Promise.withResolvers<Awaited<ReturnType<typeof startFleet>>>();
  const results = await tryPushes(
    {
      listen: { host: '127.0.0.1', port: 0 },
      credentials: await selfSigned(['127.0.0.1']),
      password: 'b'.repeat(128),
      patienceMs: 20_000,
      opened: (url) => {
        started.resolve(
          startFleet(`
target: { url: "${url}", apiKey: KEY, timeout: 900ms }
fleet: { agents: 1, seed: 1, payload: lean, profiles: { debian-12: 1 } }
webServer: { listen: LISTEN }
phases: [{ name: push, duration: 5m, checkdata: { every: 500ms }, packages: { every: 5s, first: 1s } }]`),
        );
      },
      warn: () => {},
    },
    PUSH_CASES,
    { clock: monotonicClock, timer: realTimer, signal: stop.signal, onResult: () => {} },
  );
  const fleet = await started.promise;
  onTestFinished(fleet.close);
  expect(results?.filter(({ verdict }) => verdict.kind === 'broken').map(({ rule }) => rule.id)).toEqual([]);
  const untried = results?.filter(({ verdict }) => verdict.kind === 'untried').map(({ rule }) => rule.id);
  expect(untried).toEqual(['tls.7']);
  await fleet.stop();
}, 180_000);
