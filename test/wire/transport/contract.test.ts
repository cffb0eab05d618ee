import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Ending, Transport, TransportSink } from '../../../src/base/protocol/exchange.ts';
import { readHostData } from '../../../src/base/storage/host-data.ts';
import { createEngine } from '../../../src/engine/engine.ts';
import { timelineEndMs } from '../../../src/load/timeline.ts';
import { phaseAt } from '../../../src/metrics/merging/phases.ts';
import { NO_LISTENER_COUNTS } from '../../../src/metrics/recording/listener-counts.ts';
import { createProfileRecorder, createRecorder } from '../../../src/metrics/recording/recorder.ts';
import { createTransport } from '../../../src/wire/transport/transport.ts';
import { createHosts } from '../../../src/workers/hosts.ts';
import { eventPortsOf, ON_THE_GRID, quietPorts, RUN_EPOCH_MS } from '../../engine/virtual-run.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';
import { READ, REFUSED } from './answer-samples.ts';
import { createUndiciTransport } from './undici-transport.ts';
import { accept, closedInTheEnd, httpAnswer, type Reply, rawServer, SETTINGS, serve, turns, until } from './wire.ts';

/*
 * The same requests over Muster's transport and over undici, an independent client. What both do alike is what any HTTP client does;
 * what differs is listed with its reason.
 */

type Open = (baseUrl: string, sink: TransportSink) => Transport;

const TRANSPORTS: Readonly<Record<'muster' | 'undici', Open>> = {
  muster: (baseUrl, sink) => createTransport({ ...SETTINGS, baseUrl }, sink),
  undici: createUndiciTransport,
};

/** What an agent made of the answers, and how many connections it needed. */
type ExchangeEvidence = { readonly endings: readonly string[]; readonly connections: number };

type Case = {
  readonly title: string;
  readonly bodies: readonly string[];
  readonly reply: Reply;
  readonly muster: ExchangeEvidence;
};

async function seenOver(
  open: Open,
  { bodies, reply }: Case,
): Promise<ExchangeEvidence & { readonly received: readonly string[] }> {
  const server = await serve(reply);
  const endings: string[] = [];
  const sink: TransportSink = {
    started: () => {},
    buffer: (sizeBytes) => Buffer.alloc(sizeBytes),
    openBody: () => {
      const text = bodies[endings.length] ?? '';
      return { roomBytes: Buffer.byteLength(text), write: (out, offset) => offset + out.write(text, offset) };
    },
    ended: (_agent, ending) =>
      endings.push(ending.kind === 'answer' ? `${ending.status} ${ending.body}`.trimEnd() : ending.failure),
  };
  const transport = closedInTheEnd(open(`http://127.0.0.1:${server.port}`, sink));
  for (const [number] of bodies.entries()) {
    transport.send(0, 'submit_checkdata');
    await until(() => endings.length > number);
  }
  const received = server.requests.map((request) => Buffer.from(bodyOf(request), 'latin1').toString());
  return { endings, connections: server.sockets.length, received };
}

/** The body of a request, one character a byte. */
const bodyOf = (request: string): string => request.slice(request.indexOf('\r\n\r\n') + 4);

const OK = '200 {"received_checks":1}';

const piecewise =
  (text: string): Reply =>
  async (socket) => {
    for (const byte of text) {
      socket.write(byte);
      await turns(2);
    }
  };

const write =
  (answer: string | Buffer): Reply =>
  (socket) =>
    socket.write(answer);

const once = (title: string, ending: string, reply: Reply): Case => ({
  title,
  reply,
  bodies: ['{}'],
  muster: { endings: [ending], connections: 1 },
});

const twice = (
  title: string,
  reply: Reply,
  { ending = OK, connections }: { ending?: string; connections: number },
) => ({
  title,
  reply,
  bodies: ['{"n":1}', '{"n":2}'],
  muster: { endings: [ending, ending], connections },
});

const GZIPPED = gzipSync('{"received_checks":1}');

