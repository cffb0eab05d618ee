import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { EVERYONE } from '../../src/load/cohorts/cohort.ts';
import type { Action, FleetEvent } from '../../src/load/events/event.ts';
import type { Cadence } from '../../src/load/pacers.ts';
import type { Load } from '../../src/load/timeline.ts';
import { uuidOf } from '../../src/wire/agent/identity.ts';
import { answer, friendly, phase, runVirtually, type Serve, total, type VirtualSettings } from './virtual-run.ts';

const EVERY: Cadence = {
  everyMs: 10_000,
  jitter: 0,
  firstMs: 0,
  standing: false,
  spread: 'even',
  originMs: 0,
  spreadMs: 10_000,
};
const CHECKS: Load = { operation: 'checkdata', model: { kind: 'cadence', ...EVERY } };
const FIRST = { kind: 'agents', first: 0, last: 0 } as const;
const END_MS = 120_000;

function event(action: Action, times: Partial<FleetEvent> = {}): FleetEvent {
  return { name: action.kind, cohort: FIRST, fromMs: 33_000, toMs: 63_000, overMs: 0, action, ...times };
}

function runWith(events: readonly FleetEvent[], settings: Partial<VirtualSettings> = {}) {
  return runVirtually({ agents: 2, phases: [phase([CHECKS], END_MS)], serve: friendly(20), events, ...settings });
}

const of = (run: ReturnType<typeof runWith>, agent: number) => run.requests.filter((one) => one.agent === agent);
const instants = (requests: ReturnType<typeof of>) => requests.map(({ atMs }) => atMs);
const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
const PLAIN = runWith([]);

describe('without a network', () => {
  const run = runWith([event({ kind: 'disconnect', how: 'reset' })]);

  it('an agent sends nothing, and resumes its cadence when the event ends', () => {
    const expected = instants(of(PLAIN, 0)).filter((atMs) => atMs < 33_000 || atMs >= 63_000);
    expect(instants(of(run, 0))).toEqual(expected);
    expect(instants(of(PLAIN, 0)).length - expected.length).toBe(3);
  });

  it('its connection is closed, and its due operations are dropped as no_network', () => {
    expect(run.disconnected).toEqual([{ atMs: 33_000, agent: 0 }]);
    expect(run.series.find(({ operation }) => operation === 'checkdata')?.dropped).toEqual({ no_network: 3 });
  });

  it('a pending request fails, and its agent gets no later answer', () => {
    const slow = runWith([event({ kind: 'disconnect', how: 'reset' }, { fromMs: 35_010 })], { serve: friendly(500) });
    const [checks] = slow.series.filter(({ operation }) => operation === 'checkdata');
    expect(checks?.outcomes).toMatchObject({ connection_reset: 1 });
    expect(checks?.started).toBe(total(checks?.outcomes ?? {}));
  });

  it('its cable can be unplugged: pending requests wait for their time limit, and the server is not informed', () => {
    const cable = event({ kind: 'disconnect', how: 'cable' }, { fromMs: 35_010 });
    const slow = runWith([cable], {
      serve: (request) => (request.atMs === 35_000 ? undefined : friendly(500)(request)),
      timeoutMs: 12_000,
    });
    const [checks] = slow.series.filter(({ operation }) => operation === 'checkdata');
    expect(checks?.outcomes).toMatchObject({ timeout: 1 });
    expect(checks?.outcomes.connection_reset).toBeUndefined();
    expect(checks?.dropped).toEqual({ no_network: 2 });
    expect(slow.disconnected).toEqual([]);
    expect(slow.unplugged).toEqual([
      { atMs: 35_010, agent: 0, kind: 'out' },
      { atMs: 63_000, agent: 0, kind: 'in' },
    ]);
  });

  it('its cable is plugged in when the last of several events ends', () => {
    const cable = { kind: 'disconnect', how: 'cable' } as const;
    const { unplugged } = runWith([event(cable), event(cable, { name: 'second', fromMs: 40_000, toMs: 80_000 })]);
    expect(unplugged.filter(({ kind }) => kind === 'in')).toEqual([{ atMs: 80_000, agent: 0, kind: 'in' }]);
  });

  it('its web server is unreachable, and listens again when the last event ends', () => {
    const second = event({ kind: 'disconnect', how: 'cable' }, { name: 'second', fromMs: 40_000, toMs: 80_000 });
    const restart = event({ kind: 'restart' }, { fromMs: 50_000 });
    const { hosts } = runWith([event({ kind: 'disconnect', how: 'reset' }), second, restart], {
      listening: { checkIntervalMs: 10_000 },
    });
    const ups = hosts.filter(({ change }) => change === 'up');
    expect(hosts[0]).toEqual({ atMs: 33_000, agent: 0, change: 'down' });
    expect(ups).toEqual([{ atMs: 80_000, agent: 0, change: 'up' }]);
  });

  it('other agents are not affected', () => {
    expect(instants(of(run, 1))).toEqual(instants(of(PLAIN, 1)));
  });
});

