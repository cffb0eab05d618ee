import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHostRecording } from '../../src/storage/recording-folder.ts';
import { muster } from '../cli/muster.ts';
import { checkdataText, packagesText, usualFleet } from '../machine/any-machine.ts';

const ONE = { fleet: usualFleet('debian-12', 'typical'), agent: 1, instantMs: Date.UTC(2026, 5, 1) };

describe('record --poll', () => {
  it("records what agents' web servers answer, with basic authentication, and reports an unreachable agent once", async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'muster-poll-'));
    const asked: string[] = [];
    const agent = createServer(({ url = '', headers }, response) => {
      asked.push(`${url} ${Buffer.from(headers.authorization?.slice(6) ?? '', 'base64')}`);
      response.end(url === '/' ? checkdataText(ONE) : packagesText(ONE));
    });
    await new Promise<void>((listening) => agent.listen(0, '127.0.0.1', listening));
    const { port } = agent.address() as AddressInfo;
    const file = `autoTls: false\nbasicAuth: user:planted\nevery: 100ms\nagents: ['127.0.0.1:${port}', '127.0.0.1:1']\n`;
    writeFileSync(join(cwd, 'agents.yaml'), file);
    const { code, stdout, stderr } = await muster(['record', '--poll', 'agents.yaml', '-o', 'site', '-d', '1s'], {
      cwd,
    });
    expect(code).toBe(0);
    expect(stdout).toBe('site: 1 host, 1 check-data document, 1 package document\n');
    expect(stderr.match(/127\.0\.0\.1:1\/: connection_refused/g)).toHaveLength(1);
    expect(new Set(asked)).toEqual(new Set(['/ user:planted', '/packages user:planted']));
    const { index, documents } = readHostRecording(join(cwd, 'site'));
    expect(index.hosts.map(({ name }) => name)).toEqual([`127.0.0.1:${port}`]);
    expect(JSON.stringify(documents)).not.toContain('planted');
    agent.close();
    rmSync(cwd, { recursive: true });
  });

  it('ends with 104 if no agent answered with a document', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'muster-poll-'));
    writeFileSync(join(cwd, 'agents.yaml'), "autoTls: false\nagents: ['127.0.0.1:1']\n");
    const ended = await muster(['record', '--poll', 'agents.yaml', '-o', 'site', '-d', '200ms'], { cwd });
    expect(ended).toMatchObject({ code: 104, stderr: expect.stringContaining('No agent answered with a document.') });
    rmSync(cwd, { recursive: true });
  });

  it('lists the input options if none or several are given', async () => {
    const none = await muster(['record', '-o', 'site']);
    expect(none).toMatchObject({ code: 104, stderr: expect.stringContaining('found none') });
    const path = await muster(['record', '-o', 'site', '--listen', ':0', '--forward', 'http://127.0.0.1/base']);
    expect(path).toMatchObject({ code: 104, stderr: expect.stringContaining('a URL without a path') });
  });
});
