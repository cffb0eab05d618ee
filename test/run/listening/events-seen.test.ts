import { beforeAll, describe, type ExpectStatic, it } from 'vitest';
import { uuidOf } from '../../../src/wire/agent/identity.ts';
import { ask, refusal } from './client.ts';
import { type RecordingServer, recordingServer } from './recording-server.ts';
import { type RunningFleet, startFleet } from './running-fleet.ts';

const AGENTS = 7;
const [STOPPED, RESTARTED, OFFLINE, RENEWED, COPY, ORIGINAL, ATTACKER] = [0, 1, 2, 3, 4, 5, 6] as const;

describe.concurrent('at the web server of an agent with an event', () => {
  let server: RecordingServer;
  let fleet: RunningFleet;
  const shown = async (agent: number) => (await ask(fleet.at(agent), '/')).body;
  const pushed = (agent: number) => server.of(agent).checkdata;
  /** Waits until an agent has pushed this many more documents. */
  const pushes = (expect: ExpectStatic, agent: number, more: number) => {
    const soFar = pushed(agent).length;
    return expect.poll(() => pushed(agent).length, POLL).toBeGreaterThanOrEqual(soFar + more);
  };
  /** Waits until the agent serves one of these documents. */
  const showsOneOf = (expect: ExpectStatic, agent: number, documents: () => readonly string[]) =>
    expect.poll(async () => documents().includes(await shown(agent)), POLL).toBe(true);
  const POLL = { timeout: 60_000, interval: 20 };

  beforeAll(async () => {
    server = await recordingServer(AGENTS);
    fleet = await startFleet(`
target: { url: "${server.url}" }
fleet: { agents: ${AGENTS}, seed: 1, payload: lean, profiles: { debian-12: 1 } }
webServer: { listen: LISTEN }
phases: [{ name: push, duration: 10m, checkdata: { every: 400ms } }]`);
    return async () => {
      await fleet.close();
      server.close();
    };
  }, 60_000);

  it('connections are refused during stop, and then clients see what the new process pushes', async ({ expect }) => {
    await pushes(expect, STOPPED, 1);
    await fleet.happens({ kind: 'stop' }, STOPPED);
    await expect.poll(() => refusal(fleet.at(STOPPED)), POLL).toBe('ECONNREFUSED');
    const before = pushed(STOPPED).length;
    await fleet.isOver('stop');
    await pushes(expect, STOPPED, 2);
    await showsOneOf(expect, STOPPED, () => pushed(STOPPED).slice(before));
  }, 90_000);

  it('clients see what the new process pushes after a restart', async ({ expect }) => {
    await pushes(expect, RESTARTED, 1);
    const last = await shown(RESTARTED);
    await fleet.happens({ kind: 'restart' }, RESTARTED);
    // Right after its start, it has no data, and no document of the previous process.
    await expect.poll(() => shown(RESTARTED).catch(() => last), POLL).not.toBe(last);
    await pushes(expect, RESTARTED, 2);
    await showsOneOf(expect, RESTARTED, () => pushed(RESTARTED));
  }, 90_000);

  it('connections are refused without a network, and then clients see what the agent pushes again', async ({
    expect,
  }) => {
    await fleet.happens({ kind: 'disconnect', how: 'cable' }, OFFLINE);
    await expect.poll(() => refusal(fleet.at(OFFLINE)), POLL).toBe('ECONNREFUSED');
    await fleet.isOver('disconnect');
    await expect.poll(() => refusal(fleet.at(OFFLINE)), POLL).toBeUndefined();
    await pushes(expect, OFFLINE, 2);
    await showsOneOf(expect, OFFLINE, () => pushed(OFFLINE));
  }, 90_000);

  it('clients see what the agent pushes under another uuid after new-identity', async ({ expect }) => {
    await fleet.happens({ kind: 'new-identity' }, RENEWED);
    const others = () => server.uuids().filter((uuid) => !known.includes(uuid));
    const known = Array.from({ length: AGENTS }, (_, agent) => uuidOf(1, agent));
    await expect.poll(() => server.under(others()[0] ?? '').length, POLL).toBeGreaterThan(1);
    await showsOneOf(expect, RENEWED, () => server.under(others()[0] ?? ''));
  }, 90_000);

  it('clients of a clone see its own host, which it pushes under the uuid of the original', async ({ expect }) => {
    await fleet.happens({ kind: 'clone', original: ORIGINAL, password: 'shared' }, COPY);
    const original = () => server.under(uuidOf(1, ORIGINAL));
    for (const agent of [COPY, ORIGINAL]) await showsOneOf(expect, agent, original);
    expect(await shown(COPY)).not.toBe(await shown(ORIGINAL));
  }, 90_000);

  it('clients of an attacker see check runs that were never pushed', async ({ expect }) => {
    await pushes(expect, ATTACKER, 1);
    await fleet.happens({ kind: 'misbehave', how: 'slow-head' }, ATTACKER);
    await expect.poll(async () => pushed(ATTACKER).includes(await shown(ATTACKER)), POLL).toBe(false);
  }, 90_000);
});
