import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openRegistrationFile, type RegistrationFile } from '../../src/server/registrations.ts';
import type { MonitoringServerSettings } from '../../src/server/settings.ts';
import { type MonitoringServer, startMonitoringServer } from '../../src/server/start.ts';
import { faultsOf } from './faults/faults-of.ts';
import { push, send } from './push-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-full-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A real data file on a disk that is full at the n-th write, and has space again afterwards. */
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

/** A server that knows agent `a`, which has no host yet. Only its next write meets a full disk. */
async function startWithFullDisk() {
  const dataFile = join(mkdtempSync(join(folder, 'disk-')), 'agents.db');
  const lines: string[] = [];
  const server = await startMonitoringServer(
    { ...MANUAL, dataFile },
    // The first write saves the agents from the settings, the second registers `a`.
    { openFile: (path) => fullAtWrite(path, 3), report: (line) => lines.push(line) },
  );
  onTestFinished(() => server.stop());
  const { body } = await enroll(server, 'a');
  /** What a server that starts with the same file knows: the number of agents, and whether `a` has a host. */
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
  it('a registration gets a JSON error, one line reports the reason, and the agent can register once there is space', async () => {
    const { server, lines, dataFile, afterRestart } = await startWithFullDisk();
    const { status, body } = await enroll(server, 'b');
    expect([status, typeof body.error]).toEqual([500, 'string']);
    expect(lines).toEqual([`The data file ${dataFile} cannot be written: database or disk is full`]);
    expect(server.counts()).toMatchObject({ registrations: 1, internalErrors: 0 });
    expect((await enroll(server, 'b')).status).toBe(201);
    expect(await afterRestart()).toMatchObject({ known: 2 });
  });

  it('a host assignment gets a JSON error, and assigns no host', async () => {
    const { server, lines, credentials, afterRestart } = await startWithFullDisk();
    const { status, body } = await admin(server, 'POST', '/hosts', {});
    expect([status, body.error]).toEqual([500, lines[0]]);
    expect(await submit(server, credentials)).toBe(400);
    expect(await afterRestart()).toEqual({ known: 1, assigned: false });
  });

  it('agents are not forgotten by an immediate `forget`, and the admin client gets a JSON error', async () => {
    const { server, lines, afterRestart } = await startWithFullDisk();
    const { status, body } = await admin(server, 'PUT', '/faults', [{ do: 'forget' }]);
    expect([status, body.error]).toEqual([500, lines[0]]);
    expect(server.counts().registrations).toBe(1);
    expect(await afterRestart()).toMatchObject({ known: 1 });
  });

  it('agents are not forgotten by a later `forget`, and the server continues', async () => {
    const { server, lines, afterRestart } = await startWithFullDisk();
    server.setFaults(faultsOf({ do: 'forget', at: '1ms' }));
    await expect.poll(() => lines.length).toBe(1);
    expect(server.counts().registrations).toBe(1);
    expect(await afterRestart()).toMatchObject({ known: 1 });
  });
});