describe('an agent whose process restarts', () => {
  const run = runWith([event({ kind: 'restart' })]);

  it('ends its first check run four seconds later, and counts its interval from there', () => {
    expect(instants(of(run, 0)).filter((atMs) => atMs > 33_000)).toEqual([
      37_000, 47_000, 57_000, 67_000, 77_000, 87_000, 97_000, 107_000, 117_000,
    ]);
  });

  it('keeps its password and loses its connection', () => {
    expect(run.requests.filter(({ endpoint }) => endpoint === 'register_agent')).toHaveLength(2);
    expect(run.disconnected).toEqual([{ atMs: 33_000, agent: 0 }]);
  });

  it('is restarted again by each repetition', () => {
    const again = runWith([event({ kind: 'restart' }, { repeat: { everyMs: 15_000, times: 3 } })]);
    expect(again.disconnected.map(({ atMs }) => atMs)).toEqual([33_000, 48_000, 63_000]);
    expect(again.engine.eventHits()).toMatchObject([{ name: 'restart', agents: 1 }]);
  });
});

describe('a stopped agent', () => {
  it('sends nothing until it is started, and then starts a new grid', () => {
    const run = runWith([event({ kind: 'stop' })]);
    const after = instants(of(run, 0)).filter((atMs) => atMs > 33_000);
    expect(after[0]).toBe(67_000);
    expect(after[1]).toBe(77_000);
  });

  it('stays down if the event lasts longer than the run', () => {
    const run = runWith([event({ kind: 'stop' }, { toMs: END_MS })]);
    expect(instants(of(run, 0)).filter((atMs) => atMs > 33_000)).toEqual([]);
  });

  it('is up only when the last of several events ends', () => {
    const second = event({ kind: 'scale', share: 0 }, { name: 'second', fromMs: 40_000, toMs: 80_000 });
    const run = runWith([event({ kind: 'stop' }), second]);
    expect(instants(of(run, 0)).filter((atMs) => atMs > 33_000)[0]).toBe(84_000);
  });
});

