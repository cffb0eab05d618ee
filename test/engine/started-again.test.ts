import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHostData } from '../../src/base/storage/host-data.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { Action, FleetEvent } from '../../src/load/events/event.ts';
import { scenarioSince } from '../../src/scenario/planning/staying.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { createHosts } from '../../src/workers/hosts.ts';
import { draws } from '../draws.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';
import { restore } from './restore.ts';
import { friendly, RUN_EPOCH_MS, runVirtually } from './virtual-run.ts';

const AGENTS = 8;
const MINUTE_MS = 60_000;
const SCENARIO = scenarioOf(`
fleet: { agents: ${AGENTS}, payload: lean, profiles: { windows-server-2022: 1, debian-12: 1 } }
phases:
  - { name: enroll, register: { over: 1m } }
  - { name: steady, duration: 4h, checkdata: { every: 5m }, packages: { every: 1h } }
`);
/** When both fleets are compared. */
const SEEN_MS = 180 * MINUTE_MS;
const LAST_MINUTE = 168;
const HOST_DATA = readHostData();

type Look = {
  readonly uuid: string;
  readonly flags: number;
  readonly actions: readonly Action[];
  readonly version: string | undefined;
  readonly documents: readonly string[];
};

/** The state of the fleet at `SEEN_MS` if it was started this long after its original start. */
function seenAt(scenario: Scenario, firstStartedMs: number): readonly Look[] {
  const { phases, events } = scenarioSince(scenario, firstStartedMs);
  const epochMs = RUN_EPOCH_MS + firstStartedMs;
  const hosts = createHosts({ ...scenario, phases, events }, HOST_DATA, () => epochMs);
  const looks: Look[] = [];
  const look = (engine: Engine): void => {
    engine.advance();
    for (let agent = 0; agent < AGENTS; agent++) {
      const { uuid, code, actions, version } = engine.status(agent);
      const documents = (['checkdata', 'packages'] as const).map((document) =>
        Buffer.from(engine.document(agent, document, RUN_EPOCH_MS + SEEN_MS)).toString(),
      );
      // The lower bits are the states, which depend on the server.
      looks.push({ uuid, flags: code & 0xf8, actions, version, documents });
    }
  };
  runVirtually({
    agents: AGENTS,
    phases,
    events,
    machines: hosts,
    epochMs,
    serve: friendly(5),
    firstStartMs: -firstStartedMs,
    prepare: (engine) => restore(engine, [...Array(AGENTS).keys()]),
    meanwhile: [{ atMs: SEEN_MS - firstStartedMs, act: look }],
  });
  return looks;
}

const ACTIONS: readonly Action[] = [
  ...([{ kind: 'disconnect', how: 'reset' }, { kind: 'stop' }, { kind: 'restart' }, { kind: 'new-identity' }] as const),
  ...([
    { kind: 'upgrade', version: '3.4.0' },
    { kind: 'clone', password: 'none' },
  ] as const),
  ...([{ kind: 'scale', share: 0.4 }, { kind: 'misbehave', how: 'gzip' }, { kind: 'lose-password' }] as const),
  ...([{ kind: 'reboot' }, { kind: 'cpu-saturated' }, { kind: 'security-updates-due' }] as const),
  ...([{ kind: 'clock-skew', offsetSeconds: 90 }, { kind: 'synchronize' }, { kind: 'memory-leak' }] as const),
];
const MOMENTARY = ['restart', 'new-identity', 'lose-password', 'synchronize'];

const minutes = (min: number, max: number) => fc.integer({ min, max }).map((count) => count * MINUTE_MS);

const anyEvent: fc.Arbitrary<FleetEvent> = fc
  .record({
    action: fc.constantFrom(...ACTIONS),
    share: fc.constantFrom(0.3, 0.6, 1),
    fromMs: minutes(0, 200),
    forMs: minutes(2, 60),
    overMs: fc.constantFrom(0, 7 * MINUTE_MS),
    repeated: fc.constantFrom(undefined, 2, Number.POSITIVE_INFINITY),
    ended: fc.option(minutes(1, 170), { nil: undefined }),
  })
  .map(({ action, share, fromMs, forMs, overMs, repeated, ended }) => {
    const lastsMs = MOMENTARY.includes(action.kind) ? 0 : forMs;
    const everyMs = lastsMs + overMs + 5 * MINUTE_MS;
    return {
      name: '',
      cohort: { kind: 'share', share },
      fromMs,
      toMs: fromMs + lastsMs,
      overMs,
      action,
      ...(repeated !== undefined && { repeat: { everyMs, times: repeated } }),
      ...(ended !== undefined && { untilMs: ended }),
    };
  });

/** Long after such an event ended, hosts still have the boot time that it set. */
const ENDED_REBOOTS: FleetEvent = {
  name: '',
  cohort: { kind: 'share', share: 0.3 },
  action: { kind: 'reboot' },
  fromMs: MINUTE_MS,
  toMs: 3 * MINUTE_MS,
  overMs: 0,
  untilMs: 2 * MINUTE_MS,
  repeat: { everyMs: 7 * MINUTE_MS, times: Number.POSITIVE_INFINITY },
};

/** A rollout: all agents start with an old release. */
const OLD_RELEASE: FleetEvent = {
  name: '',
  cohort: { kind: 'share', share: 1 },
  action: { kind: 'upgrade', version: '3.4.0' },
  fromMs: 0,
  toMs: 170 * MINUTE_MS,
  overMs: 20 * MINUTE_MS,
};

describe('a restarted fleet', () => {
  it('is the same as without the restart: identities, processes, conditions and documents', () => {
    // Events begin and end at whole minutes.
    const aroundMinutes = fc
      .tuple(minutes(1, LAST_MINUTE - 1), fc.integer({ min: -1, max: 1 }))
      .map(([atMs, ms]) => atMs + ms);
    const cases = fc.record({
      events: fc.array(anyEvent, { minLength: 1, maxLength: 4 }),
      firstStartedMs: fc.oneof(fc.integer({ min: 1, max: LAST_MINUTE * MINUTE_MS }), aroundMinutes),
    });
    fc.assert(
      fc.property(cases, ({ events, firstStartedMs }) => {
        const named = events.map((event, number) => ({ ...event, name: `event-${number}` }));
        const scenario = { ...SCENARIO, events: named };
        expect(seenAt(scenario, firstStartedMs)).toEqual(seenAt(scenario, 0));
      }),
      {
        numRuns: draws(3),
        examples: [
          [{ events: [ENDED_REBOOTS], firstStartedMs: 1_075_799 }],
          [{ events: [OLD_RELEASE], firstStartedMs: 1_075_799 }],
        ],
      },
    );
  });
});
