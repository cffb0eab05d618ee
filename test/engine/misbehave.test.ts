import { describe, expect, it } from 'vitest';
import type { AttackName } from '../../src/base/protocol/attacks.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { parseCohort } from '../../src/load/cohorts/parse.ts';
import type { FleetEvent } from '../../src/load/events/event.ts';
import type { Cadence } from '../../src/load/pacers.ts';
import { uuidOf } from '../../src/wire/agent/identity.ts';
import { friendly, phase, runVirtually, type VirtualSettings } from './virtual-run.ts';

const EVERY: Cadence = {
  everyMs: 1000,
  jitter: 0,
  firstMs: 0,
  standing: false,
  spread: 'even',
  originMs: 0,
  spreadMs: 1000,
};
const PUSHES = phase([{ operation: 'checkdata', model: { kind: 'cadence', ...EVERY } }], 20_000);

function misbehave(cohort: string, fromMs: number, toMs: number, how: AttackName = 'broken-json'): FleetEvent {
  const read = parseCohort(cohort);
  if (read.kind !== 'cohort') throw new Error(cohort);
  return { name: `misbehave-${how}`, cohort: read.cohort, fromMs, toMs, overMs: 0, action: { kind: 'misbehave', how } };
}

const run = (settings: Partial<VirtualSettings> = {}) =>
  runVirtually({
    agents: 10,
    phases: [PUSHES],
    serve: friendly(),
    events: [misbehave('0..3', 5000, 10_000)],
    ...settings,
  });