describe('identities', () => {
  /** Knows agents by uuid, like the real server. */
  const strict = ({ resetMs = Number.POSITIVE_INFINITY, assigns = true } = {}): Serve => {
    const known = new Map<unknown, string>();
    let isReset = false;
    const answered: Serve = ({ endpoint, body }) => {
      const { agentuuid, password } = body;
      if (endpoint !== 'register_agent') {
        const isKnown = known.get(agentuuid) === password && password !== '' && (assigns || !isReset);
        return { afterMs: 5, ending: isKnown ? answer(200, { received_checks: 1 }) : answer(400, { error: 'no' }) };
      }
      if (known.has(agentuuid)) return { afterMs: 5, ending: answer(403, { error: 'known' }) };
      const issued = `issued to ${agentuuid}`;
      known.set(agentuuid, issued);
      return { afterMs: 5, ending: answer(201, { agentuuid, password: issued }) };
    };
    return (request) => {
      if (request.atMs >= resetMs && !isReset) known.clear();
      isReset = request.atMs >= resetMs;
      return answered(request);
    };
  };

  it('an agent that lost its password keeps asking for one, which the server does not issue again', () => {
    const run = runWith([event({ kind: 'lose-password' })], { serve: strict() });
    const after = of(run, 0).filter(({ atMs }) => atMs > 33_000);
    expect(after.map(({ endpoint }) => endpoint)).toEqual(after.map(() => 'register_agent'));
    expect(after.length).toBe(9);
    expect(run.engine.agentStates()).toMatchObject({ refused: 1, registered: 1 });
  });

  it.each([
    { server: 'was not reset', serve: strict(), hit: [] },
    { server: 'was reset', serve: strict({ resetMs: 20_000 }), hit: [1, 2] },
    // An agent that registered after the reset is refused, too, because it has no host on the server yet.
    { server: 'was reset and assigns no hosts', serve: strict({ resetMs: 20_000, assigns: false }), hit: [1, 2] },
  ])('with a server that $server, register-again hits the agents $hit that it no longer accepts', ({ serve, hit }) => {
    const found: number[][] = [];
    const lost = event({ kind: 'lose-password' }, { fromMs: 31_000 });
    const again = event({ kind: 'register-again' }, { fromMs: 55_000, toMs: 55_000, cohort: EVERYONE, overMs: 500 });
    const look = (atMs: number) => ({
      atMs,
      act: (engine: Engine) => engine.findEvent({ ...again, name: `${atMs}` }, (agents) => found.push([...agents])),
    });
    const run = runWith([lost, again], { agents: 3, serve, meanwhile: [look(54_000), look(80_000)] });
    expect(found).toEqual([hit, []]);
    expect(run.engine.eventHits()).toMatchObject([{ agents: 1 }, { agents: hit.length }]);
    const asking = run.requests.filter(({ endpoint, atMs }) => endpoint === 'register_agent' && atMs > 55_000);
    // The first agent lost a password that the server still knows, unless that was reset.
    expect(
      asking
        .filter(({ agent }) => agent > 0 || hit.length > 0)
        .map(({ agent }) => agent)
        .sort(),
    ).toEqual(hit);
  });

  it('a new identity registers and pushes under another uuid', () => {
    const run = runWith([event({ kind: 'new-identity' })], { serve: strict() });
    const uuids = of(run, 0).map(({ body }) => body.agentuuid);
    const [before, after] = [new Set(uuids.slice(0, 4)), new Set(uuids.slice(4))];
    expect([before.size, after.size]).toEqual([1, 1]);
    expect(before).not.toEqual(after);
    expect(run.engine.agentStates().registered).toBe(2);
    expect(run.engine.deliveryCounts().assumed).toMatchObject([{ uuid: uuids.at(-1), sent: [1, 0, 9, 0] }]);
  });

  it('a second new identity differs from the first', () => {
    const run = runWith([event({ kind: 'new-identity' }, { repeat: { everyMs: 30_000, times: 2 } })]);
    expect(new Set(of(run, 0).map(({ body }) => body.agentuuid)).size).toBe(3);
  });

  const copies = { cohort: EVERYONE, fromMs: 33_000, toMs: 63_000 };

  it("clones with a shared password push under the original's uuid, and all are accepted", () => {
    const clone = event({ kind: 'clone', password: 'shared' }, copies);
    const run = runWith([clone], {
      serve: strict(),
      agents: 3,
      passwordOf: (index) => `issued to ${uuidOf(1, index)}`,
    });
    const during = run.requests.filter(({ atMs }) => atMs > 33_000 && atMs < 63_000);
    expect(new Set(during.map(({ body }) => body.agentuuid)).size).toBe(1);
    expect(new Set(during.map(({ agent }) => agent))).toEqual(new Set([0, 1, 2]));
    expect(Object.keys(run.series.find(({ operation }) => operation === 'checkdata')?.outcomes ?? {})).toEqual(['ok']);
    expect(run.engine.eventHits()).toMatchObject([{ name: 'clone', agents: 2 }]);
  });

  it('clones with their own passwords are refused, and accepted under their own identity after the event', () => {
    const clone = event({ kind: 'clone', password: 'diverged' }, copies);
    const run = runWith([clone], { serve: strict(), agents: 2 });
    const refused = run.series.find(({ operation }) => operation === 'checkdata')?.outcomes.http_400;
    expect(refused).toBe(3);
    expect(of(run, 1).at(-1)?.body.agentuuid).toBe(of(run, 1)[0]?.body.agentuuid);
    expect(run.engine.agentStates().registered).toBe(2);
  });

  it('clones that were made before the registration ask for a password, and are always refused', () => {
    const run = runWith([event({ kind: 'clone', password: 'none' }, { ...copies, fromMs: 0, toMs: END_MS })], {
      serve: strict(),
      agents: 4,
    });
    expect(run.engine.agentStates()).toMatchObject({ registered: 1, refused: 3 });
  });

  it('a password that is being stored is not returned to an agent that has lost it', () => {
    const run = runWith([event({ kind: 'lose-password' }, { fromMs: 5100 })], { serve: strict(), storeMs: 500 });
    expect(run.engine.agentStates().refused).toBe(1);
  });
});

