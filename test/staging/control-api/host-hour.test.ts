import { afterEach, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../src/base/kernel/units.ts';
import { hostFigures } from '../../../src/staging/control-api/routes/agent.ts';
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
  const answer = (await (await served.ask('/api/v1/agents/3/host')).json()) as { rows: readonly { at: string }[] };
  return { asked, told: answer.rows.map(({ at }) => Date.parse(at)) };
}

it("the last hour of an agent's host is shown on the host's own clock", async () => {
  const { asked, told } = await hourOf(`hostClock: { factor: 2, start: ${STARTED} }`);
  expect(told).toEqual(asked);
  const newest = asked.at(-1) ?? 0;
  expect(newest).toBeGreaterThanOrEqual(Date.parse(STARTED));
  expect(newest).toBeLessThan(Date.parse(STARTED) + HOUR_MS);
  expect(asked).toEqual(Array.from({ length: 61 }, (_, n) => newest - HOUR_MS + n * MINUTE_MS));
});

it('an agent whose host is down has no document, and its host has no figures', async () => {
  const { run, ask } = await serveFleet({}, { document: async () => new Uint8Array() });
  run.started(new Date());
  const answer = await ask('/api/v1/agents/3/documents/checkdata');
  expect([answer.status, await answer.json()]).toEqual([
    409,
    expect.objectContaining({ detail: expect.stringContaining('its host is down') }),
  ]);
  const { rows } = (await (await ask('/api/v1/agents/3/host')).json()) as { rows: readonly object[] };
  expect(rows[0]).toMatchObject({ isUp: false, cpuPercent: null, disks: [] });
});

it('the traffic of a host is that of all its interfaces except loopback', () => {
  const io = (name: string, avg_bytes_recv_ps: number, avg_bytes_sent_ps: number) => ({
    [name]: { name, avg_bytes_recv_ps, avg_bytes_sent_ps },
  });
  const figures = (...interfaces: object[]) => hostFigures({ net_io: Object.assign({}, ...interfaces) });
  for (const loopback of ['lo', 'lo0', 'Loopback Pseudo-Interface 1'])
    expect(figures(io(loopback, 1000, 1000), io('eth0', 1, 2), io('eth1', 10, 20))).toMatchObject({
      receivedBytesPerSecond: 11,
      sentBytesPerSecond: 22,
    });
});
