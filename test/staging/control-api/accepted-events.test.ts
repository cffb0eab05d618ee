import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AGENT_VERSIONS } from '../../../src/base/protocol/agent-versions.ts';
import { ATTACK_NAMES } from '../../../src/base/protocol/attacks.ts';
import { CLONED_PASSWORDS, DISCONNECTIONS, type FleetEvent, lasts } from '../../../src/load/events/event.ts';
import { endLine, entryLine, eventsBeside, readEntriesText } from '../../../src/scenario/event-entries.ts';
import { KINDS } from '../../../src/scenario/events.ts';
import { keptScenario } from '../../../src/scenario/planning/staying.ts';
import { withAuthor } from '../../../src/staging/fleet/event-log.ts';
import { anyCharacter } from '../../any-character.ts';
import { draws } from '../../draws.ts';
import { closeServed, type ServedFleet, serveFleet } from './served-fleet.ts';

afterEach(closeServed);

const START = Date.UTC(2026, 0, 31, 12);

/** A fleet whose log is text, and whose events start and end as asked. */
let served: ServedFleet;
let log = '';

beforeEach(async () => {
  served = await serveFleet(
    { agents: 10, firstStartedAt: new Date(START) },
    {
      addEvent: async ({ event, keep }) => {
        keep?.(event);
        log += withAuthor(entryLine(event, phases()));
        served.run.changeEvents([...served.fleet.events(), event]);
        return { event, count: 0, agents: [], isFinal: true };
      },
      endEvent: async (name) => {
        const untilMs = Date.now() - START;
        log += withAuthor(endLine(name, untilMs));
        const ended = (event: FleetEvent) => (event.name === name ? { ...event, untilMs } : event);
        served.run.changeEvents(served.fleet.events().map(ended));
        return { name, atMs: untilMs, count: 0 };
      },
    },
  );
  served.goOnWith(keptScenario(served.fleet.scenario));
  served.run.started(new Date());
});

const phases = () => served.fleet.scenario.phases;

const UNITS = ['us', 'ms', 's', 'm', 'h', 'd'] as const;
const anyNumber = fc.oneof(
  fc.integer({ min: 0, max: 100 }).map(String),
  fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
  fc.integer({ min: 0, max: 400_000_000 }).map(String),
  fc.tuple(fc.nat(), fc.nat()).map(([whole, part]) => `${whole}.${part}`),
);
const part = fc.tuple(anyNumber, fc.constantFrom(...UNITS)).map(([number, unit]) => `${number}${unit}`);
const anyDuration = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));
const shortDuration = fc
  .tuple(fc.integer({ min: 1, max: 400 }), fc.constantFrom(...UNITS))
  .map(([number, unit]) => `${number}${unit}`);
