import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openRegistrationFile, type RegistrationFile } from '../../src/monitoring-server/registrations.ts';
import type { MonitoringServerSettings } from '../../src/monitoring-server/settings.ts';
import { type MonitoringServer, startMonitoringServer } from '../../src/monitoring-server/start.ts';
import { faultsOf } from '../faults/faults-of.ts';
import { push, send } from './push-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-full-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A real data file on a disk that is full at the n-th write and has room again afterwards. */
function fullAtWrite(path: string, n: number): RegistrationFile {
  const file = openRegistrationFile(path);
  let writes = 0;
  const attempt = (write: () => void) => {
    if (++writes === n) throw new Error('database or disk is full');
    write();
  };
  return {
    ...file,
    save: (agents) => attempt(() => file.save(agents)),
    remove: (uuids) => attempt(() => file.remove(uuids)),
  };
}

const MANUAL: Partial<MonitoringServerSettings> = {
  hostAssignment: { kind: 'manual' },
  admin: { port: 0, token: 'secret' },
};

/** A server whose agent `a` is registered and no host yet; its next write, and no other, meets a full disk. */
async function startWithFullDisk() {
  const dataFile = join(mkdtempSync(join(folder, 'disk-')), 'agents.db');
  const lines: string[] = [];
  const server = await startMonitoringServer(
    { ...MANUAL, dataFile },
    // The first write keeps the agents that the settings name, the second registers `a`.
    { openFile: (path) => fullAtWrite(path, 3), report: (line) => lines.push(line) },
  );
  onTestFinished(() => server.stop());
  const { body } = await enroll(server, 'a');
  /** What a server that starts on the same file knows: whether `a` is there, and whether it is a host. */
  const afterRestart = async () => {
    await server.stop();
    const next = await startMonitoringServer({ ...MANUAL, dataFile });
    onTestFinished(() => next.stop());
    return { known: next.counts().registrations, assigned: (await submit(next, body)) === 200 };
  };
  return { server, lines, dataFile, credentials: body, afterRestart };
}

const enroll = (server: MonitoringServer, agentuuid: string) =>
  push(server.url, 'register_agent', { agentuuid, password: '' });
const submit = async (server: MonitoringServer, credentials: object) =>
  (await push(server.url, 'submit_checkdata', { ...credentials, checkdata: {} })).status;

async function admin(server: MonitoringServer, method: string, path: string, document: unknown) {
  const headers = { Authorization: 'Bearer secret' };
  const { status, text } = await send(server.adminUrl ?? '', { method, path, headers, body: JSON.stringify(document) });
  return { status, body: JSON.parse(text) };
}

describe('on a full disk', () => {
  it('a registration gets a JSON error, one line tells why, and the agent can register when there is room', async () => {
    const { server, lines, dataFile, afterRestart } = await startWithFullDisk();
    const { status, body } = await enroll(server, 'b');
    expect([status, typeof body.error]).toEqual([500, 'string']);
    expect(lines).toEqual([`The data file ${dataFile} cannot be written: database or disk is full`]);
    expect(server.counts()).toMatchObject({ registrations: 1, internalErrors: 0 });
    expect((await enroll(server, 'b')).status).toBe(201);
    expect(await afterRestart()).toMatchObject({ known: 2 });
  });

  it('an assignment of hosts gets a JSON error, and nobody becomes a host', async () => {
    const { server, lines, credentials, afterRestart } = await startWithFullDisk();
    const { status, body } = await admin(server, 'POST', '/hosts', {});
    expect([status, body.error]).toEqual([500, lines[0]]);
    expect(await submit(server, credentials)).toBe(400);
    expect(await afterRestart()).toEqual({ known: 1, assigned: false });
  });

  it('agents that are to be forgotten at once stay known, and the admin client gets a JSON error', async () => {
    const { server, lines, afterRestart } = await startWithFullDisk();
    const { status, body } = await admin(server, 'PUT', '/faults', [{ do: 'forget' }]);
    expect([status, body.error]).toEqual([500, lines[0]]);
    expect(server.counts().registrations).toBe(1);
    expect(await afterRestart()).toMatchObject({ known: 1 });
  });

  it('agents that are to be forgotten later stay known, and the server lives', async () => {
    const { server, lines, afterRestart } = await startWithFullDisk();
    server.setFaults(faultsOf({ do: 'forget', at: '1ms' }));
    await expect.poll(() => lines.length).toBe(1);
    expect(server.counts().registrations).toBe(1);
    expect(await afterRestart()).toMatchObject({ known: 1 });
  });
});
