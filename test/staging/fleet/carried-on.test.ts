import { expect, it } from 'vitest';
import { EVERYONE } from '../../../src/load/cohorts/cohort.ts';
import type { FleetEvent } from '../../../src/load/events/event.ts';
import { extendRegistrations } from '../../../src/staging/fleet/fleet.ts';

const FIRST = new Date('2026-01-31T12:00:00Z');

/** The events of a fleet that last ran at `aliveMs`, and starts again a minute after its first start. */
function startedAgain(events: readonly FleetEvent[], aliveMs: number) {
  const read = ({ fromMs }: { readonly fromMs: number }) =>
    fromMs <= FIRST.getTime() + aliveMs ? [{ atMs: FIRST.getTime() + aliveMs, figures: {} as never }] : [];
  return extendRegistrations(events, { read }, { firstStartedAt: FIRST, elapsedMs: 60_000 });
}

const again: FleetEvent = {
  name: 'again',
  cohort: EVERYONE,
  action: { kind: 'register-again' },
  fromMs: 10_000,
  toMs: 10_000,
  overMs: 30_000,
};

it('a stop that interrupted register-again lets it go on until the start, even if its time has passed', () => {
  expect(startedAgain([again], 25_000)).toEqual([{ ...again, overMs: 50_000 }]);
});

it.each<[string, FleetEvent, number]>([
  ['register-again that was over', again, 45_000],
  ['register-again that is not over yet', { ...again, overMs: 90_000 }, 25_000],
  ['register-again that was ended', { ...again, untilMs: 20_000 }, 15_000],
  ['another event', { ...again, action: { kind: 'restart' } }, 25_000],
])('a restart leaves %s as it is', (_, event, aliveMs) => {
  expect(startedAgain([event], aliveMs)).toEqual([event]);
});
