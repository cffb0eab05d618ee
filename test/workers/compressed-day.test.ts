import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/base/kernel/units.ts';
import { clockFactor } from '../../src/load/host-clock.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { createHosts } from '../../src/workers/hosts.ts';
import { friendly, runVirtually } from '../engine/virtual-run.ts';
import { HOST_DATA } from '../hosts/host-data.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';

/** Hashed, because a difference would be too long to read. */
const hashOf = (told: unknown) => createHash('sha1').update(JSON.stringify(told)).digest('hex');

const AGENTS = 12;
const START = Date.parse('2026-11-12T00:00:00Z');
const day = (clock: string) =>
  scenarioOf(`
${clock}
fleet: { agents: ${AGENTS}, seed: 4, payload: typical, profiles: { debian-12: 1, windows-server-2022: 1, macos-26: 1 } }
phases: [{ name: day, duration: 24h, checkdata: { every: 30s } }]
events:
  - { do: cpu-saturated, at: 9h, for: 2h, over: 1h, cohort: 50% }
  - { do: memory-leak, at: 3h, for: 8h, cohort: 50% }
  - { do: disk-full, at: 14h, for: 30m, cohort: 50% }
  - { do: security-updates-due, at: 10h, for: 5h }
  - { do: reboot, at: 16h, for: 4m, over: 1h, cohort: 50%, repeat: { every: 3h } }
`);

const ORDINARY = day('');
const COMPRESSED = day('hostClock: { factor: 144 }');

/** The documents of all hosts, and their next outages, at a given time of their clocks. */
function told(scenario: Scenario) {
  const { payloads } = createHosts(scenario, HOST_DATA, () => START);
  return (instantMs: number) =>
    Array.from({ length: AGENTS }, (_, agent) => {
      const out = Buffer.alloc(Math.max(payloads.checkdataRoomBytes(agent), payloads.packagesRoomBytes(agent)));
      const checkdata = out.toString('utf8', 0, payloads.writeCheckdata(out, 0, agent, instantMs));
      const packages = out.toString('utf8', 0, payloads.writePackages(out, 0, agent, instantMs));
      const { downMs, agentStartMs } = payloads.nextOutage(agent, instantMs, instantMs + 6 * HOUR_MS) ?? {};
      return { checkdata, packages, outage: [downMs, agentStartMs].map((ms) => ms && Math.round(ms)) };
    });
}

describe('a day in ten minutes', () => {
  const [ordinary, compressed] = [ORDINARY, COMPRESSED].map(told);

  it.each([0, 3.5, 9.2, 10.7, 14.25, 16.5, 19.1, 23.9])(
    'has the same hosts as an ordinary day at the same time of their clocks: %f h',
    (hours) => {
      const instantMs = START + hours * HOUR_MS;
      const [there, here] = [ordinary, compressed].map((hosts) => hosts?.(instantMs));
      expect(here?.map(hashOf)).toEqual(there?.map(hashOf));
    },
  );

  it("pushes at the same real times, while the hosts' clocks advance 144 times as fast", () => {
    const [often, seldom] = [pushedIn(ORDINARY, 120_000), pushedIn(COMPRESSED, 120_000)];
    expect(seldom.length).toBe(often.length);
    const spans = [often, seldom].map((shown) => Math.max(...shown) - Math.min(...shown));
    expect((spans[1] ?? 0) / (spans[0] ?? 1)).toBeCloseTo(144, 5);
  });
});

/** The clock times in the documents that are pushed within this period, in Unix ms, in order of the pushes. */
function pushedIn(scenario: Scenario, withinMs: number): readonly number[] {
  const shown: number[] = [];
  const { payloads, reloaded } = createHosts(scenario, HOST_DATA, () => START);
  const noted: typeof payloads = {
    ...payloads,
    writeCheckdata: (out, offset, agent, instantMs, collectionMs) => {
      shown.push(instantMs);
      return payloads.writeCheckdata(out, offset, agent, instantMs, collectionMs);
    },
    nextOutage: () => undefined,
  };
  runVirtually({
    agents: AGENTS,
    phases: scenario.phases.map((phase) => ({ ...phase, durationMs: withinMs })),
    serve: friendly(5),
    epochMs: START,
    clockFactor: clockFactor(scenario.hostClock),
    machines: { payloads: noted, reloaded },
  });
  return shown;
}