describe('an agent that becomes another client', () => {
  it('has another version until the event ends, and restarts with each change', () => {
    const run = runWith([event({ kind: 'upgrade', version: '3.4.0' })]);
    expect(run.clients).toEqual([
      { atMs: 33_000, agent: 0, client: { url: undefined, apiKey: undefined, version: '3.4.0' } },
      { atMs: 63_000, agent: 0, client: undefined },
    ]);
    expect(
      instants(of(run, 0))
        .filter((atMs) => atMs > 33_000)
        .slice(0, 4),
    ).toEqual([37_000, 47_000, 57_000, 67_000]);
  });

  it.each([
    { kind: 'upgrade', version: '3.4.0' },
    { kind: 'retarget', apiKey: 'OTHER' },
  ] as const)('from the start of the run ($kind) arrives when it would have arrived', (action) => {
    const ENROLL: Load = { operation: 'register', model: { kind: 'rate', ratePerSecond: 1, limit: 2 } };
    const phases = [phase([ENROLL], 2000), { ...phase([CHECKS], END_MS - 2000), startMs: 2000 }];
    const run = runWith([event(action, { fromMs: 0, toMs: Number.POSITIVE_INFINITY })], { phases });
    const instantsOf = ({ requests }: typeof PLAIN) => requests.map(({ atMs, agent }) => [atMs, agent]);
    expect(instantsOf(run)).toEqual(instantsOf(runWith([], { phases })));
    const { kind, ...client } = action;
    expect(run.clients).toMatchObject([{ atMs: 0, agent: 0, client }]);
  });

  it('pushes no packages as a release without them', () => {
    const packages: Load = { operation: 'packages', model: { kind: 'cadence', ...EVERY, everyMs: 20_000 } };
    const sent = (version: string) => {
      const run = runWith([event({ kind: 'upgrade', version })], { phases: [phase([CHECKS, packages], END_MS)] });
      return of(run, 0).filter(
        ({ endpoint, atMs }) => endpoint === 'submit_package_info' && atMs > 33_000 && atMs < 63_000,
      );
    };
    expect(sent('3.4.0')).toEqual([]);
    expect(sent('3.5.0').length).toBeGreaterThan(0);
  });

  it('is not counted while it sends to another server', () => {
    const run = runWith([event({ kind: 'retarget', url: 'http://127.0.0.1:9' })]);
    const { sent, assumed } = run.engine.deliveryCounts();
    const here = of(run, 0).filter(
      ({ atMs, endpoint }) => endpoint !== 'register_agent' && (atMs < 33_000 || atMs > 63_000),
    );
    expect(assumed).toEqual([]);
    expect(sent[2 * 2]).toBe(here.length);
    expect(here.length).toBeLessThan(of(run, 0).length - 1);
  });
});

describe('a synchronized fleet', () => {
  it('pushes at one time, and at each interval after it', () => {
    const run = runWith([event({ kind: 'synchronize' }, { cohort: EVERYONE })], { agents: 50 });
    const counts = new Map<number, number>();
    for (const { atMs, endpoint } of run.requests) {
      if (endpoint === 'submit_checkdata' && atMs >= 33_000)
        counts.set(Math.floor(atMs / 1000), (counts.get(Math.floor(atMs / 1000)) ?? 0) + 1);
    }
    expect([...counts]).toEqual([33, 43, 53, 63, 73, 83, 93, 103, 113].map((second) => [second, 50]));
    expect(run.disconnected).toEqual([]);
  });

  it('leaves out agents that have not finished a check run, because they have nothing to send', () => {
    const restart = event({ kind: 'restart' }, { fromMs: 31_000 });
    const run = runWith([restart, event({ kind: 'synchronize' }, { cohort: EVERYONE })]);
    expect(instants(of(run, 0)).filter((atMs) => atMs > 31_000)[0]).toBe(35_000);
    expect(instants(of(run, 1))).toContain(33_000);
  });
});

