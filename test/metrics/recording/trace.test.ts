import { describe, expect, it } from 'vitest';
import { NO_EVIDENCE } from '../../../src/base/protocol/exchange.ts';
import {
  createFollower,
  createTrace,
  type TracedMessage,
  type TraceSubject,
} from '../../../src/metrics/recording/trace.ts';

const subject = (agent: number): TraceSubject => ({
  agent,
  phase: 'steady',
  operation: 'checkdata',
  atMs: 1234.5,
  secrets: ['own'],
});
const REQUEST = () => ({
  head: 'POST /x?k=fleet-key HTTP/1.1\r\nAuthorization: X-OITC-API y',
  body: '{"password":"own"}',
});
const ANSWER = () => ({ reason: '', head: 'HTTP/1.1 200 OK', body: '\u001b[2Jown' });
const UNREAD = () => expect.unreachable('nobody is told of it');
const OK = { outcome: 'ok', serviceMs: 17 } as const;

function traceOf(agent?: number) {
  const told: TracedMessage[] = [];
  const trace = createTrace({ agent }, ['fleet-key'], (message) => told.push(message));
  return { told, trace, kinds: () => told.map(({ kind }) => kind) };
}

describe('a trace', () => {
  it('reports requests and answers without secrets, printable, with their agent and time', () => {
    const { told, trace } = traceOf();
    trace.request(subject(7), REQUEST);
    trace.answer(subject(7), OK, ANSWER);
    const whose = { agent: 7, phase: 'steady', operation: 'checkdata', atMs: 1234.5 };
    expect(told).toEqual([
      { kind: 'request', ...whose, head: 'POST /x?k=*** HTTP/1.1\nAuthorization: ***', body: '{"password":"***"}' },
      { kind: 'answer', ...whose, ...OK, head: 'HTTP/1.1 200 OK', body: '\\u001b[2J***' },
    ]);
  });

  it('shows that a request had no key', () => {
    const { told, trace } = traceOf();
    trace.request(subject(7), () => ({ head: 'POST /x HTTP/1.1\r\nAuthorization: X-OITC-API\r\nAccept: a', body: '' }));
    expect(told).toMatchObject([{ head: 'POST /x HTTP/1.1\nAuthorization: X-OITC-API\nAccept: a' }]);
  });

  it('redacts a pushed configuration, which contains keys', () => {
    const { told, trace } = traceOf();
    const documents = Buffer.from('[oitc]\napikey = geheim\n'.repeat(9)).toString('base64');
    const body = JSON.stringify({ configuration: documents }).replaceAll('/', '\\/');
    trace.request(subject(7), () => ({ head: 'POST /config HTTP/1.1', body }));
    expect(told).toMatchObject([{ body: '{"configuration":"***"}' }]);
  });

  it('follows all agents, or only the requested one', () => {
    expect([traceOf().trace.follows(3), traceOf(3).trace.follows(3), traceOf(4).trace.follows(3)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('reports an operation that fails without a request, and one with several', () => {
    const { trace, kinds, told } = traceOf();
    trace.answer(subject(1), { outcome: 'connection_refused', serviceMs: 1 }, () => ({
      ...NO_EVIDENCE,
      reason: 'never connected',
    }));
    expect(told).toMatchObject([{ kind: 'answer', outcome: 'connection_refused', reason: 'never connected' }]);
    trace.request(subject(1), REQUEST);
    trace.answer(subject(1), { outcome: undefined, serviceMs: 1 }, ANSWER);
    trace.request(subject(1), REQUEST);
    trace.answer(subject(1), OK, ANSWER);
    expect(kinds()).toEqual(['answer', 'request', 'answer', 'request', 'answer']);
  });

  it('skips whole operations without reading them while its reader is slow, and then reports how many', () => {
    const { trace, kinds, told } = traceOf();
    for (let agent = 0; agent < 100; agent++) trace.request(subject(agent), REQUEST);
    for (let agent = 100; agent < 150; agent++) trace.request(subject(agent), UNREAD);
    expect(told).toHaveLength(100);
    // An operation that was reported or skipped at its start is treated in the same way to its end.
    for (let agent = 0; agent < 2; agent++) trace.answer(subject(agent), OK, ANSWER);
    for (let agent = 100; agent < 150; agent++) trace.answer(subject(agent), OK, UNREAD);
    expect(told).toHaveLength(102);
    for (let shown = 0; shown < 3; shown++) trace.shown();
    trace.request(subject(200), REQUEST);
    expect(kinds().slice(102)).toEqual(['left_out', 'request']);
    expect(told[102]).toEqual({ kind: 'left_out', operations: 50 });
    trace.request(subject(201), UNREAD);
    trace.end();
    expect(told[104]).toEqual({ kind: 'left_out', operations: 1 });
    trace.end();
    expect(told).toHaveLength(105);
  });
});

const followed = (agent: number) =>
  ({ agent, phase: 'steady', operation: 'checkdata', atMs: 5, secrets: ['PASSWORD'] }) as const;
const sent = () => ({ head: 'POST / HTTP/1.1\r\nAuthorization: X-OITC-API KEY', body: '{"password":"PASSWORD"}' });
const received = () => ({ head: 'HTTP/1.1 200 OK', body: 'KEY and PASSWORD', reason: '' });

describe('a follower', () => {
  it('keeps the last request and answer only of agents that were looked at, without secrets', () => {
    const follower = createFollower(['KEY']);
    expect(follower.follows(7)).toBe(false);
    follower.request(followed(7), sent);
    expect(follower.look(7)).toEqual({ request: undefined, answer: undefined });
    expect([follower.follows(7), follower.follows(8)]).toEqual([true, false]);
    follower.request(followed(7), sent);
    expect(follower.look(7)).toMatchObject({ request: { agent: 7, operation: 'checkdata' }, answer: undefined });
    follower.answer(followed(7), { outcome: 'ok', serviceMs: 3 }, received);
    const seen = follower.look(7);
    expect(seen.answer).toMatchObject({ outcome: 'ok', serviceMs: 3, head: 'HTTP/1.1 200 OK' });
    expect(JSON.stringify(seen)).not.toMatch(/KEY|PASSWORD/);
    // The next request discards the answer to the previous one.
    follower.request(followed(7), sent);
    expect(follower.look(7).answer).toBeUndefined();
  });

  it('follows the sixteen agents that were looked at last', () => {
    const follower = createFollower([]);
    for (let agent = 0; agent < 16; agent++) follower.look(agent);
    follower.look(0);
    follower.look(16);
    const followed = Array.from({ length: 17 }, (_, agent) => agent).filter(follower.follows);
    expect(followed).toEqual([0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
  });
});