/** Mostly valid, so that an entry with many keys often is. */
const mostly = <T>(valid: fc.Arbitrary<T>, others: fc.Arbitrary<unknown> = fc.jsonValue()): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 15, arbitrary: valid }, { weight: 1, arbitrary: others });
const duration = mostly(shortDuration, anyDuration);
const at = mostly(
  fc.oneof(
    { weight: 4, arbitrary: duration },
    { weight: 2, arbitrary: duration.map((time) => `in ${time}`) },
    duration.map((time) => `steady+${time}`),
    fc
      .date({ min: new Date('2040-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((d) => d.toISOString()),
    fc.constantFrom('now', 'steady', '23:59', '9999-12-31T23:59:59Z'),
  ),
  fc.oneof(fc.constantFrom('2026-13-45', '2999-02-30 12:00', '', 'in 5'), fc.string(), fc.jsonValue()),
);
const text = fc.oneof(fc.constantFrom('permission denied', 'cpu'), fc.string({ unit: anyCharacter }));
/** Creating fast-check's own arbitrary for this takes a second. */
const anyUrl = fc
  .tuple(fc.constantFrom('http', 'https'), fc.domain(), fc.constantFrom('', ':8443'), fc.string({ unit: anyCharacter }))
  .map(([scheme, host, port, path]) => `${scheme}://${host}${port}/${encodeURIComponent(path)}`);

/** Keys of single kinds. */
const OWN: Readonly<Record<string, Record<string, fc.Arbitrary<unknown>>>> = {
  'disk-full': { mountpoint: fc.constantFrom('C:', '/') },
  'service-down': { service: fc.constant('systemd-journald.service') },
  'clock-skew': {
    offset: fc.oneof(
      duration,
      duration.map((time) => `-${time}`),
    ),
  },
  'check-error': { check: fc.constantFrom('cpu', 'disk_io'), error: text },
  disconnect: { how: fc.constantFrom(...DISCONNECTIONS) },
  clone: { original: fc.nat({ max: 9 }), password: fc.constantFrom(...CLONED_PASSWORDS) },
  upgrade: { version: fc.constantFrom(...AGENT_VERSIONS) },
  retarget: { apiKey: text, url: anyUrl },
  scale: { to: fc.oneof(fc.constantFrom('30%', 0, 1), fc.double({ min: 0, max: 1 })) },
  misbehave: { how: fc.constantFrom(...ATTACK_NAMES) },
};

/** An entry of any kind, mostly with the keys that it takes, and with values of all sizes. */
const entry = fc.constantFrom(...KINDS).chain((kind) => {
  const own = Object.entries(OWN[kind] ?? {}).map(([key, arbitrary]) => [key, mostly(arbitrary)] as const);
  const repeat = fc.record({ every: duration, times: fc.integer({ min: 1, max: 100 }) }, { requiredKeys: ['every'] });
  const keys: Record<string, fc.Arbitrary<unknown>> = {
    do: fc.constant(kind),
    name: mostly(fc.constantFrom('cable', 'toString', 'constructor'), fc.string()),
    at,
    ...(kind !== 'end' && lasts({ kind }) && { for: duration }),
    over: duration,
    sticky: mostly(fc.constantFrom('site', 'a-b'), fc.string()),
    cohort: mostly(fc.constantFrom('30%', '0..9', 'not 3', 'profile=ubuntu-*', '7'), fc.constant('state=refused')),
    ...Object.fromEntries(own),
  };
  const optional = fc.record(keys, { requiredKeys: ['do', ...own.map(([key]) => key)] });
  return fc
    .tuple(
      optional,
      mostly(
        fc.constant({}),
        repeat.map((one) => ({ repeat: one })),
      ),
    )
    .map(([a, b]) => ({ ...a, ...(b as object) }));
});

/** The keys that kinds need. */
const NEEDED: Readonly<Record<string, object>> = {
  'service-down': { service: 'systemd-journald.service' },
  'clock-skew': { offset: '-5m' },
  'check-error': { check: 'cpu' },
  upgrade: { version: AGENT_VERSIONS[0] },
  retarget: { apiKey: 'a ${key} with: {all}' },
  scale: { to: '30%' },
  misbehave: { how: ATTACK_NAMES[0] },
};

/** What the next start of the fleet reads. */
function readAgain(): readonly FleetEvent[] {
  const { entries, unread } = readEntriesText(log);
  const read = eventsBeside({ ...served.fleet.scenario, events: [] }, entries);
  expect([unread, read.unread]).toEqual([[], []]);
  return read.events;
}

it('whatever the API accepts is answered, listed, logged, read again as it was, and ended', async () => {
  const accepted = new Set<unknown>();
  const listed = async () => {
    const answer = await served.ask('/api/v1/events');
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { events: { name: string; status: string }[] }).events;
  };
  await fc.assert(
    fc.asyncProperty(entry, async (asked) => {
      log = '';
      served.run.changeEvents([]);
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(asked) };
      const answer = await served.ask('/api/v1/events', init);
      expect([201, 400]).toContain(answer.status);
      expect(await listed()).toHaveLength(answer.status === 201 ? 1 : 0);
      expect(readAgain()).toEqual(served.fleet.events());
      if (answer.status !== 201) return;
      accepted.add(asked.do);
      const { event } = (await answer.json()) as { event: { name: string } };
      const ended = await served.ask(`/api/v1/events/${encodeURIComponent(event.name)}`, { method: 'DELETE' });
      expect(ended.status).toBe(200);
      expect((await listed())[0]?.status).toBe('over');
      expect(readAgain()).toEqual(served.fleet.events());
    }),
    { numRuns: draws(30), examples: KINDS.map((kind): [object & { do: string }] => [{ do: kind, ...NEEDED[kind] }]) },
  );
  expect([...accepted].sort()).toEqual(KINDS.filter((kind) => kind !== 'end').sort());
});
