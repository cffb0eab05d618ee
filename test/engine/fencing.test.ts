import { describe, expect, it } from 'vitest';
import type { Claim } from '../../src/base/protocol/claim.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { EVERYONE } from '../../src/load/cohorts/cohort.ts';
import type { Load, LoadModel } from '../../src/load/timeline.ts';
import type { LateSpan } from '../../src/metrics/recording/lateness.ts';
import { answer, friendly, phase, runVirtually, type Serve, type VirtualSettings } from './virtual-run.ts';

const CADENCE: LoadModel = {
  kind: 'cadence',
  everyMs: 1000,
  jitter: 0,
  firstMs: 0,
  standing: false,
  spread: 'even',
  originMs: 0,
  spreadMs: 1000,
};
const isFencedAt = (atMs: number): boolean => atMs > 5000 && atMs <= 9000;

function runWith(model: LoadModel, settings: Partial<VirtualSettings> = {}) {
  const load: Load = { operation: 'checkdata', model };
  const run = runVirtually({
    agents: 4,
    phases: [phase([load], 12_000)],
    serve: friendly(20),
    isFencedAt,
    ...settings,
  });
  const [checks] = run.series.filter(({ operation }) => operation === 'checkdata');
  return { ...run, checks, while: run.requests.filter(({ atMs }) => isFencedAt(atMs)) };
}

describe('agents that another machine may run', () => {
  it('start nothing, drop what is due as no_lease, and continue when the machine has its lease again', () => {
    const run = runWith(CADENCE);
    expect(run.while).toEqual([]);
    expect(run.checks?.dropped).toEqual({ no_lease: 16 });
    expect(run.requests.filter(({ atMs }) => atMs > 9000)).toHaveLength(12);
  });

  it('do not push what waited for a password or for the agent either', () => {
    const slow: Serve = (request) => friendly(request.endpoint === 'register_agent' ? 5600 : 20)(request);
    const run = runWith(CADENCE, { serve: slow });
    expect(run.while).toEqual([]);
    expect(run.checks?.dropped.no_lease).toBeGreaterThan(16);
  });

  it('leave the slots of a closed load empty meanwhile', () => {
    // The loop of a shard looks at the engine every 25 ms.
    const meanwhile = [{ atMs: 9025, act: () => {} }];
    const run = runWith({ kind: 'concurrency', slots: 2, limit: undefined }, { meanwhile });
    expect(run.while).toEqual([]);
    expect(run.requests.some(({ atMs }) => atMs > 9000)).toBe(true);
    expect(run.checks?.dropped).toEqual({});
  });

  it.each<[string, LoadModel]>([
    ['an open', CADENCE],
    ['a closed', { kind: 'concurrency', slots: 2, limit: undefined }],
  ])('count as late meanwhile, under %s load', (_, model) => {
    const late: LateSpan[] = [];
    const looks = Array.from({ length: 480 }, (_, look) => ({ atMs: look * 25, act: () => {} }));
    runWith(model, { meanwhile: looks, onFrame: (frame) => late.push(...(frame.late ?? [])) });
    const heldMs = late.reduce((sum, span) => sum + span.heldMs, 0);
    expect(heldMs).toBeGreaterThanOrEqual(3950);
    expect(heldMs).toBeLessThanOrEqual(4000);
  });

  it('do not attack', () => {
    const misbehave = { name: 'bad', cohort: EVERYONE, fromMs: 2000, toMs: 12_000, overMs: 0 };
    const run = runWith(CADENCE, { events: [{ ...misbehave, action: { kind: 'misbehave', how: 'gzip' } }] });
    expect(run.attacks.length).toBeGreaterThan(10);
    expect(run.attacks.filter(({ atMs }) => isFencedAt(atMs))).toEqual([]);
  });
});

describe('agents that another machine may register', () => {
  const claims = (answerAfterMs: number, claim: Claim) => {
    const asked: number[] = [];
    const run = runWith(CADENCE, {
      isFencedAt: () => false,
      mayRegister: (agent) => {
        asked.push(agent);
        return false;
      },
      meanwhile: Array.from({ length: 4 }, (_, agent) => ({
        atMs: 2000 + answerAfterMs,
        act: (engine: Engine) => engine.takeClaim(agent, claim),
      })),
    });
    return { ...run, asked, registered: run.requests.filter(({ endpoint }) => endpoint === 'register_agent') };
  };

  it('wait with their registration until they may', () => {
    const { registered, checks } = claims(0, { kind: 'granted', isInherited: false });
    expect(registered.map(({ atMs }) => atMs)).toEqual([2000, 2000, 2000, 2000]);
    expect(checks?.outcomes.ok).toBeGreaterThan(30);
  });

  it('drop it as no_lease while another machine may be registering them, and try again', () => {
    const { registered, series, asked } = claims(0, { kind: 'held' });
    expect(registered).toEqual([]);
    expect(asked.length).toBeGreaterThan(4);
    const [registrations] = series.filter(({ operation }) => operation === 'register');
    expect(registrations?.dropped.no_lease).toBe(4);
  });

  it('say whether the server has refused them', () => {
    const known = new Set<boolean>();
    const mayRegister = (_: number, isRefused: boolean) => known.add(isRefused) && true;
    const serve: Serve = () => ({ afterMs: 20, ending: answer(403, {}) });
    runWith(CADENCE, { isFencedAt: () => false, mayRegister, serve });
    expect([...known]).toEqual([false, true]);
  });

  it('push with the password that another machine got for them', () => {
    const { registered, requests } = claims(0, { kind: 'registered', password: 'theirs' });
    expect(registered).toEqual([]);
    expect(requests.filter(({ text }) => text.includes('"theirs"')).length).toBeGreaterThan(30);
  });
});

describe('a fleet that starts again too late', () => {
  it('does not catch up what was due before, and keeps the times of what follows', () => {
    const late = runWith(CADENCE, { isFencedAt: () => false, prepare: (engine) => engine.skipBefore(5001) });
    const onTime = runWith(CADENCE, { isFencedAt: () => false });
    expect(late.requests.filter(({ atMs }) => atMs <= 5000)).toEqual([]);
    const checksOf = (run: typeof late) =>
      run.requests.filter(({ atMs, endpoint }) => endpoint === 'submit_checkdata' && atMs > 7000);
    expect(checksOf(late).map(({ atMs, agent }) => [atMs, agent])).toEqual(
      checksOf(onTime).map(({ atMs, agent }) => [atMs, agent]),
    );
    expect(late.checks?.planned).toBe(7 * 4);
  });
});
