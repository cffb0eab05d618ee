import { describe, expect, it } from 'vitest';
import { readHostData } from '../../src/base/storage/host-data.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { EVERYONE } from '../../src/load/cohorts/cohort.ts';
import type { FleetEvent, HostAction } from '../../src/load/events/event.ts';
import { createHosts } from '../../src/workers/hosts.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';
import { friendly, RUN_EPOCH_MS, runVirtually } from './virtual-run.ts';

const SCENARIO = scenarioOf(`
fleet: { agents: 6, payload: lean, profiles: { windows-server-2022: 1, debian-12: 1, macos-15: 1 } }
phases: [{ name: main, duration: 5m, checkdata: { every: 20s }, packages: { every: 60s } }]
`);
const ADDED_MS = 95_000;
const ENDED_MS = 200_000;

function event(action: HostAction, times: Partial<FleetEvent> = {}): FleetEvent {
  const cohort = { kind: 'share', share: 0.6 } as const;
  return { name: action.kind, cohort, fromMs: 95_100, toMs: 260_000, overMs: 0, action, ...times };
}

const EVENTS: readonly FleetEvent[] = [
  event({ kind: 'disk-full' }, { cohort: EVERYONE }),
  event({ kind: 'cpu-saturated' }, { overMs: 60_000 }),
  event({ kind: 'memory-leak' }),
  event({ kind: 'service-down', service: 'systemd-journald' }, { cohort: EVERYONE }),
  event({ kind: 'clock-skew', offsetSeconds: -30 }, { repeat: { everyMs: 170_000, times: 2 } }),
  event({ kind: 'reboot' }, { fromMs: 110_000, toMs: 140_000, overMs: 40_000 }),
  event({ kind: 'security-updates-due' }),
  event({ kind: 'check-error', check: 'swap' }),
];

const HOST_DATA = readHostData();

type Doing = (engine: Engine, hosts: ReturnType<typeof createHosts>) => void;

/** The requests of a shard with these events from the start, and these actions during the run. */
function sent(
  events: readonly FleetEvent[],
  meanwhile: readonly { atMs: number; act: Doing }[],
  [index, count] = [0, 1],
) {
  return requestsOf(runOf(events, meanwhile, [index, count]));
}

function runOf(
  events: readonly FleetEvent[],
  meanwhile: readonly { atMs: number; act: Doing }[],
  [index, count]: readonly [number, number],
) {
  const hosts = createHosts({ ...SCENARIO, events }, HOST_DATA, () => RUN_EPOCH_MS);
  return runVirtually({
    agents: SCENARIO.fleet.agents,
    phases: SCENARIO.phases,
    serve: friendly(5),
    events,
    machines: hosts,
    shard: { index, count },
    meanwhile: meanwhile.map(({ atMs, act }) => ({ atMs, act: (engine) => act(engine, hosts) })),
  });
}

function requestsOf({ requests }: Pick<ReturnType<typeof runOf>, 'requests'>) {
  return requests
    .map(({ agent, atMs, text }) => ({ agent, atMs, text }))
    .sort((a, b) => a.agent - b.agent || a.atMs - b.atMs);
}

const add = (all: readonly FleetEvent[], atMs = ADDED_MS) => ({
  atMs,
  act: (engine: Engine, hosts: ReturnType<typeof createHosts>) => {
    for (const one of all) {
      hosts.add(one);
      engine.addEvent(one);
    }
  },
});

const end = (name: string) => ({
  atMs: ENDED_MS - 100,
  act: (engine: Engine, hosts: ReturnType<typeof createHosts>) => {
    hosts.end(name, ENDED_MS);
    engine.endEvent(name, ENDED_MS);
  },
});

describe('an event added to hosts during a run', () => {
  const known = sent(EVENTS, []);

  it('has the same effect as if it had been known from the start, byte for byte', () => {
    expect(sent([], [add(EVENTS)])).toEqual(known);
    expect(sent([], [])).not.toEqual(known);
  });

  it('has the same effect in one, two and four shards', () => {
    for (const count of [2, 4]) {
      const parts = Array.from({ length: count }, (_, index) => sent([], [add(EVENTS)], [index, count]));
      expect(parts.flat().sort((a, b) => a.agent - b.agent || a.atMs - b.atMs)).toEqual(known);
    }
  });

  it('does not change the effect of other events', () => {
    const [first = [], second = []] = [EVENTS.slice(0, 4), EVENTS.slice(4)];
    expect(sent(first, [add(second)])).toEqual(sent([...first, ...second], []));
  });

  it.each(EVENTS.map((one) => [one.name, one] as const))('%s ends at the given time', (name, one) => {
    const whole = { ...one, toMs: 400_000, overMs: 0, repeat: undefined } as unknown as FleetEvent;
    const ended = sent([], [add([whole]), end(name)]);
    expect(ended).toEqual(sent([{ ...whole, untilMs: ENDED_MS }], []));
    const before = sent([whole], []);
    expect(ended.filter(({ atMs }) => atMs < ENDED_MS)).toEqual(before.filter(({ atMs }) => atMs < ENDED_MS));
    expect(ended).not.toEqual(before);
  });
});

it('a service that is down hits, of its cohort, exactly the hosts whose documents it changes', () => {
  const down = event({ kind: 'service-down', service: 'systemd-journald.service' }, { cohort: EVERYONE });
  const found: (readonly number[])[] = [];
  const find = { atMs: ADDED_MS, act: (engine: Engine) => engine.findEvent(down, (agents) => found.push(agents)) };
  const counts: (number | undefined)[] = [];
  const ending = { atMs: ENDED_MS, act: (engine: Engine) => counts.push(engine.affectedBy(down.name, ENDED_MS)) };
  const run = runOf([], [find, add([down], ADDED_MS + 50), ending], [0, 1]);
  const [plain, hit] = [sent([], []), requestsOf(run)];
  const changed = [...new Set(hit.filter(({ text }, n) => text !== plain[n]?.text).map(({ agent }) => agent))];
  expect(changed.length).toBeGreaterThan(0);
  expect(changed.length).toBeLessThan(SCENARIO.fleet.agents);
  expect([...found, ...run.engine.eventHits().map(({ agents }) => agents), ...counts]).toEqual([
    changed,
    changed.length,
    changed.length,
  ]);
});

describe('documents of hosts to which an event was added', () => {
  it('are unchanged for times before the event', () => {
    const hosts = createHosts(SCENARIO, HOST_DATA, () => RUN_EPOCH_MS);
    const written = () =>
      Array.from({ length: SCENARIO.fleet.agents }, (_, agent) => {
        const room = Buffer.alloc(
          Math.max(hosts.payloads.checkdataRoomBytes(agent), hosts.payloads.packagesRoomBytes(agent)),
        );
        const texts = [20_000, ADDED_MS].map((atMs) =>
          room.toString('utf8', 0, hosts.payloads.writeCheckdata(room, 0, agent, RUN_EPOCH_MS + atMs)),
        );
        return [
          ...texts,
          room.toString('utf8', 0, hosts.payloads.writePackages(room, 0, agent, RUN_EPOCH_MS + 20_000)),
        ];
      });
    const before = written();
    for (const one of EVENTS) hosts.add(one);
    expect(written()).toEqual(before);
  });
});
