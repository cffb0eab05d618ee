import { describe, it } from 'vitest';
import { startsLongAgo, usualStarts } from '../../../src/load/pacers.ts';
import { machineFleetOf } from '../../../src/scenario/agents.ts';
import { compilePayloads, HOST_DATA } from '../../hosts/host-data.ts';
import { ask, refusal } from './client.ts';
import { recordingServer } from './recording-server.ts';
import { type RunningFleet, startFleet } from './running-fleet.ts';

type Shown = { readonly agent: number; readonly path: string; readonly from: number; readonly body: string };

const AGENTS = [0, 1, 2];
const FULL_DISK = 2;

describe.concurrent('an agent that pushes and listens', () => {
  it('serves byte for byte what it pushed last, even during an incident', async ({ expect, onTestFinished }) => {
    const shown: Shown[] = [];
    const count = (path: string, agent: number) =>
      shown.filter((one) => one.path === path && one.agent === agent).length;
    const note = async (agent: number, kind: 'checkdata' | 'packages') => {
      const { checkdata, packages } = server.of(agent);
      // A package collection appears with the next check run.
      if (kind === 'packages' || (checkdata.length > 3 && count('/packages', agent) > 1)) return;
      shown.push({ agent, path: '/', from: checkdata.length - 1, body: (await ask(fleet.at(agent), '/')).body });
      if (packages.length === 0) return;
      const body = (await ask(fleet.at(agent), '/packages')).body;
      shown.push({ agent, path: '/packages', from: packages.length - 1, body });
    };
    const server = await recordingServer(AGENTS.length, note);
    onTestFinished(server.close);
    const fleet: RunningFleet = await startFleet(`
target: { url: "${server.url}" }
fleet: { agents: 3, seed: 1, payload: lean, profiles: { debian-12: 1 } }
webServer: { listen: LISTEN }
events: [{ do: disk-full, for: 2s, cohort: ${FULL_DISK}..${FULL_DISK} }]
phases:
  - { name: push, duration: 1m, checkdata: { every: 400ms }, packages: { every: 1s, first: 100ms } }`);
    onTestFinished(fleet.close);
    const pushed = (agent: number) => server.of(agent).checkdata;
    await expect.poll(() => AGENTS.every((agent) => count('/packages', agent) > 1)).toBe(true);
    const soFar = AGENTS.map((agent) => pushed(agent).length);
    await expect.poll(() => AGENTS.every((agent) => pushed(agent).length > (soFar[agent] ?? 0) + 2)).toBe(true);
    await fleet.stop();

    // A stalled machine may serve a later push, but never one that does not exist.
    for (const { agent, path, from, body } of shown) {
      const { checkdata, packages } = server.of(agent);
      expect((path === '/' ? checkdata : packages).slice(from)).toContain(body);
    }
    expect(AGENTS.filter((agent) => pushed(agent).some((document) => freeOf(document) === 0))).toEqual([FULL_DISK]);
  });

  it('refuses connections while its host is down, and resumes both modes after the boot', async ({
    expect,
    onTestFinished,
  }) => {
    const server = await recordingServer(2);
    onTestFinished(server.close);
    const fleet = await startFleet(`
target: { url: "${server.url}" }
fleet: { agents: 2, seed: 1, payload: lean, profiles: { debian-12: 1 } }
webServer: { listen: LISTEN, autoTls: true, keys: { type: ecdsa-p256, pool: 1 } }
events: [{ do: reboot, at: 1s, for: 1s, cohort: 0..0 }, { do: reboot, at: 1s, cohort: 1..1 }]
phases: [{ name: push, duration: 1m, checkdata: { every: 400ms } }]`);
    onTestFinished(fleet.close);
    const pushed = server.of(0).checkdata;
    await expect.poll(() => refusal(fleet.at(1))).toBe('ECONNREFUSED');
    await expect.poll(() => uptimeOf(pushed.at(-1))).toBeLessThan(30);
    const sinceBoot = pushed.length - 1;
    const { body } = await ask(fleet.at(0), '/');
    await expect.poll(() => pushed.length).toBeGreaterThan(sinceBoot + 3);
    expect(await refusal(fleet.at(1))).toBe('ECONNREFUSED');
    const { summary } = await fleet.stop();
    expect(pushed.slice(sinceBoot)).toContain(body);
    expect(summary.webServers).toMatchObject({ listening: 1, downCount: 0, down: [] });
  });
});

describe.concurrent('an agent that is only polled', () => {
  it('serves the check run of its grid, byte for byte as it is computed for that time', async ({
    expect,
    onTestFinished,
  }) => {
    const fleet = await startFleet(`
target: { url: embedded }
fleet: { agents: 3, seed: 1, payload: lean, profiles: { windows-11: 1, debian-12: 1 } }
webServer: { listen: LISTEN, interval: 5s }
phases: [{ name: asked, duration: 1m }]`);
    onTestFinished(fleet.close);
    const machines = machineFleetOf(fleet.scenario, HOST_DATA, () => fleet.startedAt());
    const payloads = compilePayloads(machines);
    const out = Buffer.alloc(Math.max(...[0, 1, 2].map(payloads.checkdataRoomBytes)));
    for (const agent of [0, 1, 2]) {
      let body = '{}';
      await expect.poll(async () => (body = (await ask(fleet.at(agent), '/')).body)).not.toBe('{}');
      // A listening agent begins its checks one second after its start.
      const firstMs = usualStarts(startsLongAgo(5000), 1)(agent) + 1000 + payloads.checkRunMs(agent);
      const before = Math.floor(-firstMs / 5000);
      const grid = Array.from({ length: 13 }, (_, run) => {
        const end = payloads.writeCheckdata(out, 0, agent, fleet.startedAt() + (firstMs + (before + run) * 5000));
        return out.toString('utf8', 0, end);
      });
      expect(grid).toContain(body);
    }
  });
});

function documentOf(text = '{}') {
  return JSON.parse(text) as {
    agent?: { system_uptime: number };
    disks?: { disk: { mountpoint: string }; usage: { free: number } }[];
  };
}

function uptimeOf(text: string | undefined): number | undefined {
  return documentOf(text).agent?.system_uptime;
}

function freeOf(text: string | undefined): number | undefined {
  return documentOf(text).disks?.find(({ disk }) => disk.mountpoint === '/')?.usage.free;
}
