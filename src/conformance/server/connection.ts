import type { Conversation } from '../../wire/transport/raw-conversation.ts';
import { type CaseVerdict, casesOf, HOLDS } from '../case.ts';
import { ANSWERED, header, READABLE, REFUSED, SUCCESS, status } from '../expectation.ts';
import { ANSWER, finalAnswer, type HttpStep, heardText, meets } from '../http-case.ts';
import { type ConformanceRequest, requestBytes, requestParts } from '../request.ts';
import { registration, type ServerCase, type ServerGiven, withHeaders } from './given.ts';

const { agent, note } = casesOf<ServerCase>();

/** How long a server may take that answers immediately. */
const SOON_MS = 1000;

/** A registration in two parts. */
function halves(given: ServerGiven): readonly [Buffer, Buffer] {
  const bytes = requestBytes(registration(given));
  return [bytes.subarray(0, -20), bytes.subarray(-20)];
}

/** The registration of another UUID. */
function second(given: ServerGiven): ConformanceRequest {
  return registration({ ...given, fresh: [given.fresh[1], given.fresh[0]] });
}

function isWhole(heard: Conversation | undefined): boolean {
  return (heard && finalAnswer(heard)?.isWhole) ?? false;
}

/** How many whole answers came. */
function countOf(heard: Conversation | undefined): number {
  return heard?.answers.filter((one) => one.isWhole && one.malformed === undefined && one.status >= 200).length ?? 0;
}

function unless(isRight: boolean, heard: Conversation | undefined): string | CaseVerdict {
  return isRight || heard === undefined ? HOLDS : heardText(heard);
}

function presumes(what: string): CaseVerdict {
  return { kind: 'untried', why: `it presumes ${what}` };
}

