import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { userAgentOf } from '../../../../src/base/protocol/agent-versions.ts';
import {
  ATTACK_BOUNDS,
  ATTACK_NAMES,
  type Attacker,
  type AttackName,
  attackSize,
  SERVER_LIMITS,
} from '../../../../src/base/protocol/attacks.ts';
import { createAttackBudget } from '../../../../src/wire/transport/hostile/attack-budget.ts';
import {
  type AttackReport,
  createHostileClient,
  type HostileClient,
} from '../../../../src/wire/transport/hostile/hostile-client.ts';
import { type Script, scriptOf } from '../../../../src/wire/transport/hostile/script.ts';
import { httpAnswer, listen, SETTINGS } from '../wire.ts';
import { DOCUMENTED_ANSWERS } from './documented.ts';

const CLIENT = { apiKey: 'key', userAgent: userAgentOf('3.5.0') };
const BODY = JSON.stringify({ checkdata: { agent: {}, text: 'x'.repeat(300) }, agentuuid: 'u', password: 'p' });

function agent(number: number): Attacker {
  const identity = { agent: number, uuid: 'u', password: 'p', strangeUuid: `strange-${number}` };
  return { ...identity, checkdata: () => Buffer.from(BODY) };
}

const opened: { close: () => void }[] = [];
afterEach(() => {
  for (const { close } of opened.splice(0)) close();
});

/** A server that handles each connection with the given function, and a client whose clock the test advances. */
async function duel(serve: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    serve(socket);
  });
  const port = await listen(server);
  opened.push({ close: () => server.close() }, { close: () => sockets.forEach((socket) => void socket.destroy()) });
  return { ...virtualClient(`http://127.0.0.1:${port}`), sockets };
}

function virtualClient(baseUrl: string) {
  const reports: (AttackReport & { readonly agent: number })[] = [];
  const timers: { readonly dueMs: number; readonly act: () => void }[] = [];
  const time = { nowMs: 0 };
  let heard = Promise.withResolvers<void>();
  const target = { ...SETTINGS, ...CLIENT, baseUrl, tls: { verify: false, ca: undefined } };
  const client: HostileClient = createHostileClient(target, {
    clock: () => time.nowMs,
    budget: createAttackBudget(() => time.nowMs, 1),
    timer: (delayMs, act) => {
      const timer = { dueMs: time.nowMs + delayMs, act };
      timers.push(timer);
      return () => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1));
    },
    ended: (number, report) => {
      reports.push({ ...report, agent: number });
      heard.resolve();
      heard = Promise.withResolvers();
    },
  });
  opened.push(client);
  const pass = (delayMs: number): void => {
    time.nowMs += delayMs;
    for (const timer of timers.filter(({ dueMs }) => dueMs <= time.nowMs)) {
      timers.splice(timers.indexOf(timer), 1);
      timer.act();
    }
  };
  const attack = async (how: AttackName, number = 0) => {
    client.attack(how, agent(number));
    while (!reports.some((report) => report.agent === number)) await heard.promise;
    return reports.find((report) => report.agent === number);
  };
  return { client, reports, pass, attack };
}

