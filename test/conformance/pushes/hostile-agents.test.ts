import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { monotonicClock, realTimer } from '../../../src/base/runtime/event-loop.ts';
import { PUSH_CASES, tryPushes } from '../../../src/conformance/pushes/mode.ts';
import { selfSigned } from '../../../src/wire/http/tls.ts';

const HEAD = 'POST /agentconnector/register_agent.json HTTP/1.1\r\nHost: x\r\n';
const CREDENTIALS = selfSigned(['127.0.0.1']);
const PATIENCE_MS = 300;

/** What "agents" send, each over the given number of connections. */
const HOSTILE: readonly {
  readonly name: string;
  readonly bytes: string;
  readonly connections: number;
  readonly came: boolean;
}[] = [
  { name: 'never comes', bytes: '', connections: 0, came: false },
  { name: 'says nothing', bytes: '', connections: 3, came: false },
  { name: 'is no HTTP', bytes: 'hello\r\n\r\n', connections: 3, came: false },
  { name: 'has a head without end', bytes: `${HEAD}${'X-More: x\r\n'.repeat(10_000)}`, connections: 3, came: false },
  {
    name: 'announces a body of a gigabyte',
    bytes: `${HEAD}Content-Length: 1000000000\r\n\r\n`,
    connections: 3,
    came: false,
  },
  {
    name: 'has invalid chunks',
    bytes: `${HEAD}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`,
    connections: 3,
    came: false,
  },
  { name: 'opens many connections', bytes: '', connections: 200, came: false },
  { name: 'sends JSON of other types', bytes: `${HEAD}Content-Length: 2\r\n\r\n[]`, connections: 1, came: true },
  {
    name: 'sends another agent too',
    bytes: `${HEAD}Content-Length: 17\r\n\r\n{"agentuuid":"x"}`,
    connections: 5,
    came: true,
  },
  { name: 'asks for other paths', bytes: 'GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n', connections: 1, came: true },
];

describe('every case ends with an agent that', () => {
  it.concurrent.each(HOSTILE)('$name', async ({ bytes, connections, came }) => {
    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    const results = await tryPushes(
      {
        listen: { host: '127.0.0.1', port: 0 },
        credentials: await CREDENTIALS,
        password: 'b',
        patienceMs: PATIENCE_MS,
        opened: (url) => {
          for (let n = 0; n < connections; n++) {
            const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
            sockets.push(socket.on('error', () => {}));
            socket.resume().write(bytes);
          }
        },
        warn: () => {},
      },
      PUSH_CASES,
      { clock: monotonicClock, timer: realTimer, signal: new AbortController().signal, onResult: () => {} },
    );
    expect(results?.length).toBe(came ? PUSH_CASES.length : undefined);
    expect(results?.every(({ verdict }) => verdict.kind !== 'holds' || came) ?? true).toBe(true);
  });
});