export const CONNECTIONS_OF_AGENTS: readonly ServerCase[] = [
  agent('connection.1', 'An answer has a length or chunks.', {
    why: 'Without either it ends with the connection, so that agents need a new one for each push.',
    ask: (given) => [registration(given)],
    expect: {
      text: 'Content-Length, or Transfer-Encoding chunked',
      holds: ({ framing }) => framing === 'length' || framing === 'chunks',
    },
  }),
  agent('connection.2', 'The connection serves a second request.', {
    why: 'Agents keep theirs; otherwise each push costs a handshake.',
    play: (given) => [[[registration(given), ANSWER, second(given), ANSWER]]],
    judge: ([heard]) =>
      isWhole(heard) && heard?.answers[0]?.framing !== 'close'
        ? unless(countOf(heard) === 2, heard)
        : presumes('connection.1'),
    expected: 'two answers over one connection',
  }),
  agent('connection.3', 'The connection serves a request after 30 s of silence.', {
    slow: true,
    why: 'Agents push every 30 s. If the server closes the connection just then, the push is lost.',
    play: (given) => {
      const one = registration(given);
      return [[[one, ANSWER, second(given), ANSWER, { pauseMs: 30_000 }, one, ANSWER]]];
    },
    judge: ([heard]) => (countOf(heard) < 2 ? presumes('connection.2') : unless(countOf(heard) === 3, heard)),
    expected: 'a third answer over the same connection',
  }),
  agent('connection.4', 'The server does not answer before the body has arrived, unless it closes the connection.', {
    why: 'The agent takes the answer for that of this request, and the server the rest of the body for the next one.',
    play: (given) => {
      const [first, rest] = halves(given);
      return [[[{ send: first }, { pauseMs: SOON_MS }, { send: rest }, ANSWER, { pauseMs: SOON_MS / 5 }]]];
    },
    judge: ([heard]) => {
      const isEarly = heard?.heardBefore(1) === true && heard.answers[0]?.status !== 100;
      return unless(!isEarly || heard.end !== 'open', heard);
    },
    expected: 'no answer before the body',
  }),
  agent('connection.5', 'A request may arrive in several parts.', {
    why: 'Agents send the first 4 KB on their own, and slow links split the rest.',
    play: (given) => {
      const { head, body } = requestParts(registration(given));
      const parts = [head.subarray(0, 30), head.subarray(30), body.subarray(0, 1), body.subarray(1)];
      return [[[...parts.flatMap((send): HttpStep[] => [{ send }, { pauseMs: 100 }]), ANSWER]]];
    },
    judge: ([heard]) => unless(heard !== undefined && meets(heard, SUCCESS), heard),
    expected: SUCCESS.text,
  }),
  agent('connection.6', 'An agent that is slow to send does not hold up others.', {
    why: 'One bad link would stop the fleet.',
    play: (given) => {
      const [first, rest] = halves(given);
      return [
        [
          [{ send: first }, { pauseMs: 3 * SOON_MS }, { send: rest }, ANSWER],
          [{ pauseMs: SOON_MS / 2 }, second(given), ANSWER],
        ],
      ];
    },
    judge: ([, quick]) => {
      const tookMs = quick === undefined ? 0 : quick.endedMs - quick.startedMs;
      return isWhole(quick) && tookMs > 2 * SOON_MS ? `an answer after ${Math.round(tookMs)} ms` : HOLDS;
    },
    expected: 'an answer to another agent meanwhile',
  }),
  agent('connection.7', 'An answer is packed only if the request asks for it.', {
    why: 'The agent logs "could not unmarshal".',
    ask: (given) => [withHeaders(given, registration(given), { 'Accept-Encoding': undefined })],
    expect: header('Content-Encoding', undefined),
  }),
  agent('connection.8', 'An answer is packed with gzip or not at all.', {
    why: 'Agents ask for gzip, and read nothing else.',
    ask: (given) => [registration(given)],
    expect: READABLE,
  }),
  agent('connection.9', 'Nothing follows an answer.', {
    why: 'The agent closes the connection.',
    play: (given) => [[[registration(given), ANSWER, { pauseMs: SOON_MS / 5 }]]],
    judge: ([heard]) => (heard === undefined || heard.unreadBytes === 0 ? HOLDS : `${heard.unreadBytes} more bytes`),
    expected: 'no more bytes',
  }),
  agent('connection.10', 'No interim answer 101 comes.', {
    why: 'The agent waits forever.',
    play: (given) => [[[registration(given), { await: 'head' }]]],
    judge: ([heard]) => unless(heard?.answers[0]?.status !== 101, heard),
    expected: 'no 101',
  }),
  agent('connection.11', 'Old agents, with another `User-Agent`, are served.', {
    why: 'Agents before 2025 send `Go-http-client/1.1`.',
    ask: (given) => [withHeaders(given, registration(given), { 'User-Agent': 'Go-http-client/1.1' })],
    expect: SUCCESS,
  }),
  note('connection.12', '`Connection: close` makes the server close the connection after its answer.', {
    source: 'RFC 9112',
    play: (given) => [[[withHeaders(given, registration(given), { Connection: 'close' }), ANSWER, { await: 'end' }]]],
    judge: ([heard]) => (isWhole(heard) ? unless(heard?.end === 'closed', heard) : presumes('an answer')),
    expected: 'an answer, and a closed connection',
  }),
  note('connection.13', 'A request of HTTP/1.0 gets an answer without chunks, and a closed connection.', {
    source: 'RFC 9112',
    play: (given) => [[[{ ...registration(given), version: '1.0' }, ANSWER, { await: 'end' }]]],
    judge: ([heard]) =>
      unless(isWhole(heard) && heard?.answers[0]?.framing !== 'chunks' && heard?.end === 'closed', heard),
    expected: 'an answer without chunks, and a closed connection',
  }),
  note('connection.14', 'A body in chunks is read.', {
    source: 'RFC 9112; agents send lengths',
    ask: (given) => [{ ...registration(given), framing: 'chunks' }],
    expect: SUCCESS,
  }),
  note('connection.15', '`Expect: 100-continue` gets 100 or a final answer before the body.', {
    source: 'RFC 9110; agents never send it',
    play: (given) => {
      const { head, body } = requestParts(withHeaders(given, registration(given), { Expect: '100-continue' }));
      return [[[{ send: head }, { await: 'head' }, { send: body }, ANSWER]]];
    },
    judge: ([heard]) => unless(isWhole(heard), heard),
    expected: 'a head before the body, and an answer',
  }),
  note('connection.16', 'Two requests sent together over one connection get their answers in this order.', {
    source: 'RFC 9112; agents wait',
    play: (given) => {
      const [wrong, right] = [{ ...registration(given), method: 'GET' }, registration(given)];
      return [[[wrong, ANSWER, right, ANSWER]], [[wrong, right, ANSWER, ANSWER]]];
    },
    judge: ([waiting, atOnce]) => {
      const statuses = [waiting, atOnce].map((heard) => heard?.answers.map((one) => one.status) ?? []);
      if (statuses[0]?.length !== 2) return presumes('connection.2');
      return unless(statuses[1]?.length === 2 && statuses[1][0] === statuses[0][0], atOnce);
    },
    expected: 'two answers in the order of the requests',
  }),
  note('connection.17', 'A request without `Host` gets 400.', {
    source: 'RFC 9112',
    ask: (given) => [withHeaders(given, registration(given), { Host: undefined })],
    expect: status(400),
  }),
  note('connection.18', 'Two lengths that differ get a status from 400 to 499, or a closed connection.', {
    source: 'RFC 9112',
    play: (given) => [[[withHeaders(given, registration(given), { 'Content-Length': '1' }), ANSWER]]],
    judge: ([heard]) =>
      unless(heard !== undefined && (meets(heard, REFUSED) || (!isWhole(heard) && heard.end === 'closed')), heard),
    expected: 'a status from 400 to 499, or a closed connection',
  }),
  note('connection.19', 'A header of 16 KB gets no 5xx.', {
    ask: (given) => [withHeaders(given, registration(given), { 'X-Padding': 'a'.repeat(16_000) })],
    expect: ANSWERED,
  }),
  agent('connection.20', 'A request that is cut off registers nobody.', {
    why: 'Its agent would get 403 forever.',
    play: (given) => [
      [[{ send: halves(given)[0] }, { finish: true }, { pauseMs: SOON_MS / 5 }]],
      [[registration(given), ANSWER]],
    ],
    judge: ([, heard]) => unless(heard === undefined || finalAnswer(heard)?.status !== 403, heard),
    expected: 'a registration as if there had been none',
  }),
];