describe('while agents misbehave', () => {
  it('each one attacks when it would push, and pushes nothing until the event ends', () => {
    const { attacks, requests } = run();
    const calm = run({ events: [] }).requests;
    const of = (agent: number, from: number, to: number) => (one: { agent: number; atMs: number }) =>
      one.agent === agent && one.atMs >= from && one.atMs < to;
    for (const agent of [0, 1, 2, 3]) {
      const due = calm.filter(of(agent, 5000, 10_000)).map(({ atMs }) => atMs);
      expect(due.length).toBeGreaterThan(3);
      expect(attacks.filter(of(agent, 0, 20_000)).map(({ atMs }) => atMs)).toEqual(due);
      expect(requests.filter(of(agent, 5000, 10_000))).toEqual([]);
      expect(requests.filter(of(agent, 10_000, 20_000))).toEqual(calm.filter(of(agent, 10_000, 20_000)));
    }
    expect(attacks.every(({ how }) => how === 'broken-json')).toBe(true);
  });

  it('the others send the same requests as without them, to the millisecond', () => {
    const healthy = ({ agent }: { agent: number }) => agent > 3;
    expect(run().requests.filter(healthy)).toEqual(run({ events: [] }).requests.filter(healthy));
  });

  it('their web servers show the check runs whose results they do not push', () => {
    const shown: number[] = [];
    const look = (atMs: number) => ({
      atMs,
      act: (engine: Engine) => void shown.push(engine.lastRun(0)?.resultMs ?? Number.NaN),
    });
    const { attacks } = run({ listening: { checkIntervalMs: 1000 }, meanwhile: [7500, 9500].map(look) });
    const of0 = attacks.filter(({ agent }) => agent === 0).map(({ atMs }) => atMs);
    expect(shown).toEqual([7500, 9500].map((atMs) => Math.max(...of0.filter((attackMs) => attackMs <= atMs))));
  });

  it('no attack counts as an operation', () => {
    const { series, requests, attacks } = run();
    const planned = series.reduce((sum, one) => sum + one.planned, 0);
    expect(attacks.length).toBeGreaterThan(15);
    expect(planned).toBe(requests.length);
  });

  it('an agent without a password registers first', () => {
    const { attacks, requests } = run({ events: [misbehave('100%', 0, 20_000)] });
    for (let agent = 0; agent < 10; agent++) {
      const own = requests.filter((request) => request.agent === agent);
      expect(own.map(({ endpoint }) => endpoint)).toEqual(['register_agent', 'submit_checkdata']);
      expect(attacks.find((attack) => attack.agent === agent)?.atMs).toBeGreaterThan(own[1]?.atMs ?? Number.NaN);
    }
  });

  it('their attacks are abandoned when the event ends', () => {
    const { left } = run();
    expect(left.map(({ agent }) => agent).sort()).toEqual([0, 1, 2, 3]);
    expect(left.every(({ atMs }) => atMs === 10_000)).toBe(true);
  });

  it('the event that started last takes precedence, and agents leave their attacks when both have ended', () => {
    const events = [misbehave('0', 5000, 15_000), misbehave('0', 8000, 10_000, 'gzip')];
    const { attacks, left } = run({ events });
    const gzip = attacks.filter(({ how }) => how === 'gzip').map(({ atMs }) => atMs);
    expect(gzip.length).toBeGreaterThan(0);
    expect(gzip.every((atMs) => atMs >= 8000 && atMs < 10_000)).toBe(true);
    expect(left).toEqual([{ atMs: 15_000, agent: 0 }]);
  });

  it.each([2, 4])('one shard and %d shards make the same agents attack at the same times', (count) => {
    const told = ({ attacks }: ReturnType<typeof run>) =>
      attacks.map(({ atMs, agent, how }) => `${agent} ${atMs} ${how}`);
    const events = [misbehave('50%', 5000, 10_000), misbehave('1..6', 12_000, 15_000, 'gzip')];
    const parts = Array.from({ length: count }, (_, index) => told(run({ events, shard: { index, count } })));
    const whole = told(run({ events }));
    expect(whole.length).toBeGreaterThan(25);
    expect(parts.flat().sort()).toEqual(whole.sort());
  });

  it('one that the server has confirmed attacks, too', () => {
    const confirm = phase(
      [{ operation: 'authorize', model: { kind: 'rate', ratePerSecond: 10, limit: 10 } }],
      2000,
      'confirm',
      2000,
    );
    const phases = [phase(PUSHES.loads, 2000, 'enroll'), confirm, { ...PUSHES, startMs: 4000 }];
    const { attacks, engine } = run({ phases });
    expect(engine.agentStates().authorized).toBe(10);
    expect(new Set(attacks.map(({ agent }) => agent))).toEqual(new Set([0, 1, 2, 3]));
  });

  it('a closed load continues with only the other agents', () => {
    const closed = phase(
      [{ operation: 'checkdata', model: { kind: 'concurrency', slots: 2, limit: undefined } }],
      10_000,
    );
    const phases = [
      phase([{ operation: 'register', model: { kind: 'rate', ratePerSecond: 10, limit: 10 } }], 2000, 'enroll'),
      { ...closed, startMs: 2000 },
    ];
    const { attacks, requests } = run({ phases, events: [misbehave('0..3', 5000, 12_000)], serve: friendly(100) });
    const late = requests.filter(({ atMs }) => atMs > 5100);
    expect(late.length).toBeGreaterThan(50);
    expect(late.some(({ agent }) => agent < 4)).toBe(false);
    expect(new Set(attacks.map(({ agent }) => agent))).toEqual(new Set([0, 1, 2, 3]));
  });
});

describe('an attacker', () => {
  it('has its own credentials, and check data for any time', () => {
    const { attacks } = run();
    const [first, second] = attacks.filter(({ agent }) => agent === 2);
    const { attacker, atMs = 0 } = first ?? {};
    expect(attacker).toMatchObject({ uuid: uuidOf(1, 2), password: 'issued' });
    const body = (ageMs: number) => JSON.parse(attacker?.checkdata(ageMs).toString() ?? '');
    expect(body(0)).toMatchObject({ checkdata: { agent: 2 }, agentuuid: uuidOf(1, 2), password: 'issued' });
    expect(body(0).checkdata.at).toBeCloseTo(atMs, 2);
    expect(body(3_600_000).checkdata.at).toBeCloseTo(atMs - 3_600_000, 2);
    expect(attacker?.strangeUuid).not.toBe(second?.attacker.strangeUuid);
    expect(attacker?.strangeUuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it('is excluded from delivery by its uuid, unlike all other agents', () => {
    const { engine } = run();
    expect([...(engine.deliveryCounts().misbehaved ?? [])].sort()).toEqual(
      [0, 1, 2, 3].map((agent) => uuidOf(1, agent)).sort(),
    );
    expect(run({ events: [] }).engine.deliveryCounts()).not.toHaveProperty('misbehaved');
  });
});
