import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MIB } from '../../src/base/kernel/units.ts';
import { readHostData } from '../../src/base/storage/host-data.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { scenarioSince } from '../../src/scenario/planning/staying.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { createHosts } from '../../src/workers/hosts.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';
import { restore } from './restore.ts';
import { friendly, RUN_EPOCH_MS, runVirtually } from './virtual-run.ts';

const AGENTS = 6;
const DAYS = 30;
const SCENARIO = scenarioOf(`
fleet: { agents: ${AGENTS}, payload: lean, profiles: { windows-server-2022: 1, debian-12: 1 } }
phases: [{ name: steady, duration: ${DAYS + 1}d, checkdata: { every: 30m }, packages: { every: 12h } }]
events:
  - { do: reboot, cohort: 50%, at: 5h, for: 90s, over: 1h, repeat: { every: 7d } }
  - { do: restart, at: 1h, over: 1h, repeat: { every: 1d } }
  - { do: disconnect, cohort: 50%, at: 2h, for: 10m, repeat: { every: 6h } }
  - { do: stop, cohort: 30%, at: 3h, for: 1h, repeat: { every: 1d } }
  - { do: upgrade, version: 3.4.0, cohort: 50%, at: 4h, for: 1h, repeat: { every: 1d } }
  - { do: cpu-saturated, at: 4h, for: 20m, repeat: { every: 8h } }
`);
const HOST_DATA = readHostData();

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The compared days. The heap is collected only at their ends, because that takes as long as a day. */
const COMPARED = [7, DAYS - 1] as const;

/** The pushes of each day of a month, the heap after the compared days, and the documents of the fleet at the end. */
function month(scenario: Scenario, firstStartedMs: number) {
  const { phases, events } = scenarioSince(scenario, firstStartedMs);
  const epochMs = RUN_EPOCH_MS + firstStartedMs;
  const hosts = createHosts({ ...scenario, phases, events }, HOST_DATA, () => epochMs);
  const pushed: number[] = [];
  const heapBytes = new Map<number, number>();
  const documents: string[] = [];
  let pushes = 0;
  const serve = friendly(5);
  const endOfDay = (): void => {
    const day = pushed.push(pushes) - 1;
    pushes = 0;
    if (!COMPARED.some((one) => one === day)) return;
    collectGarbage();
    heapBytes.set(day, process.memoryUsage().heapUsed);
  };
  const look = (engine: Engine): void => {
    for (let agent = 0; agent < AGENTS; agent++) {
      const bytes = engine.document(agent, 'checkdata', RUN_EPOCH_MS + DAYS * DAY_MS);
      documents.push(Buffer.from(bytes).toString());
    }
  };
  const left = Math.floor((DAYS * DAY_MS - firstStartedMs) / DAY_MS);
  const ends = Array.from({ length: left }, (_, day) => ({ atMs: (day + 1) * DAY_MS, act: endOfDay }));
  runVirtually({
    agents: AGENTS,
    phases,
    events,
    machines: hosts,
    epochMs,
    forgets: true,
    serve: (request) => {
      pushes++;
      return serve(request);
    },
    prepare: (engine) => restore(engine, [...Array(AGENTS).keys()]),
    meanwhile: [...ends, { atMs: DAYS * DAY_MS - firstStartedMs, act: look }],
  });
  return { pushed, heapBytes, documents };
}

it('a fleet uses no more memory after a month than after a week, and equals one that was started the day before', () => {
  const { pushed, heapBytes, documents } = month(SCENARIO, 0);
  expect(pushed).toHaveLength(DAYS);
  for (const pushes of pushed) expect(pushes).toBeGreaterThan(AGENTS * 40);
  const [week, end] = COMPARED.map((day) => heapBytes.get(day) ?? Number.NaN) as [number, number];
  expect(end - week).toBeLessThan(MIB);
  expect(month(SCENARIO, DAYS * DAY_MS - 20 * HOUR_MS).documents).toEqual(documents);
});
