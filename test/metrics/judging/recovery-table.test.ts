import { describe, expect, it } from 'vitest';
import { EVENT_MS, type KnownServer, perfect, queue, recoveryAfter, refusing } from './recovering-servers.ts';

const RETURNING = [
  'do: restart',
  'do: restart, over: 5s',
  'do: lose-password',
  'do: new-identity',
  'do: synchronize',
  'do: stop, for: 5s',
  'do: scale, to: 30%, for: 5s',
  'do: reboot, for: 3s',
  'do: clone, for: 4s, cohort: 0..9',
  'do: upgrade, version: 3.4.0, for: 5s',
];
const OTHERS = [
  'do: retarget, apiKey: k, for: 5s',
  'do: disconnect, for: 5.3s, how: cable',
  'do: misbehave, how: broken-json, cohort: 10%, for: 5s',
  'do: check-error, check: swap, for: 5s',
];

describe('a server that never had a fault', () => {
  it.each([...RETURNING, ...OTHERS])('has recovered within a second of the return of the agents: %s', (event) => {
    const { measured } = recoveryAfter({ server: perfect(), event });
    expect(measured?.timeMs).toBeLessThan(1000);
  });

  it('has recovered at once if all agents push together every two seconds from then on', () => {
    expect(recoveryAfter({ server: perfect(), event: 'do: synchronize' }).measured).toMatchObject({
      timeMs: 0,
      herd: 2,
    });
  });
});

describe('the backlog that an event leaves in the queue of a server', () => {
  const standing = () => queue(100, [EVENT_MS + 1000, EVENT_MS + 5000]);
  it.each<[string, string, () => KnownServer, { load?: string; agents?: number }?]>([
    ...RETURNING.map((event) => [event, 'handles 75/s', () => queue(75)] as [string, string, () => KnownServer]),
    ['do: restart', 'handles 75/s', () => queue(75), { load: 'every: 10s, spread: even', agents: 600 }],
    ['do: reboot, for: 3s', 'handles 75/s', () => queue(75), { load: 'every: 2s, spread: even' }],
    ['do: check-error, check: swap, for: 5s', 'stands still for 4 s', standing],
    ['do: disconnect, for: 5s, cohort: 30%, over: 3s', 'stands still for 4 s', standing],
    ['do: stop, for: 5s', 'stands still for 4 s', standing, { load: 'rate: 60/s' }],
    ['do: check-error, check: swap, for: 5s', 'refuses for 7 s', () => refusing(90, [EVENT_MS, EVENT_MS + 7000])],
  ])('is gone when the recovery ends, within a second: %s, and it %s', (event, _, server, load = {}) => {
    const { measured, trueMs } = recoveryAfter({ server: server(), event, ...load });
    expect(Math.abs((measured?.timeMs ?? Number.NaN) - trueMs), JSON.stringify({ measured, trueMs })).toBeLessThan(
      1000,
    );
  });

  it.each<[string, KnownServer]>([
    ['hangs', { delayMs: (atMs) => (atMs < EVENT_MS ? 3 : 1e9) }],
    ['refuses', { delayMs: () => 3, status: (atMs) => (atMs < EVENT_MS ? 200 : 503) }],
    ['answers after a second', { delayMs: (atMs) => (atMs < EVENT_MS ? 3 : 1000) }],
  ])('is never excused as a burst if the server %s from the event on', (_, server) => {
    for (const event of ['do: synchronize', 'do: restart', 'do: check-error, check: swap, for: 5s']) {
      const { measured } = recoveryAfter({ server, event, load: 'every: 10s', agents: 200 });
      expect(measured?.unobserved, event).toMatch(/^not recovered in the /);
    }
  });
});