describe('events during a run', () => {
  it('take effect when they are added, immediately if their start has passed', () => {
    const run = runWith([], {
      meanwhile: [{ atMs: 40_000, act: (engine) => engine.addEvent(event({ kind: 'disconnect', how: 'reset' })) }],
    });
    expect(instants(of(run, 0)).filter((atMs) => atMs > 33_000 && atMs < 63_000)).toEqual(
      instants(of(PLAIN, 0)).filter((atMs) => atMs > 33_000 && atMs < 40_000),
    );
    expect(run.engine.eventHits()).toMatchObject([{ name: 'disconnect', agents: 1 }]);
  });

  it('end for all affected agents when they are ended, and affect no agent again', () => {
    const stop = event({ kind: 'stop' }, { name: 'night', repeat: { everyMs: 40_000, times: 2 } });
    const affected: number[] = [];
    const endAt = (atMs: number) => (engine: Engine) => {
      affected.push(engine.affectedBy('night', atMs));
      engine.endEvent('night', atMs);
    };
    const run = runWith([stop], {
      meanwhile: [
        { atMs: 40_000, act: endAt(40_000) },
        { atMs: 41_000, act: endAt(41_000) },
      ],
    });
    expect(affected).toEqual([1, 0]);
    expect(instants(of(run, 0)).filter((atMs) => atMs > 33_000)).toEqual([
      44_000, 54_000, 64_000, 74_000, 84_000, 94_000, 104_000, 114_000,
    ]);
  });

  it('report the agents that they would affect, and affect none before they are added', () => {
    const found: (readonly number[])[] = [];
    const scale = event({ kind: 'scale', share: 0.4 }, { cohort: { kind: 'agents', first: 10, last: 499 } });
    const settings = { agents: 1000, shard: { index: 1, count: 2 } };
    const act = (engine: Engine) => engine.findEvent(scale, (agents) => found.push(agents));
    const run = runWith([], { ...settings, meanwhile: [{ atMs: 5000, act }] });
    const hit = runWith([scale], settings);
    expect(run.disconnected).toEqual([]);
    expect(run.engine.eventHits()).toEqual([]);
    const down = new Set(hit.disconnected.map(({ agent }) => agent));
    expect(found).toEqual([[...down].sort((a, b) => a - b)]);
    expect(down.size).toBeGreaterThan(100);
  });

  it('hit their own agents, even if another event with their name was searched for before', () => {
    const searched = event({ kind: 'stop' }, { name: 'one', cohort: FIRST });
    const added = event({ kind: 'restart' }, { name: 'one', cohort: { kind: 'agents', first: 1, last: 1 } });
    const { engine, disconnected } = runWith([], {
      meanwhile: [
        { atMs: 5000, act: (engine) => engine.findEvent(searched, () => {}) },
        { atMs: 20_000, act: (engine) => engine.addEvent(added) },
      ],
    });
    expect(engine.eventHits()).toMatchObject([{ do: 'restart', agents: 1 }]);
    expect(disconnected.map(({ agent }) => agent)).toEqual([1]);
  });

  it('scale exactly, also in shards from before the number of agents was edited', () => {
    const scale = event({ kind: 'scale', share: 30 / 66 }, { cohort: EVERYONE });
    const downOf = (agents: number, of?: number): readonly number[] => {
      const { disconnected } = runWith([of === undefined ? scale : { ...scale, of }], { agents });
      return [...new Set(disconnected.map(({ agent }) => agent))].sort((a, b) => a - b);
    };
    const all = downOf(66);
    expect(all).toHaveLength(36);
    // Those of the first shard are down among all, and not the same share of it.
    expect(downOf(60, 66)).toEqual(all.filter((agent) => agent < 60));
    expect(downOf(60)).not.toEqual(downOf(60, 66));
  });

  it('on hosts end for those that were hit and have not recovered', () => {
    const busy = event({ kind: 'cpu-saturated' }, { cohort: EVERYONE, overMs: 20_000 });
    const affectedAt = (atMs: number): number => {
      const affected: number[] = [];
      const act = (engine: Engine) => {
        affected.push(engine.affectedBy(busy.name, atMs));
        engine.endEvent(busy.name, atMs);
      };
      runWith([busy], { agents: 50, meanwhile: [{ atMs, act }] });
      return affected[0] ?? 0;
    };
    const [begun, unfinished] = [affectedAt(busy.fromMs + 7000), affectedAt(busy.toMs + 7000)];
    expect(begun).toBeGreaterThan(0);
    expect(unfinished).toBeGreaterThan(0);
    // Those hit within seven seconds recover within seven seconds.
    expect(begun + unfinished).toBe(50);
  });

  it('end at the given time, even for agents affected just before', () => {
    const spread = event({ kind: 'stop' }, { cohort: EVERYONE, overMs: 20_000, toMs: 90_000 });
    const run = runWith([spread], {
      agents: 50,
      meanwhile: [{ atMs: 40_000, act: (engine) => engine.endEvent('stop', 45_000) }],
    });
    const stopped = run.disconnected.filter(({ atMs }) => atMs < 45_000);
    const started = run.disconnected.filter(({ atMs }) => atMs >= 45_000);
    expect(started.map(({ atMs }) => atMs)).toEqual(stopped.map(() => 45_000));
    expect(stopped.some(({ atMs }) => atMs > 40_000)).toBe(true);
    expect(run.engine.eventHits()).toMatchObject([{ agents: stopped.length, untilMs: 45_000 }]);
    const known = runWith([{ ...spread, untilMs: 45_000 }], { agents: 50 });
    expect(known.requests).toEqual(run.requests);
  });

  it('evaluate the states of agents when they start, and again at each repetition', () => {
    const refusing: Serve = ({ endpoint, body, atMs, agent }) => {
      if (endpoint === 'register_agent' && agent === 1 && atMs < 50_000) return { afterMs: 1, ending: answer(403, {}) };
      return friendly(1)({ endpoint, body, atMs, agent, text: '' });
    };
    const cohort = { kind: 'fact', fact: 'state', pattern: 'registered' } as const;
    const run = runWith([event({ kind: 'restart' }, { cohort, repeat: { everyMs: 40_000, times: 2 } })], {
      serve: refusing,
    });
    expect(run.disconnected).toEqual([
      { atMs: 33_000, agent: 0 },
      { atMs: 73_000, agent: 0 },
      { atMs: 73_000, agent: 1 },
    ]);
  });
});

