import type { Conversation } from '../../wire/transport/raw-conversation.ts';
import { casesOf, type Deviation } from '../case.ts';
import { ANSWERED, header, READABLE, REFUSED, SUCCESS, status } from '../expectation.ts';
import { ANSWER, finalAnswer, holdsIf, meets, over } from '../http-case.ts';
import { type ConformanceRequest, type HttpStep, requestBytes, requestParts } from '../request.ts';
import { registration, registrationGets, type ServerCase, type ServerFixture, withHeaders } from './fixture.ts';

const { agent, note } = casesOf<ServerCase>();

/** How long a server may take that answers immediately. */
const SOON_MS = 1000;

/** A registration in two parts. */
function halves(fixture: ServerFixture): readonly [Buffer, Buffer] {
  const bytes = requestBytes(registration(fixture));
  return [bytes.subarray(0, -20), bytes.subarray(-20)];
}

/** The registration of another UUID. */
function second(fixture: ServerFixture): ConformanceRequest {
  return registration({ ...fixture, fresh: [fixture.fresh[1], fixture.fresh[0]] });
}

function isWhole(conversation: Conversation | undefined): boolean {
  return (conversation && finalAnswer(conversation)?.isWhole) ?? false;
}

/** How many whole answers came. */
function countOf(conversation: Conversation | undefined): number {
  return (
    conversation?.answers.filter((one) => one.isWhole && one.malformed === undefined && one.status >= 200).length ?? 0
  );
}

function presumes(what: string): Deviation {
  return { untried: `it presumes ${what}` };
}