const CASES: readonly Case[] = [
  ...[200, 201, 400, 401, 403, 404, 405, 413, 429, 500, 502, 503].map((status) =>
    twice(`status ${status}`, write(httpAnswer(status, '{"error":"x"}')), {
      ending: `${status} {"error":"x"}`,
      connections: 1,
    }),
  ),
  {
    title: 'bodies of any size',
    bodies: ['', '{}', '{"name":"Zoë\u2028"}', 'x'.repeat(500_000), '{}'],
    reply: accept,
    muster: { endings: [OK, OK, OK, OK, OK], connections: 1 },
  },
  twice('an answer in many pieces', piecewise(httpAnswer(200, '{"received_checks":1}')), { connections: 1 }),
  once('no answer, and the connection ends', 'connection_reset', (socket) => socket.end()),
  once('a reset', 'connection_reset', (socket) => socket.resetAndDestroy()),
  once('a body that is too short', 'connection_reset', (socket) =>
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"a'),
  ),
  once('chunks without an end', 'connection_reset', (socket) =>
    socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n'),
  ),
  once('a head without an end', 'connection_reset', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le')),
  twice('100 Continue first', write(`HTTP/1.1 100 Continue\r\n\r\n${httpAnswer(200, '{"received_checks":1}')}`), {
    connections: 1,
  }),
  twice('103 Early Hints first', write(`HTTP/1.1 103 Early Hints\r\n\r\n${httpAnswer(200, '{"received_checks":1}')}`), {
    connections: 1,
  }),
  twice(
    'a Keep-Alive hint of one second',
    write(httpAnswer(200, '{"received_checks":1}', 'Keep-Alive: timeout=1\r\n')),
    {
      connections: 1,
    },
  ),
  once('a redirect', OK, (socket, request, number) => {
    if (number > 1) accept(socket, request, number);
    else socket.write(httpAnswer(307, '', 'Location: /elsewhere\r\n'));
  }),
  once(
    'a compressed answer',
    OK,
    write(
      Buffer.concat([
        Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${GZIPPED.length}\r\n\r\n`),
        GZIPPED,
      ]),
    ),
  ),
  ...READ.map(([title, answer, { status, body, keepsAlive, hasSurplus }]) =>
    twice(
      title,
      (socket) => {
        socket.write(answer, 'latin1');
        if (!keepsAlive) socket.end();
      },
      { ending: `${status} ${body}`.trimEnd(), connections: keepsAlive && !hasSurplus ? 1 : 2 },
    ),
  ),
  ...REFUSED.map(([title, answer]) => once(title, 'malformed_answer', (socket) => socket.end(answer, 'latin1'))),
];

type Difference = { readonly because: string; readonly titles: readonly string[]; readonly undici: ExchangeEvidence };

/** Where undici differs, and why. */
const DIFFERENCES: readonly Difference[] = [
  {
    because: 'undici follows redirects only on request; the agent follows them as Go does',
    titles: ['a redirect'],
    undici: { endings: ['307'], connections: 1 },
  },
  {
    because: 'undici unpacks answers only on request',
    titles: ['a compressed answer'],
    undici: { endings: [`200 ${GZIPPED}`], connections: 1 },
  },
  {
    because: 'undici closes a connection one second before a Keep-Alive hint expires; Go ignores the hint',
    titles: ['a Keep-Alive hint of one second'],
    undici: { endings: [OK, OK], connections: 2 },
  },
  {
    because: 'undici refuses a 100 Continue that it did not ask for',
    titles: ['100 Continue first', 'interim answers'],
    undici: { endings: ['malformed_answer', 'malformed_answer'], connections: 2 },
  },
  {
    because: 'undici refuses a protocol switch that it did not ask for; Go hands it to the caller',
    titles: ['a protocol switch'],
    undici: { endings: ['malformed_answer', 'malformed_answer'], connections: 2 },
  },
  {
    because: 'undici has no code for an answer that switches to no protocol',
    titles: ['101'],
    undici: { endings: ['connection_failed', 'connection_failed'], connections: 2 },
  },
  ...['204', '304'].map((status) => ({
    because: 'undici does not keep a connection after an answer that announces a body that it cannot have',
    titles: [status],
    undici: { endings: [status, status], connections: 2 },
  })),
  {
    because: 'llhttp keeps to the grammar where Go does not',
    titles: [
      ...['spaces before the status', 'a status with a sign', 'bare line feeds', 'a folded line', 'extensions'],
      ...['a space before the colon', 'HTTP/1.0 with chunks, which it does not define', 'a future version'],
    ],
    undici: { endings: ['malformed_answer', 'malformed_answer'], connections: 2 },
  },
  {
    because: 'undici takes a repeated length, or one beside chunks, for a body of another length',
    titles: ['the same length twice', 'chunks beside a length'],
    undici: { endings: ['connection_reset', 'connection_reset'], connections: 2 },
  },
  {
    because: 'undici names a wrong length and a body of another length alike',
    titles: ['two lengths', 'a length that is not a number', 'two of them'],
    undici: { endings: ['connection_reset'], connections: 1 },
  },
  {
    because: 'undici limits what has arrived; Go also limits what is announced, and the heads of chunks',
    titles: ['a body longer than 1 MiB', 'a size of 17 digits', 'a size line of 4 KB', 'extensions without end'],
    undici: { endings: ['connection_reset'], connections: 1 },
  },
  {
    because: 'llhttp accepts what Go refuses',
    titles: ['a line end first', 'another transfer encoding'],
    undici: { endings: ['200 ab'], connections: 1 },
  },
  {
    because: 'llhttp reads any trailer',
    titles: ['a trailer it must not have', 'a trailer of 4 KB'],
    undici: { endings: ['200'], connections: 1 },
  },
];

describe('over both transports', () => {
  it.each(CASES)('$title ends alike, or differs as listed', async (one) => {
    const difference = DIFFERENCES.find(({ titles }) => titles.includes(one.title));
    const muster = await seenOver(TRANSPORTS.muster, one);
    const undici = await seenOver(TRANSPORTS.undici, one);
    const { endings, connections } = difference?.undici ?? one.muster;
    expect(muster).toMatchObject(one.muster);
    expect(undici).toMatchObject({ endings, connections });
    expect(difference?.undici, difference?.because).not.toEqual(one.muster);
    // Only a redirect repeats a body.
    expect([...new Set(muster.received)]).toEqual([...new Set(undici.received)]);
    expect(undici.received).toEqual(one.bodies);
  });

  it('each difference is one of the cases', () => {
    const titles = DIFFERENCES.flatMap((difference) => difference.titles);
    expect(CASES.map(({ title }) => title)).toEqual(expect.arrayContaining(titles));
  });
});

/** Opens a transport of agents that push `body`, and collects the endings of their exchanges. */
function opened(open: Open, port: number, body: string) {
  const endings: Ending[] = [];
  const sink: TransportSink = {
    started: () => {},
    buffer: (sizeBytes) => Buffer.alloc(sizeBytes),
    openBody: () => ({ roomBytes: body.length, write: (out, offset) => offset + out.write(body, offset, 'latin1') }),
    ended: (_agent, ending) => endings.push(ending),
  };
  return { transport: closedInTheEnd(open(`http://127.0.0.1:${port}`, sink)), endings };
}

describe.each(Object.entries(TRANSPORTS))('over %s', (_name, open) => {
  it('a closed port is connection_refused', async () => {
    const server = await rawServer(accept);
    await server.close();
    const { transport, endings } = opened(open, server.port, '{}');
    transport.send(0, 'submit_checkdata');
    await until(() => endings.length === 1);
    expect(endings).toEqual([{ kind: 'failure', failure: 'connection_refused' }]);
  });

  it('an answer before the end of the request is read', async () => {
    const server = await serve(accept, { pauseOnConnect: true });
    const { transport, endings } = opened(open, server.port, 'x'.repeat(16 << 20));
    transport.send(0, 'submit_checkdata');
    await until(() => server.sockets.length === 1);
    // The request has filled the buffers of the kernel.
    await turns(50);
    server.sockets[0]?.write(httpAnswer(413, 'too large'));
    await until(() => endings.length === 1);
    expect(endings).toEqual([{ kind: 'answer', status: 413, body: 'too large' }]);
  });

  it('an aborted request has no ending, its connection closes, and the next one is answered', async () => {
    const server = await serve((socket, request, number) => {
      if (number > 1) accept(socket, request, number);
    });
    const { transport, endings } = opened(open, server.port, '{}');
    transport.send(0, 'submit_checkdata');
    await until(() => server.requests.length === 1);
    transport.abort(0);
    await until(() => server.sockets[0]?.destroyed === true);
    transport.send(0, 'submit_checkdata');
    await until(() => endings.length > 0);
    expect(endings).toEqual([{ kind: 'answer', status: 200, body: '{"received_checks":1}' }]);
    expect(server.sockets).toHaveLength(2);
  });
});

const FLEET = scenarioOf(`
fleet: { agents: 6, payload: lean, profiles: { windows-server-2022: 1, debian-12: 1 } }
phases: [{ name: steady, duration: 6m, checkdata: { every: 30s }, packages: { every: 2m } }]
events: [{ do: disconnect, cohort: 50%, at: 2m, for: 1m }]
`);

/** What the server does with the pushes of each agent, in turn; `undefined`: it never answers. */
const SCRIPT: readonly (Reply | undefined)[] = [
  accept,
  write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n15\r\n{"received_checks":1}\r\n0\r\n\r\n'),
  write(httpAnswer(500, '{"error":"x"}')),
  (socket) => socket.end(),
  piecewise(httpAnswer(200, '{"received_checks":1}')),
  (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"a'),
  undefined,
  write(httpAnswer(503, '{"error":"x"}', 'Connection: close\r\n')),
  (socket) => socket.resetAndDestroy(),
];

/** Runs the fleet over sockets in virtual time, which stands still while a request is in flight that will be answered. */
async function fleetOver(open: Open) {
  let nowMs = 0;
  let unanswered = 0;
  let sent = 0;
  const pushes = new Map<string, string[]>();
  const server = await serve((socket, request, number) => {
    const body = bodyOf(request);
    const { agentuuid, password } = JSON.parse(body) as { readonly agentuuid: string; readonly password: string };
    if (request.startsWith('POST /agentconnector/register')) {
      const answer = JSON.stringify({ agentuuid, password: 'issued' });
      return void socket.write(httpAnswer(password === '' ? 201 : 200, answer));
    }
    const earlier = pushes.get(agentuuid) ?? [];
    pushes.set(agentuuid, [...earlier, body]);
    const reply = SCRIPT[earlier.length % SCRIPT.length];
    if (reply === undefined) unanswered++;
    else reply(socket, request, number);
  });
  const { phases, events } = FLEET;
  const recorder = createRecorder({
    clock: () => nowMs,
    phaseAt: (atMs) => phaseAt(phases, atMs)?.name,
    lateMs: Number.POSITIVE_INFINITY,
  });
  const hosts = createHosts(FLEET, readHostData(), () => RUN_EPOCH_MS);
  const openTransport = (sink: TransportSink): Transport => {
    const transport = closedInTheEnd(open(`http://127.0.0.1:${server.port}`, sink));
    return {
      ...transport,
      send: (agent, endpoint) => {
        sent++;
        transport.send(agent, endpoint);
      },
      abort: (agent) => {
        unanswered--;
        return transport.abort(agent);
      },
    };
  };
  const engine = createEngine(
    { seed: 1, agents: FLEET.fleet.agents, shard: { index: 0, count: 1 }, phases, timeoutMs: 10_000 },
    {
      clock: () => nowMs,
      clockFactor: 1,
      epochMs: () => RUN_EPOCH_MS,
      openTransport,
      recorder,
      payloads: hosts.payloads,
      ...quietPorts(hosts.payloads),
      reloaded: hosts.reloaded,
      durations: ON_THE_GRID,
      trace: undefined,
      events: eventPortsOf({ events }, () => {}),
      profileRecorder: createProfileRecorder([{ profile: 'debian-12' }], () => 0),
      storeCredential: (agent) => setImmediate(() => engine.credentialStored(agent)),
    },
  );
  for (const endMs = timelineEndMs(phases); nowMs < endMs; ) {
    const before = sent;
    const wishMs = engine.advance();
    await until(() => engine.busyAgents() === unanswered);
    if (sent === before) nowMs = Math.min(Math.max(nowMs, wishMs), endMs);
  }
  const totals = { agents: engine.agentStates(), inFlight: 0, listening: 0, down: 0, listeners: NO_LISTENER_COUNTS };
  const work = { loopUtilization: 0, cpuMs: 0, gcMs: 0, stalls: [] };
  const { series } = recorder.takeFrame({ shard: 0, second: 0, ...totals, ...work });
  const outcomes = series.map(({ operation, outcomes: counts, dropped }) => ({ operation, counts, dropped }));
  return { outcomes, pushes, agents: engine.agentStates(), connections: server.sockets.length };
}

it('a fleet has the same outcomes, and sends the same bytes, over both transports', async () => {
  const muster = await fleetOver(TRANSPORTS.muster);
  const undici = await fleetOver(TRANSPORTS.undici);
  expect(undici).toEqual(muster);
  const kinds = new Set(muster.outcomes.flatMap(({ counts }) => Object.keys(counts)));
  expect(kinds).toEqual(new Set(['ok', 'http_500', 'http_503', 'connection_reset', 'timeout']));
});
