import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { publishingOf } from '../../../src/hosts/groups.ts';
import { type NextOutage, outagesOf } from '../../../src/hosts/host/boots.ts';
import type { Incident } from '../../../src/hosts/host/incident.ts';
import { checkdata, isUp } from '../any-machine.ts';
import { compilePayloads, type TestFleet } from '../host-data.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 2, 2, 9);

const REBOOT: Incident = {
  kind: 'reboot',
  isHit: () => true,
  fromMs: START_MS + 60_000,
  toMs: START_MS + 180_000,
};

function fleetOf(incidents: readonly Incident[]): TestFleet {
  return { seed: 3, profiles: { 'debian-12': 1 }, payload: 'lean', checkIntervalSeconds: 30, incidents };
}

function nextOutageOf(fleet: TestFleet): NextOutage {
  return outagesOf({ ...fleet, ...publishingOf(fleet) });
}

describe('the next outage of a host', () => {
  it('is that of an incident, from its start until the agent has started', () => {
    const outage = nextOutageOf(fleetOf([REBOOT]))(5, START_MS, START_MS + HOUR_MS);
    expect(outage?.downMs).toBe(REBOOT.fromMs);
    expect(outage?.agentStartMs).toBeGreaterThanOrEqual(REBOOT.toMs + 8000);
    expect(outage?.agentStartMs).toBeLessThanOrEqual(REBOOT.toMs + 12_000);
  });

  it('is found by a run that starts while the host is down, and not by a later one', () => {
    const next = nextOutageOf(fleetOf([REBOOT]));
    const whole = next(5, START_MS, START_MS + HOUR_MS);
    expect(next(5, REBOOT.toMs - 1, START_MS + HOUR_MS)).toEqual(whole);
    expect(next(5, whole?.agentStartMs ?? 0, START_MS + HOUR_MS)).toBeUndefined();
  });

  it('never ends if the run ends first', () => {
    expect(nextOutageOf(fleetOf([REBOOT]))(5, START_MS, START_MS + 90_000)?.agentStartMs).toBe(
      Number.POSITIVE_INFINITY,
    );
  });

  it('is followed by documents of an agent that has just started', () => {
    const fleet = fleetOf([REBOOT]);
    const { nextOutage, checkRunMs } = compilePayloads(fleet);
    const outage = nextOutage(5, START_MS, START_MS + HOUR_MS);
    const instantMs = (outage?.agentStartMs ?? 0) + checkRunMs(5) + 1;
    const { agent } = checkdata({ fleet, agent: 5, instantMs });
    expect(agent.last_updated).toMatch(/m=\+0\.00/);
    expect(agent.system_uptime).toBeLessThan(13);
  });

  it('is the only time without an agent, whatever caused the reboot', () => {
    const fleet = fleetOf([]);
    const next = nextOutageOf(fleet);
    const spans = fc.tuple(fc.nat(5000), fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1, max: 60 }));
    fc.assert(
      fc.property(spans, fc.array(fc.nat(10_000), { minLength: 20 }), ([agent, day, days], shares) => {
        const [fromMs, untilMs] = [START_MS + day * DAY_MS, START_MS + (day + days) * DAY_MS];
        const outage = next(agent, fromMs, untilMs);
        const { downMs, agentStartMs } = outage ?? { downMs: untilMs, agentStartMs: untilMs };
        for (const share of shares) {
          const unixMs = fromMs + Math.floor((share / 10_000) * (downMs - fromMs));
          if (unixMs < downMs) expect(isUp(fleet, agent, unixMs)).toBe(true);
        }
        if (outage === undefined || agentStartMs === Number.POSITIVE_INFINITY) return;
        for (const unixMs of [downMs, agentStartMs - 1]) expect(isUp(fleet, agent, unixMs)).toBe(false);
        expect(isUp(fleet, agent, agentStartMs)).toBe(true);
      }),
    );
  });
});
