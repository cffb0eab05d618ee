import fs, { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { DAY_SECONDS } from '../../../src/base/kernel/units.ts';
import { HOSTS_FORMAT, hostsVersion, readHostData, tablesHash } from '../../../src/base/storage/host-data.ts';
import { conditionOf } from '../../../src/engine/conditions.ts';
import { EVERYONE } from '../../../src/load/cohorts/cohort.ts';
import type { FleetEvent } from '../../../src/load/events/event.ts';
import { hostsLine } from '../../../src/staging/fleet/event-log.ts';
import { type FleetOrder, startFleet } from '../../../src/staging/fleet/fleet.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-restarted-'));
afterAll(() => rmSync(folder, { recursive: true }));
const identities = join(folder, 'identities.db');
const path = `${identities}.events.yaml`;

const SCENARIO = scenarioOf(`name: staging
target: { url: embedded }
fleet: { agents: 3, seed: 3, payload: lean, profiles: { debian-12: 1 } }
phases: [{ name: steady, duration: 1d, checkdata: { every: 200ms } }]
`);

function orderOf(identities: string): FleetOrder {
  const files = { file: '/work/staging.yaml', identities };
  return { ...files, scenario: SCENARIO, workers: 1, upgradesHosts: false, machines: undefined };
}

/** Starts the fleet, reads the check data of a host at a time, and stops the fleet. */
async function startedOnce(order: FleetOrder, atMs: number) {
  const notes: string[] = [];
  const up = Promise.withResolvers<void>();
  const fleet = startFleet(order, (news) => {
    if (news.kind === 'note') notes.push(news.text);
    if (news.kind === 'seconds') up.resolve();
  });
  await Promise.race([up.promise, fleet.outcome]);
  const [document] = await Promise.all([fleet.agents.document(0, 'checkdata', atMs)]);
  fleet.send('stop');
  await fleet.outcome;
  return {
    notes,
    document: Buffer.from(document).toString(),
    events: fleet.events().map(({ name, of }) => (of === undefined ? name : `${name} of ${of}`)),
  };
}

it('hosts remain those of the version that first described them until an upgrade is asked for, or their format is unknown', async () => {
  const identities = join(mkdtempSync(join(folder, 'hosts-')), 'identities.db');
  const since = new Date(Date.now() - DAY_SECONDS * 1000).toISOString();
  const { 'profiles/debian-12.tsv': debian = '', ...others } = readHostData().tables;
  const tables = { ...others, 'profiles/debian-12.tsv': debian.replace(/go_version\tgo\S+/, 'go_version\tgo1.9.9') };
  const version = `0.0.9+${tablesHash(tables)}`;
  const keep = (format: number) => {
    const head = `# Events of the fleet staging, seed 3, raised at ${since}\n`;
    const scaling = '# Scaling {"name":"half","of":2}\n- { do: scale, name: half, to: 0.5, at: 1s }\n';
    writeFileSync(`${identities}.events.yaml`, `${head}${hostsLine({ version, since })}${scaling}`);
    writeFileSync(`${identities}.hosts`, gzipSync(JSON.stringify({ format, version, tables })));
  };
  keep(HOSTS_FORMAT);
  const atMs = Date.now();
  const kept = await startedOnce(orderOf(identities), atMs);
  expect(kept).toMatchObject({ document: expect.stringContaining('go1.9.9'), events: ['half of 2'] });
  expect(kept.notes).toEqual([
    `hosts remain those of Muster ${version}; --upgrade-hosts changes them to those of ${hostsVersion()}, with a reboot`,
  ]);
  expect((await startedOnce(orderOf(identities), atMs)).document).toBe(kept.document);
  const upgraded = await startedOnce({ ...orderOf(identities), upgradesHosts: true }, Date.now());
  expect(upgraded.notes).toEqual([
    expect.stringMatching(/^hosts are now .*, before 0\.0\.9\+\w{8}: all of them rebooted/),
  ]);
  expect(upgraded.document).not.toContain('go1.9.9');
  keep(HOSTS_FORMAT - 1);
  const unknown = await startedOnce(orderOf(identities), Date.now());
  expect(unknown.notes).toEqual([
    expect.stringContaining(
      `, whose data have format ${HOSTS_FORMAT - 1}, and this Muster reads format ${HOSTS_FORMAT}: all`,
    ),
  ]);
  expect([unknown.events, upgraded.events]).toEqual([
    ['half of 2', 'upgrade-of-muster-1'],
    ['half of 2', 'upgrade-of-muster-1'],
  ]);
  writeFileSync(`${identities}.hosts`, 'damaged');
  expect(() => startFleet(orderOf(identities), () => {})).toThrow(
    /\.hosts, cannot be read: .*restore it, or remove it/,
  );
});