describe('an attack', () => {
  it('has the user agent of the attacker', () => {
    expect(requestOf('broken-json').head).toContain('\r\nUser-Agent: openITCOCKPIT Agent/3.5.0\r\n');
  });

  it.each([
    ['accepted', { kind: 'accepted', status: 200 }, (socket: Socket) => socket.end(httpAnswer(200, '{}'))],
    ['refused', { kind: 'refused', status: 418 }, (socket: Socket) => socket.end(httpAnswer(418, ''))],
    [
      'refused because of a redirect',
      { kind: 'refused', status: 307 },
      (socket: Socket) => socket.end(httpAnswer(307, '', 'Location: /x\r\n')),
    ],
    ['closed', { kind: 'closed' }, (socket: Socket) => socket.end()],
    ['closed by a reset', { kind: 'closed' }, (socket: Socket) => socket.resetAndDestroy()],
    [
      'closed in the middle of the answer',
      { kind: 'closed' },
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n1'),
    ],
    ['failed without an HTTP answer', { kind: 'failed' }, (socket: Socket) => socket.end('SSH-2.0-x\r\n')],
  ])('is %s, depending on what the server does', async (_name, ending, act) => {
    const { attack } = await duel((socket) => socket.once('data', () => act(socket)));
    expect(await attack('broken-json')).toMatchObject({ how: 'broken-json', ending });
  });

  it('fails if nothing listens', async () => {
    const server = createServer();
    const port = await listen(server);
    server.close();
    await once(server, 'close');
    expect(await virtualClient(`http://127.0.0.1:${port}`).attack('gzip')).toMatchObject({
      ending: { kind: 'failed' },
    });
  });

  it('ends as unanswered after two minutes', async () => {
    const { attack, pass, sockets } = await duel(() => {});
    const report = attack('hoarded-connections');
    await expect.poll(() => sockets.length).toBe(50);
    pass(ATTACK_BOUNDS.longestMs);
    expect(await report).toMatchObject({ ending: { kind: 'unanswered' }, latencyMs: 120_000 });
  });

  it('gets the worst outcome of its connections', async () => {
    let served = 0;
    const { attack } = await duel((socket) =>
      socket.once('data', () => socket.end(++served === 1 ? httpAnswer(201, '{}') : httpAnswer(403, '{}'))),
    );
    expect(await attack('double-registration')).toMatchObject({ ending: { kind: 'refused', status: 403 } });
  });

  it('with pipelined pushes is accepted only if every answer arrives', async () => {
    const { attack } = await duel((socket) => socket.once('data', () => socket.end(httpAnswer(200, '{}').repeat(4))));
    expect(await attack('pipelining')).toMatchObject({ ending: { kind: 'closed' } });
  });

  it('sends its body after a 100 Continue', async () => {
    let received = '';
    const { attack } = await duel((socket) =>
      socket.on('data', (chunk) => {
        received += chunk.toString();
        if (received.endsWith('\r\n\r\n')) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
        else socket.end(httpAnswer(200, '{}'));
      }),
    );
    expect(await attack('expect-continue')).toMatchObject({ ending: { kind: 'accepted' } });
    expect(received.endsWith(BODY)).toBe(true);
  });

  it('sends a slow head at one byte per second', async () => {
    let received = '';
    const { attack, pass } = await duel((socket) => socket.on('data', (chunk) => (received += chunk.toString())));
    void attack('slow-head');
    await expect.poll(() => received).toBe('P');
    pass(999);
    pass(1);
    await expect.poll(() => received).toBe('PO');
  });

  it('ends as unanswered when its agent leaves, and not before', async () => {
    const { client, attack, reports, sockets } = await duel(() => {});
    const report = attack('missing-fields');
    await expect.poll(() => sockets.length).toBe(1);
    client.leave(1);
    expect(reports).toEqual([]);
    client.leave(0);
    expect(await report).toMatchObject({ ending: { kind: 'unanswered' } });
  });
});

describe('the bounds', () => {
  const skipped = (reports: readonly AttackReport[]) =>
    reports.filter(({ ending }) => ending.kind === 'skipped').length;

  it('let an agent start no attack while its last one is in progress', async () => {
    const { client, sockets, reports } = await duel(() => {});
    client.attack('gzip', agent(0));
    client.attack('gzip', agent(0));
    await expect.poll(() => sockets.length).toBe(1);
    expect(reports).toEqual([]);
    client.close();
    expect(reports).toHaveLength(1);
  });

  it('skip attacks beyond a hundred per second', async () => {
    const { client, reports, pass } = await duel(() => {});
    for (let number = 0; number <= ATTACK_BOUNDS.perSecond; number++) client.attack('broken-json', agent(number));
    expect(skipped(reports)).toBe(1);
    pass(1000);
    client.attack('broken-json', agent(1000));
    expect(skipped(reports)).toBe(1);
  });

  it('skip attacks that would open more than a thousand sockets, until some have closed', async () => {
    const { client, reports } = await duel(() => {});
    for (let number = 0; number < 21; number++) client.attack('hoarded-connections', agent(number));
    expect(skipped(reports)).toBe(1);
    client.leave(0);
    client.attack('hoarded-connections', agent(21));
    expect(skipped(reports)).toBe(1);
  });

  it('skip attacks that would send more than 64 MB in one second', async () => {
    const { client, reports } = await duel(() => {});
    for (let number = 0; number < 2; number++) client.attack('size-at-limit', agent(number));
    expect(skipped(reports)).toBe(1);
    client.attack('broken-json', agent(3));
    expect(skipped(reports)).toBe(1);
  });

  it('are divided among the workers of a run, each of which has room for any single attack', () => {
    const budget = createAttackBudget(() => 0, 4);
    const hoard = scripted('hoarded-connections');
    expect(Array.from({ length: 6 }, () => budget.take(hoard))).toEqual([true, true, true, true, true, false]);
    for (const how of ATTACK_NAMES) expect(createAttackBudget(() => 0, 64).take(scripted(how)), how).toBe(true);
    const small = createAttackBudget(() => 0, 4);
    expect([1, 2].map(() => small.take(scripted('size-at-limit')))).toEqual([true, false]);
  });

  it('keep all workers of a machine to 64 MB per second on average, however large single attacks are', () => {
    let nowMs = 0;
    const budgets = Array.from({ length: 7 }, () => createAttackBudget(() => nowMs, 7));
    const large = scripted('size-at-limit');
    let sentBytes = 0;
    const seconds = 60;
    for (; nowMs < seconds * 1000; nowMs += 500) {
      for (const budget of budgets) if (budget.hasRoom() && budget.take(large)) sentBytes += large.sizeBytes;
    }
    expect(sentBytes).toBeLessThan(seconds * ATTACK_BOUNDS.bytesPerSecond + budgets.length * large.sizeBytes);
    expect(sentBytes).toBeGreaterThan((seconds * ATTACK_BOUNDS.bytesPerSecond) / 2);
  });

  it('limit each attack to the sockets and bytes that its plan states', () => {
    for (const how of ATTACK_NAMES) {
      const { connections, sizeBytes } = scripted(how);
      const { sockets, bytes } = attackSize(how);
      expect(connections.length, how).toBe(sockets);
      expect(sizeBytes, how).toBeLessThan(bytes + (1 << 20));
    }
  });

  it('allow every attack on its own', () => {
    for (const how of ATTACK_NAMES) {
      const { connections, sizeBytes } = scripted(how);
      expect(connections.length).toBeLessThanOrEqual(ATTACK_BOUNDS.sockets);
      expect(sizeBytes).toBeLessThanOrEqual(ATTACK_BOUNDS.bytesPerSecond);
    }
  });
});

