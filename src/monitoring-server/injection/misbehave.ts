import type { ServerResponse } from 'node:http';
import { emptyAnswer, type HttpAnswer, jsonAnswer, sendAnswer, writeAnswerHead } from '../../http/answer.ts';
import type { HttpExchange } from '../../http/server.ts';
import type { PushRequest } from '../dialects/dialect.ts';
import { textOf } from '../json/envelope.ts';
import { type RequestPlan, UNHARMED } from './request-plan.ts';

const OTHER_UUID = '00000000-0000-4000-8000-000000000000';
const DRIP_MS = 100;

/** The answer under a plan, processing the request unless the plan keeps it from that; undefined: a bare reset. */
export function answerUnder(
  plan: RequestPlan,
  push: PushRequest,
  respond: (push: PushRequest) => HttpAnswer,
): HttpAnswer | undefined {
  if (plan === UNHARMED) return respond(push);
  if (plan.ending === 'reset_unprocessed') return undefined;
  if (plan.refusal !== undefined) return refusalAnswer(plan.refusal);
  const answer = plan.emptyPassword && isEnrolment(push) ? waitingAnswer(push) : respond(push);
  const body = plan.wrongUuid ? renamed(answer.body) : answer.body;
  return { ...answer, type: plan.contentType ?? answer.type, body };
}

/** Lets the answer out as the plan has it. */
export function deliverUnder(plan: RequestPlan, exchange: HttpExchange<unknown>, answer: HttpAnswer | undefined): void {
  const { connection, response } = exchange;
  if (answer === undefined || plan.ending === 'reset') {
    connection.socket.resetAndDestroy();
    return;
  }
  if (plan.ending === 'half') {
    const body = Buffer.from(answer.body);
    writeAnswerHead(response, answer);
    response.flushHeaders();
    response.write(body.subarray(0, body.length / 2), () => connection.socket.destroy());
    return;
  }
  if (plan.bytesPerSecond === Number.POSITIVE_INFINITY) {
    sendAnswer(response, answer);
    return;
  }
  writeAnswerHead(response, answer);
  response.flushHeaders();
  const everyMs = Math.max(DRIP_MS, 1000 / plan.bytesPerSecond);
  drip(response, Buffer.from(answer.body), { everyMs, sizeBytes: Math.round((plan.bytesPerSecond * everyMs) / 1000) });
}

function drip(response: ServerResponse, body: Buffer, drops: { everyMs: number; sizeBytes: number }): void {
  let sent = 0;
  const send = () => {
    const drop = body.subarray(sent, sent + drops.sizeBytes);
    sent += drop.length;
    if (sent < body.length) {
      response.write(drop);
    } else {
      clearInterval(timer);
      response.end(drop);
    }
  };
  const timer = setInterval(send, drops.everyMs);
  response.once('close', () => clearInterval(timer));
  send();
}

function isEnrolment({ endpoint, envelope }: PushRequest): boolean {
  return endpoint === 'register_agent' && textOf(envelope?.agentuuid) !== '' && envelope?.password === '';
}

function waitingAnswer({ envelope }: PushRequest): HttpAnswer {
  return jsonAnswer(201, { agentuuid: textOf(envelope?.agentuuid), password: '' });
}

function renamed(body: string): string {
  return body.replace(/"agentuuid":"(?:[^"\\]|\\.)*"/, `"agentuuid":"${OTHER_UUID}"`);
}

function refusalAnswer({
  status,
  body,
}: {
  readonly status: number;
  readonly body: 'json' | 'html' | 'empty';
}): HttpAnswer {
  switch (body) {
    case 'json':
      return jsonAnswer(status, { error: `The server was told to answer ${status}` });
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