it('a fleet that starts again ten days later continues its timeline, and each event is in its log before it counts; hosts of another version rebooted meanwhile', async () => {
  const firstStartedAt = new Date(Date.now() - 10 * DAY_SECONDS * 1000);
  const since = firstStartedAt.toISOString();
  const earlier = hostsLine({ version: '0.0.9+1a2b3c4d', since });
  writeFileSync(path, `# Events of the fleet staging, seed 3, raised at ${since}\n${earlier}- { do: res`);
  const notes: string[] = [];
  const begunMs = Date.now();
  const order = orderOf(identities);
  const fleet = startFleet(order, (news) => {
    if (news.kind === 'note') notes.push(news.text);
  });
  await expect
    .poll(() => fleet.figures({ resolution: 'second', fromMs: begunMs, toMs: 2 ** 50 }).length)
    .toBeGreaterThan(0);
  expect(notes).toEqual([
    `removed the incomplete last entry of ${path}`,
    `hosts are now those of Muster ${hostsVersion()}, before 0.0.9+1a2b3c4d, of whose data the fleet has no copy: all of them rebooted before this start (event upgrade-of-muster-1)`,
  ]);
  const { startedAt } = fleet.times() ?? expect.unreachable();
  expect(fleet.times()?.firstStartedAt).toEqual(firstStartedAt);
  // The workers get ready before the start.
  expect(startedAt.getTime() - begunMs).toBeGreaterThanOrEqual(1500);

  const [upgrade] = fleet.events();
  expect([upgrade?.name, upgrade?.action, fleet.hosts.since]).toEqual([
    'upgrade-of-muster-1',
    { kind: 'reboot' },
    startedAt,
  ]);
  for (const agent of [0, 1, 2]) {
    const document = Buffer.from(await fleet.agents.document(agent, 'checkdata', startedAt.getTime())).toString();
    const { system_uptime: uptimeSeconds } = JSON.parse(document).agent;
    expect(uptimeSeconds).toBeGreaterThanOrEqual(0);
    expect(uptimeSeconds).toBeLessThanOrEqual(360);
  }

  const elapsedMs = () => Date.now() - firstStartedAt.getTime();
  const stop = () => {
    const span = { fromMs: elapsedMs(), toMs: elapsedMs() + 3_600_000, overMs: 0 };
    const event: FleetEvent = { name: 'halt', cohort: EVERYONE, ...span, action: { kind: 'scale', share: 0 } };
    return fleet.addEvent({ event, withAgents: true });
  };
  const { writeSync } = fs;
  fs.writeSync = () => {
    throw new Error('ENOSPC: no space left on device, write');
  };
  syncBuiltinESMExports();
  await expect(stop())
    .rejects.toThrow(/cannot be written: ENOSPC/)
    .finally(() => {
      fs.writeSync = writeSync;
      syncBuiltinESMExports();
    });
  expect(fleet.events()).toEqual([upgrade]);

  const requestedMs = elapsedMs();
  const [added, again] = await Promise.allSettled([stop(), stop()]);
  if (added.status === 'rejected') throw added.reason;
  const { count, event } = added.value;
  expect(count).toBe(3);
  expect(event.fromMs).toBeGreaterThanOrEqual(requestedMs);
  expect(again).toMatchObject({ reason: { message: expect.stringContaining('no event of the fleet has ever had') } });
  const flags = async () =>
    [...(await fleet.agents.conditions())].map((code) => conditionOf(code)?.flags.includes('stopped'));
  await expect.poll(flags).toEqual([true, true, true]);
  const { atMs } = await fleet.endEvent('halt');
  expect(atMs).toBeGreaterThanOrEqual(event.fromMs);
  expect(fleet.events()).toEqual([upgrade, { ...event, untilMs: atMs }]);
  await expect(stop()).rejects.toThrow('no event of the fleet has ever had');
  await expect.poll(flags).toEqual([false, false, false]);
  fleet.send('stop');
  await fleet.outcome;
  expect(readFileSync(path, 'utf8')).toMatch(
    /^# .*\n# Hosts .*\n# Kept .*\n# Hosts .*\n- \{ name: upgrade-of-muster-1, .*\n# Scaling \{"name":"halt","of":3\}\n- \{ name: halt, do: scale, to: 0, at: 10d.*\n- \{ do: end, event: halt, at: 10d.*\n$/,
  );
});
