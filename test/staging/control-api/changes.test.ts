import { afterEach, describe, expect, it } from 'vitest';
import type { FleetEvent } from '../../../src/load/events/event.ts';
import type { TimelineFrame } from '../../../src/metrics/merging/timeline.ts';
import { NO_LISTENER_COUNTS } from '../../../src/metrics/recording/listener-counts.ts';
import { closeServed, type ServedFleet, serveFleet } from './served-fleet.ts';

afterEach(closeServed);

function second(number: number): TimelineFrame {
  const agents = { unregistered: 0, waiting: 0, refused: 0, registered: number, authorized: 0 };
  const state = { agents, inFlight: 0, listening: 0, down: 0, listeners: NO_LISTENER_COUNTS };
  return { ...state, second: number, series: [], workers: [] };
}

type Told = { readonly event: string; readonly data: Readonly<Record<string, unknown>> };

/** Reads changes until this many messages have arrived. */
async function listen({ ask }: ServedFleet, count: number, act: () => void): Promise<readonly Told[]> {
  const answer = await ask('/api/v1/changes');
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const told: Told[] = [];
  let rest = '';
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let begun = false; told.length < count; ) {
    const { value = '', done } = (await reader?.read()) ?? { done: true };
    if (done) break;
    if (!begun) act();
    begun = true;
    const parts = `${rest}${value}`.split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(part) ?? [];
      if (event !== undefined && data !== undefined) told.push({ event, data: JSON.parse(data) });
    }
  }
  await reader?.cancel();
  return told;
}

describe('the stream of changes', () => {
  it('reports seconds, states and events as they occur', async () => {
    const since: unknown[] = [];
    const served = await serveFleet(
      { agents: 9, shard: { index: 1, count: 2 }, events: '[{ do: disconnect, name: cable }]' },
      {
        changes: async (from) => {
          since.push(from);
          return { next: `${since.length}`, missed: 0, changes: from === undefined ? [] : [{ place: 3, code: 0x23 }] };
        },
      },
    );
    const { run } = served;
    run.started(new Date('2026-01-31T12:00:00Z'));
    const events = run.fleet.events();
    const told = await listen(served, 4, () => {
      const another: FleetEvent = { ...(events[0] as FleetEvent), name: 'another' };
      run.changeEvents([...events, another]);
      setImmediate(() => run.add([second(7)]));
    });
    expect(told.map(({ event }) => event)).toEqual(['event', 'second', 'states', 'health']);
    expect(told[0]?.data).toMatchObject({ name: 'another', do: 'disconnect' });
    expect(told[1]?.data).toMatchObject({ at: '2026-01-31T12:00:07.000Z', agents: { registered: 7 } });
    expect(told[2]?.data).toEqual({ agents: [7], codes: [0x23], missed: 0 });
    expect(told[3]?.data).toMatchObject({ first: 1, step: 2, codes: 'AgEAAw==', isWell: false });
    expect(since).toEqual([undefined, '1']);
  });

  it('reports changes as missed if there are more than all states together', async () => {
    const changes = Array.from({ length: 10_001 }, (_, place) => ({ place, code: 3 }));
    const served = await serveFleet(
      { agents: 20_000 },
      {
        changes: async (from) => ({
          next: '1',
          missed: from === undefined ? 0 : 2,
          changes: from === undefined ? [] : changes,
        }),
      },
    );
    served.run.started(new Date());
    const told = await listen(served, 2, () => setImmediate(() => served.run.add([second(0)])));
    expect(told[1]).toEqual({ event: 'states', data: { agents: [], codes: [], missed: 10_003 } });
  });

  it('reports that a scenario was applied, after which agents must be read again', async () => {
    const served = await serveFleet({ agents: 7 });
    const { run } = served;
    const told = await listen(served, 1, () => {
      const { scenario } = served.fleet;
      served.goOnWith({ ...scenario, fleet: { ...scenario.fleet, agents: 9 } });
      run.changeEvents([]);
    });
    expect(told).toEqual([{ event: 'scenario', data: { agents: 9 } }]);
    const about = (await (await served.ask('/api/v1/fleet')).json()) as { readonly agents: { readonly total: number } };
    expect(about.agents.total).toBe(9);
    expect(await (await served.ask('/api/v1/cohorts?cohort=8')).json()).toMatchObject({ count: 1 });
    expect((await served.ask('/api/v1/cohorts?cohort=9')).status).toBe(400);
  });

  it('does not query shards without a listener', async () => {
    let asked = 0;
    const served = await serveFleet(
      {},
      {
        changes: async () => {
          asked++;
          return { next: '0', missed: 0, changes: [] };
        },
      },
    );
    served.run.started(new Date());
    const askedFor = () => {
      const before = asked;
      served.run.add([second(2)]);
      return asked - before;
    };
    expect(askedFor()).toBe(0);
    await listen(served, 1, () => served.run.add([second(1)]));
    expect(asked).toBeGreaterThan(0);
    // Until the server knows that the listener has left.
    await expect.poll(askedFor).toBe(0);
  });

  it('closes the connection of a slow reader instead of buffering', async () => {
    const changes = Array.from({ length: 10_000 }, (_, place) => ({ place, code: 3 }));
    const served = await serveFleet({ agents: 10_000 }, { changes: async () => ({ next: '0', missed: 0, changes }) });
    served.run.started(new Date());
    const unread = await served.ask('/api/v1/changes');
    // Far more than the buffers of both sides hold.
    for (let n = 0; n < 400; n++) {
      served.run.add([second(n)]);
      await new Promise(setImmediate);
    }
    await expect(unread.text()).rejects.toThrow('terminated');
    // Other clients are still served.
    expect((await served.ask('/api/v1/fleet')).status).toBe(200);
  });
});
