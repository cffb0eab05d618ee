import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { realTimer } from '../../base/runtime/event-loop.ts';
import { emptyAnswer, type HttpAnswer, jsonAnswer, sendAnswer, writeAnswerHead } from '../../wire/http/answer.ts';
import type { HttpExchange } from '../../wire/http/server.ts';
import type { PushRequest } from '../dialects/dialect.ts';
import type { Freeze } from './injector.ts';
import type { RequestPlan } from './request-plan.ts';

const AGENT_UUID = /"agentuuid":"(?:[^"\\]|\\.)*"/;
const OTHER_AGENT_UUID = '"agentuuid":"00000000-0000-4000-8000-000000000000"';
const DRIP_MS = 100;

/** Processes a request. `admits`: whether unknown agents may register. */
export type Respond = (push: PushRequest, admits: boolean) => HttpAnswer;

/** Returns the answer under a plan; processes the request unless the plan prevents it. `undefined`: reset without an answer. */
export function answerUnder(plan: RequestPlan, push: PushRequest, respond: Respond): HttpAnswer | undefined {
  if (plan.ending === 'reset_unprocessed') return undefined;
  if (plan.refusal !== undefined) return refusalAnswer(plan.refusal);
  const answer = respond(push, !plan.emptyPassword);
  const body = plan.wrongUuid ? answer.body.replace(AGENT_UUID, OTHER_AGENT_UUID) : answer.body;
  return { ...answer, type: plan.contentType ?? answer.type, body };
}

/**
 * Waits for the planned delay, for the answers to earlier requests of the connection, and for the end of a freeze.
 * Never resolves if the connection closes first.
 */
export async function awaitTurn(plan: RequestPlan, response: ServerResponse, freeze: Freeze): Promise<void> {
  if (plan.delayMs > 0) await waitAtLeast(plan.delayMs, response);
  // A response gets its socket when the earlier ones have been sent.
  if (response.socket === null) await once(response, 'socket');
  if (freeze.holds()) await freeze.thawed();
}

/** Resolves once `delayMs` have passed, never earlier, unless the connection closes. */
export function waitAtLeast(delayMs: number, response: Pick<ServerResponse, 'once' | 'off'>): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      response.off('close', end);
      resolve();
    };
    const cancel = realTimer(delayMs, end);
    response.once('close', end);
  });
}

/** Sends the answer according to the plan, when its turn on the connection has come. */
export function deliverUnder(
  plan: RequestPlan,
  answer: HttpAnswer | undefined,
  exchange: HttpExchange<unknown>,
  freeze: Freeze,
): void {
  const { connection, response } = exchange;
  if (answer === undefined || plan.ending === 'reset') {
    connection.socket.resetAndDestroy();
    return;
  }
  if (plan.ending === 'whole' && plan.bytesPerSecond === Number.POSITIVE_INFINITY) {
    sendAnswer(response, answer);
    return;
  }
  const body = Buffer.from(answer.body);
  const breakOff = plan.ending === 'half' ? () => connection.socket.destroy() : undefined;
  const part = breakOff === undefined ? body : body.subarray(0, body.length / 2);
  const end = (rest: Buffer) => (breakOff === undefined ? response.end(rest) : response.write(rest, breakOff));
  writeAnswerHead(response, answer);
  response.flushHeaders();
  if (plan.bytesPerSecond === Number.POSITIVE_INFINITY) end(part);
  else drip(part, plan.bytesPerSecond, { response, freeze, end });
}

type Drip = {
  readonly response: ServerResponse;
  readonly freeze: Freeze;
  readonly end: (rest: Buffer) => unknown;
};

/** Writes the bytes that are due every `DRIP_MS`; nothing during a freeze. */
function drip(body: Buffer, bytesPerSecond: number, { response, freeze, end }: Drip): void {
  const startMs = performance.now();
  let sent = 0;
  const send = () => {
    if (freeze.holds()) return;
    const due = Math.floor((bytesPerSecond * (performance.now() - startMs)) / 1000);
    const drop = body.subarray(sent, due);
    sent += drop.length;
    if (sent < body.length) {
      if (drop.length > 0) response.write(drop);
      return;
    }
    clearInterval(timer);
    end(drop);
  };
  const timer = setInterval(send, DRIP_MS);
  response.once('close', () => clearInterval(timer));
}

function refusalAnswer({ status, body }: NonNullable<RequestPlan['refusal']>): HttpAnswer {
  switch (body) {
    case 'json':
      return jsonAnswer(status, { error: `Fault injection: status ${status}` });
    case 'html':
      return {
        status,
        type: 'text/html',
        body: `<html><head><title>${status}</title></head><body>${status}</body></html>\n`,
      };
    case 'empty':
      return emptyAnswer(status);
  }
}
