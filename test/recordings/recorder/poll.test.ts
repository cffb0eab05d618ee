import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openIntake } from '../../../src/recordings/recorder/intake.ts';
import { type Polled, type PollOrder, pollAgents } from '../../../src/recordings/recorder/poll.ts';
import { readHostRecording } from '../../../src/recordings/recorder/recording-folder.ts';
import { muster } from '../../cli/muster.ts';
import { checkdataText, packagesText, usualFleet } from '../../hosts/any-machine.ts';
import { SETTINGS } from '../settings.ts';

const ONE = { fleet: usualFleet('debian-12', 'typical'), agent: 1, instantMs: Date.UTC(2026, 5, 1) };

describe('record --poll', () => {
  it("records what agents' web servers answer, with basic authentication, and reports an unreachable agent once", async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'muster-poll-'));
    const asked: string[] = [];
    const interrupted = Promise.withResolvers<void>();
    const agent = createServer(({ url = '', headers }, response) => {
      // A third round follows two complete ones.
      if (asked.filter((each) => each.startsWith('/ ')).length === 2) interrupted.resolve();
      asked.push(`${url} ${Buffer.from(headers.authorization?.slice(6) ?? '', 'base64')}`);
      response.end(url === '/' ? checkdataText(ONE) : packagesText(ONE));
    });
    await new Promise<void>((listening) => agent.listen(0, '127.0.0.1', listening));
    const { port } = agent.address() as AddressInfo;
    const file = `autoTls: false\nbasicAuth: user:planted\nevery: 100ms\nagents: ['127.0.0.1:${port}', '127.0.0.1:1']\n`;
    writeFileSync(join(cwd, 'agents.yaml'), file);
    const { code, stdout, stderr } = await muster(['record', '--poll', 'agents.yaml', '-o', 'site'], {
      cwd,
      interrupted: interrupted.promise,
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
    expect(path).toMatchObject({ code: 104, stderr: expect.stringContaining('a URL without user and path') });
  });
});

describe('polling agents', () => {
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  };
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise(setImmediate);
  };

  /** Polls an agent, under several names, until the end of the test. Sockets work in real time, while virtual time stands still. */
  async function polling(order: Partial<PollOrder>, agents: number, answer: (response: ServerResponse) => void) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const root = mkdtempSync(join(tmpdir(), 'muster-poll-'));
    const intake = openIntake(join(root, 'site'), SETTINGS);
    const stop = new AbortController();
    const asked: string[] = [];
    const reports: Polled[] = [];
    let rounds = 0;
    const save = () => {
      rounds++;
      intake.save();
    };
    const server = createServer(({ url = '' }, response) => {
      asked.push(url);
      answer(response);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const usual = { secure: false, basicAuth: undefined, everyMs: 60_000, packagesEveryMs: 150_000, concurrency: 1 };
    const ended = pollAgents(
      {
        ...usual,
        timeoutMs: 1_000_000,
        credentials: undefined,
        ...order,
        agents: Array(agents).fill({ host: '127.0.0.1', port }),
      },
      {
        intake: { ...intake, save },
        nameOf: () => 'agent',
        report: (polled) => reports.push(polled),
        signal: stop.signal,
      },
    );
    onTestFinished(async () => {
      stop.abort();
      await ended;
      vi.useRealTimers();
      server.closeAllConnections();
      server.close();
      intake.close();
      rmSync(root, { recursive: true });
    });
    return { asked, reports, rounds: () => rounds, signal: stop.signal };
  }

  it('asks for check data every interval, and for packages in the first round after theirs', async () => {
    const { asked, rounds } = await polling({}, 1, (response) => response.end('{}'));
    const paths: string[] = [];
    for (let round = 1; round <= 5; round++) {
      await until(() => rounds() === round);
      paths.push(asked.splice(0).join(' '));
      await vi.advanceTimersByTimeAsync(59_999);
      await turns();
      expect(asked).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(paths).toEqual(['/ /packages', '/', '/', '/ /packages', '/']);
  });

  it('leaves no listener of an earlier round at its signal', async () => {
    const { rounds, signal } = await polling({}, 1, (response) => response.end('{}'));
    for (let round = 1; round <= 5; round++) {
      await until(() => rounds() === round);
      await turns();
      // Of the client, and of the pause after the round.
      expect(getEventListeners(signal, 'abort')).toHaveLength(2);
      await vi.advanceTimersByTimeAsync(60_000);
    }
  });

  it('has at most the given number of requests in flight', async () => {
    const open: ServerResponse[] = [];
    let most = 0;
    const { asked } = await polling({ concurrency: 3 }, 4, (response) => {
      open.push(response);
      most = Math.max(most, open.length);
    });
    for (let answered = 0; answered < 8; answered++) {
      await until(() => open.length > 0);
      await turns();
      open.shift()?.end('{}');
    }
    expect({ most, asked: asked.length }).toEqual({ most: 3, asked: 8 });
  });

  it('reports answers of another status than 200, and takes nothing from them', async () => {
    const { reports } = await polling({}, 1, (response) => response.writeHead(401).end(checkdataText(ONE)));
    await until(() => reports.length === 2);
    expect(reports.map((polled) => polled.kind === 'failed' && polled.reason)).toEqual(['http_401', 'http_401']);
  });
});