export const CONNECTIONS_OF_AGENTS: readonly ServerCase[] = [
  agent('connection.1', 'An answer has a length or chunks.', {
    why: 'Without either it ends with the connection, so that agents need a new one for each push.',
    ...registrationGets(
      {
        text: 'Content-Length, or Transfer-Encoding chunked',
        holds: ({ framing }) => framing === 'length' || framing === 'chunks',
      },
      {},
    ),
  }),
  agent('connection.2', 'The connection serves a second request.', {
    why: 'Agents keep theirs; otherwise each push costs a handshake.',
    rounds: (fixture) => over(registration(fixture), ANSWER, second(fixture), ANSWER),
    judge: ([conversation]) =>
      isWhole(conversation) && conversation?.answers[0]?.framing !== 'close'
        ? holdsIf(countOf(conversation) === 2, conversation)
        : presumes('connection.1'),
    expected: 'two answers over one connection',
  }),
  agent('connection.3', 'The connection serves a request after 30 s of silence.', {
    slow: true,
    why: 'Agents push every 30 s. If the server closes the connection just then, the push is lost.',
    rounds: (fixture) => {
      const one = registration(fixture);
      return over(one, ANSWER, second(fixture), ANSWER, { pauseMs: 30_000 }, one, ANSWER);
    },
    judge: ([conversation]) =>
      countOf(conversation) < 2 ? presumes('connection.2') : holdsIf(countOf(conversation) === 3, conversation),
    expected: 'a third answer over the same connection',
  }),
  agent('connection.4', 'The server does not answer before the body has arrived, unless it closes the connection.', {
    why: 'The agent takes the answer for that of this request, and the server the rest of the body for the next one.',
    rounds: (fixture) => {
      const [first, rest] = halves(fixture);
      return over({ send: first }, { pauseMs: SOON_MS }, { send: rest }, ANSWER, { pauseMs: SOON_MS / 5 });
    },
    judge: ([conversation]) => {
      const isEarly = conversation?.receivedBefore(1) === true && conversation.answers[0]?.status !== 100;
      return holdsIf(!isEarly || conversation.end !== 'open', conversation);
    },
    expected: 'no answer before the body',
  }),
  agent('connection.5', 'A request may arrive in several parts.', {
    why: 'Agents send the first 4 KB on their own, and slow links split the rest.',
    rounds: (fixture) => {
      const { head, body } = requestParts(registration(fixture));
      const parts = [head.subarray(0, 30), head.subarray(30), body.subarray(0, 1), body.subarray(1)];
      return over(...parts.flatMap((send): HttpStep[] => [{ send }, { pauseMs: 100 }]), ANSWER);
    },
    judge: ([conversation]) => holdsIf(conversation !== undefined && meets(conversation, SUCCESS), conversation),
    expected: SUCCESS.text,
  }),
  agent('connection.6', 'An agent that is slow to send does not hold up others.', {
    why: 'One bad link would stop the fleet.',
    rounds: (fixture) => {
      const [first, rest] = halves(fixture);
      return [
        [
          [{ send: first }, { pauseMs: 3 * SOON_MS }, { send: rest }, ANSWER],
          [{ pauseMs: SOON_MS / 2 }, second(fixture), ANSWER],
        ],
      ];
    },
    judge: ([, quick]) => {
      const tookMs = quick === undefined ? 0 : quick.endedMs - quick.startedMs;
      return isWhole(quick) && tookMs > 2 * SOON_MS ? `an answer after ${Math.round(tookMs)} ms` : undefined;
    },
    expected: 'an answer to another agent meanwhile',
  }),
  agent('connection.7', 'An answer is packed only if the request asks for it.', {
    why: 'The agent logs "could not unmarshal".',
    ask: (fixture) => [withHeaders(fixture, registration(fixture), { 'Accept-Encoding': undefined })],
    expect: header('Content-Encoding', undefined),
  }),
  agent('connection.8', 'An answer is packed with gzip or not at all.', {
    why: 'Agents ask for gzip, and read nothing else.',
    ...registrationGets(READABLE, {}),
  }),
  agent('connection.9', 'Nothing follows an answer.', {
    why: 'The agent closes the connection.',
    rounds: (fixture) => over(registration(fixture), ANSWER, { pauseMs: SOON_MS / 5 }),
    judge: ([conversation]) =>
      conversation === undefined || conversation.unreadBytes === 0
        ? undefined
        : `${conversation.unreadBytes} more bytes`,
    expected: 'no more bytes',
  }),
  agent('connection.10', 'No interim answer 101 comes.', {
    why: 'The agent waits forever.',
    rounds: (fixture) => over(registration(fixture), { await: 'head' }),
    judge: ([conversation]) => holdsIf(conversation?.answers[0]?.status !== 101, conversation),
    expected: 'no 101',
  }),
  agent('connection.11', 'Old agents, with another `User-Agent`, are served.', {
    why: 'Agents before 2025 send `Go-http-client/1.1`.',
    ask: (fixture) => [withHeaders(fixture, registration(fixture), { 'User-Agent': 'Go-http-client/1.1' })],
    expect: SUCCESS,
  }),
  note('connection.12', '`Connection: close` makes the server close the connection after its answer.', {
    source: 'RFC 9112',
    rounds: (fixture) =>
      over(withHeaders(fixture, registration(fixture), { Connection: 'close' }), ANSWER, { await: 'end' }),
    judge: ([conversation]) =>
      isWhole(conversation) ? holdsIf(conversation?.end === 'closed', conversation) : presumes('an answer'),
    expected: 'an answer, and a closed connection',
  }),
  note('connection.13', 'A request of HTTP/1.0 gets an answer without chunks, and a closed connection.', {
    source: 'RFC 9112',
    rounds: (fixture) => over({ ...registration(fixture), version: '1.0' }, ANSWER, { await: 'end' }),
    judge: ([conversation]) =>
      holdsIf(
        isWhole(conversation) && conversation?.answers[0]?.framing !== 'chunks' && conversation?.end === 'closed',
        conversation,
      ),
    expected: 'an answer without chunks, and a closed connection',
  }),
  note('connection.14', 'A body in chunks is read.', {
    source: 'RFC 9112; agents send lengths',
    ask: (fixture) => [{ ...registration(fixture), framing: 'chunks' }],
    expect: SUCCESS,
  }),
  note('connection.15', '`Expect: 100-continue` gets 100 or a final answer before the body.', {
    source: 'RFC 9110; agents never send it',
    rounds: (fixture) => {
      const { head, body } = requestParts(withHeaders(fixture, registration(fixture), { Expect: '100-continue' }));
      return over({ send: head }, { await: 'head' }, { send: body }, ANSWER);
    },
    judge: ([conversation]) => holdsIf(isWhole(conversation), conversation),
    expected: 'a head before the body, and an answer',
  }),
  note('connection.16', 'Two requests sent together over one connection get their answers in this order.', {
    source: 'RFC 9112; agents wait',
    rounds: (fixture) => {
      const [wrong, right] = [{ ...registration(fixture), method: 'GET' }, registration(fixture)];
      return [[[wrong, ANSWER, right, ANSWER]], [[wrong, right, ANSWER, ANSWER]]];
    },
    judge: ([waiting, atOnce]) => {
      const statuses = [waiting, atOnce].map((conversation) => conversation?.answers.map((one) => one.status) ?? []);
      if (statuses[0]?.length !== 2) return presumes('connection.2');
      return holdsIf(statuses[1]?.length === 2 && statuses[1][0] === statuses[0][0], atOnce);
    },
    expected: 'two answers in the order of the requests',
  }),
  note('connection.17', 'A request without `Host` gets 400.', {
    source: 'RFC 9112',
    ask: (fixture) => [withHeaders(fixture, registration(fixture), { Host: undefined })],
    expect: status(400),
  }),
  note('connection.18', 'Two lengths that differ get a status from 400 to 499, or a closed connection.', {
    source: 'RFC 9112',
    rounds: (fixture) => over(withHeaders(fixture, registration(fixture), { 'Content-Length': '1' }), ANSWER),
    judge: ([conversation]) =>
      holdsIf(
        conversation !== undefined &&
          (meets(conversation, REFUSED) || (!isWhole(conversation) && conversation.end === 'closed')),
        conversation,
      ),
    expected: 'a status from 400 to 499, or a closed connection',
  }),
  note('connection.19', 'A header of 16 KB gets no 5xx.', {
    ask: (fixture) => [withHeaders(fixture, registration(fixture), { 'X-Padding': 'a'.repeat(16_000) })],
    expect: ANSWERED,
  }),
  agent('connection.20', 'A request that is cut off registers nobody.', {
    why: 'Its agent would get 403 forever.',
    rounds: (fixture) => [
      [[{ send: halves(fixture)[0] }, { finish: true }, { pauseMs: SOON_MS / 5 }]],
      [[registration(fixture), ANSWER]],
    ],
    judge: ([, conversation]) =>
      holdsIf(conversation === undefined || finalAnswer(conversation)?.status !== 403, conversation),
    expected: 'a registration as if there had been none',
  }),
];