function scripted(how: AttackName): Script {
  return scriptOf(how, agent(0), { ...CLIENT, baseUrl: 'http://127.0.0.1:1' });
}

/** The first request of an attack, parsed from its bytes. */
function requestOf(how: AttackName) {
  const pieces = scripted(how).connections[0]?.flatMap((step) => ('pieces' in step ? step.pieces : [])) ?? [];
  const bytes = Buffer.concat(pieces);
  const end = bytes.indexOf('\r\n\r\n') + 4;
  const head = bytes.toString('latin1', 0, end);
  return { head, body: bytes.subarray(end), announced: Number(/Content-Length: (\d+)/.exec(head)?.[1]) };
}

describe("an attack's request", () => {
  const lying: readonly AttackName[] = [
    ...([
      'slow-head',
      'slow-body',
      'short-body',
      'long-body',
      'dropped-body',
      'unread-answer',
      'half-handshake',
    ] as const),
    ...(['hoarded-connections', 'same-twice', 'out-of-order', 'announced-above-limit', 'pipelining'] as const),
  ];

  // Bodies of 50 MB take half a second each.
  const others = ATTACK_NAMES.filter((how) => !lying.includes(how) && !how.startsWith('size-'));

  it.each(others)('has the length that it announces, in %s', (how) => {
    const { body, announced } = requestOf(how);
    expect(body.length).toBe(announced);
  });

  it.each([
    ['short-body', 100],
    ['long-body', -100],
  ] as const)('announces a wrong length, in %s', (how, difference) => {
    const { body, announced } = requestOf(how);
    expect(announced - body.length).toBe(difference);
  });

  it.each([
    ['size-below-limit', -1],
    ['size-at-limit', 0],
    ['size-above-limit', 1],
  ] as const)("contains the healthy agent's document, with a size around the limit, in %s", (how, difference) => {
    const { body, announced } = requestOf(how);
    expect([body.length, announced]).toEqual(Array(2).fill(SERVER_LIMITS.bodyBytes + difference));
    expect(body.toString('latin1', 0, BODY.length)).toBe(BODY);
    expect(body.subarray(BODY.length).equals(Buffer.alloc(body.length - BODY.length, ' '))).toBe(true);
  });

  it('contains check data one byte larger than the database column, in document-above-limit', () => {
    const text = requestOf('document-above-limit').body.toString('latin1');
    const document = text.slice('{"checkdata":'.length, text.indexOf(',"agentuuid"'));
    expect(JSON.parse(text)).toEqual(JSON.parse(BODY));
    expect(document.length).toBe(SERVER_LIMITS.documentBytes + 1);
  });

  it('unpacks to 64 MB of spaces and the healthy document, in gzip-bomb', () => {
    const { body, head } = requestOf('gzip-bomb');
    expect(head).toContain('Content-Encoding: gzip\r\n');
    expect(body.length).toBeLessThan(128 << 10);
    const unpacked = gunzipSync(body);
    expect(unpacked.length).toBe((64 << 20) + BODY.length);
    expect(unpacked.subarray(-BODY.length).toString()).toBe(BODY);
  });

  it.each(others.filter((how) => DOCUMENTED_ANSWERS.get(how)?.documented === 200))(
    "is JSON with the agent's own credentials, in %s",
    (how) => {
      expect(JSON.parse(requestOf(how).body.toString())).toMatchObject({ agentuuid: 'u', password: 'p' });
    },
  );

  it.each(['broken-json', 'gzip'] as const)('is not JSON, in %s', (how) => {
    expect(() => JSON.parse(requestOf(how).body.toString())).toThrow(SyntaxError);
  });

  it('contains the API key', () => {
    expect(requestOf('broken-json').head).toContain('Authorization: X-OITC-API key\r\n');
  });
});
