import { afterEach, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/kernel/units.ts';
import { closeServed, serveFleet } from './served-fleet.ts';

afterEach(closeServed);

const STARTED = '2026-11-12T06:00:00Z';

async function hourOf(hostClock: string) {
  const asked: number[] = [];
  const document = async (_place: number, _document: string, instantMs = 0) => {
    asked.push(instantMs);
    return Buffer.from('{}');
  };
  const served = await serveFleet({ hostClock }, { document });
  served.run.started(new Date());
  const answer = (await (await served.ask('/api/agents/3/host')).json()) as { rows: readonly { at: string }[] };
  return { asked, told: answer.rows.map(({ at }) => Date.parse(at)) };
}

it("the last hour of an agent's host is shown on the host's own clock", async () => {
  const { asked, told } = await hourOf(`hostClock: { factor: 144, start: ${STARTED} }`);
  expect(told).toEqual(asked);
  const newest = asked.at(-1) ?? 0;
  expect(newest).toBeGreaterThanOrEqual(Date.parse(STARTED));
  expect(newest).toBeLessThan(Date.parse(STARTED) + HOUR_MS);
  expect(asked).toEqual(Array.from({ length: 61 }, (_, n) => newest - HOUR_MS + n * MINUTE_MS));
});