describe('ten concurrent events', () => {
  const share = (percent: number) => ({ cohort: { kind: 'share', share: percent / 100 } as const });
  const EVENTS: readonly FleetEvent[] = [
    event({ kind: 'disconnect', how: 'reset' }, { ...share(30), overMs: 5000 }),
    event({ kind: 'restart' }, { ...share(40), repeat: { everyMs: 20_000, times: 3 }, overMs: 3000 }),
    event({ kind: 'stop' }, { ...share(20), fromMs: 20_000, toMs: 50_000 }),
    event({ kind: 'lose-password' }, share(15)),
    event({ kind: 'new-identity' }, { ...share(25), overMs: 20_000 }),
    event({ kind: 'clone', password: 'shared' }, { ...share(10), toMs: 80_000 }),
    event({ kind: 'upgrade', version: '3.4.0' }, { ...share(50), overMs: 30_000 }),
    event({ kind: 'retarget', url: 'http://127.0.0.1:9' }, share(12)),
    event({ kind: 'synchronize' }, { ...share(60), fromMs: 70_000 }),
    event({ kind: 'scale', share: 0.5 }, { ...share(80), fromMs: 80_000, toMs: 100_000, overMs: 10_000 }),
  ];
  const AGENTS = 120;

  function shards(count: number) {
    const runs = Array.from({ length: count }, (_, index) =>
      runWith(EVENTS, { agents: AGENTS, shard: { index, count }, passwordOf: () => 'issued' }),
    );
    const requests = runs.flatMap((run) => run.requests.map(({ atMs, agent, text }) => `${agent} ${atMs} ${text}`));
    const dropped = runs.flatMap(({ series }) => series.map((one) => total(one.dropped)));
    return {
      hits: EVENTS.map(({ name }, n) => [name, sumOf(runs.map(({ engine }) => engine.eventHits()[n]?.agents ?? 0))]),
      requests: requests.sort(),
      dropped: sumOf(dropped),
    };
  }

  it('affect the same agents and cause the same requests with one, two and four shards', () => {
    const whole = shards(1);
    expect(whole.hits.every(([, agents]) => Number(agents) > 0)).toBe(true);
    for (const count of [2, 4]) expect(shards(count)).toEqual(whole);
  });

  it('keep all counts balanced', () => {
    for (const { planned, started, dropped, outcomes } of runWith(EVENTS, { agents: AGENTS }).series) {
      expect(planned).toBe(started + total(dropped));
      expect(started).toBe(total(outcomes));
    }
  });
});
