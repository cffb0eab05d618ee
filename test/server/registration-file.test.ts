import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/kernel/errors.ts';
import type { MonitoringServerSettings } from '../../src/server/settings.ts';
import { startMonitoringServer } from '../../src/server/start.ts';
import { push } from './push-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-server-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function freshFile(): string {
  return join(folder, `${files++}.db`);
}

/** Runs `act` while a server uses this data file. */
async function serving<T>(settings: Partial<MonitoringServerSettings>, act: (url: string) => Promise<T>): Promise<T> {
  const server = await startMonitoringServer(settings);
  try {
    return await act(server.url);
  } finally {
    await server.stop();
  }
}

const enroll = (url: string) => push(url, 'register_agent', { agentuuid: 'a', password: '', hostname: 'web01' });

describe('the data file', () => {
  it('lets agents authorize after a restart instead of enrolling again', async () => {
    const dataFile = freshFile();
    const { body } = await serving({ dataFile }, enroll);
    await serving({ dataFile }, async (url) => {
      expect(await push(url, 'register_agent', body)).toEqual({ status: 200, body });
      expect((await enroll(url)).status).toBe(403);
    });
  });

  it('keeps which agents have a host', async () => {
    const settings = { dataFile: freshFile(), hostAssignment: { kind: 'manual' } } as const;
    const { body } = await serving(settings, enroll);
    const submit = async (url: string) => (await push(url, 'submit_checkdata', { checkdata: {}, ...body })).status;
    expect(await serving(settings, submit)).toBe(400);
    const server = await startMonitoringServer(settings);
    expect(server.assignHosts()).toBe(1);
    await server.stop();
    expect(await serving(settings, submit)).toBe(200);
  });

  it("keeps the agents from a server's settings, whose passwords override the file's", async () => {
    const dataFile = freshFile();
    await serving({ dataFile, registrations: [{ uuid: 'a', password: 'old' }] }, async () => {});
    await serving({ dataFile, registrations: [{ uuid: 'a', password: 'new' }] }, async () => {});
    const status = await serving({ dataFile }, async (url) => {
      return (await push(url, 'register_agent', { agentuuid: 'a', password: 'new' })).status;
    });
    expect(status).toBe(200);
  });

  it('is readable only by its owner', async () => {
    const dataFile = freshFile();
    await serving({ dataFile }, enroll);
    expect((statSync(dataFile).mode & 0o777).toString(8)).toBe('600');
  });

  it('serves one server at a time', async () => {
    const dataFile = freshFile();
    await serving({ dataFile }, async () => {
      await expect(startMonitoringServer({ dataFile })).rejects.toThrow(UserError);
    });
  });

  it('is refused by name if it is not a database, or if its folder is missing', async () => {
    const dataFile = freshFile();
    writeFileSync(dataFile, 'no database '.repeat(100));
    await expect(startMonitoringServer({ dataFile })).rejects.toThrow(`The data file ${dataFile} cannot be used`);
    await expect(startMonitoringServer({ dataFile: join(folder, 'none/a.db') })).rejects.toThrow(UserError);
  });

  it('is released if the server cannot listen', async () => {
    const dataFile = freshFile();
    await expect(startMonitoringServer({ dataFile, host: '192.0.2.1' })).rejects.toThrow(
      'no interface of this machine has this address',
    );
    expect((await serving({ dataFile }, enroll)).status).toBe(201);
  });
});
