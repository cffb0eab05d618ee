import type { IncomingMessage } from 'node:http';
import { type Address, addressText } from '../../base/kernel/address.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { oncePerTurn } from '../../base/runtime/event-loop.ts';
import { emptyAnswer, type HttpAnswer, hasBearer, sendAnswer } from '../../wire/http/answer.ts';
import { createListener } from '../../wire/http/listener.ts';
import { createHttpServer, type HttpExchange, type HttpTimeouts, serveAll } from '../../wire/http/server.ts';
import { expositionAnswer, type Family } from './families.ts';

/** Address of the metrics endpoint, and the token that clients must send; `undefined` if none is required. */
export type ExposedAt = { readonly address: Address; readonly token: string | undefined };

const PATH = '/metrics';
const TIMEOUTS: HttpTimeouts = { headMs: 10_000, requestMs: 10_000, idleMs: 65_000 };
const METHODS = ['GET', 'HEAD'];

/** Serves metrics of runs at an address. @throws UserError if the address is not available. */
export async function exposeRuns({ address, token }: ExposedAt, families: () => readonly Family[]) {
  // A single packet may contain a thousand requests, and an answer takes some milliseconds.
  const page = oncePerTurn((accept) => expositionAnswer(families(), accept));
  const answer = ({ headers }: IncomingMessage) => page(headers.accept ?? '');
  const http = createHttpServer<undefined>(TIMEOUTS, (exchange) => void serve(exchange, token, answer));
  const listener = createListener(address, serveAll(http, undefined));
  const port = await listener.open();
  return {
    /** URL of the metrics, such as `http://127.0.0.1:9464/metrics`. */
    url: `http://${addressText({ ...address, port })}${PATH}`,
    /** Stops listening without waiting for clients. */
    close: (): void => {
      listener.down();
      void http.stop(0);
    },
  };
}

/** A failed scrape never ends a run; its error is its answer. */
async function serve(
  { request, response }: HttpExchange<undefined>,
  token: string | undefined,
  answer: (request: IncomingMessage) => Promise<HttpAnswer>,
): Promise<void> {
  if (token !== undefined && !hasBearer(request.headers, token)) {
    response.setHeader('WWW-Authenticate', 'Bearer');
    return sendAnswer(response, plainAnswer(401, 'Authorization: expected Bearer and the token of these metrics\n'));
  }
  const path = (request.url ?? '/').replace(/\?.*/s, '');
  if (path !== PATH) return sendAnswer(response, plainAnswer(404, `Only metrics are available here, at ${PATH}\n`));
  if (!METHODS.includes(request.method ?? '')) {
    response.setHeader('Allow', METHODS.join(', '));
    return sendAnswer(response, emptyAnswer(405));
  }
  try {
    sendAnswer(response, await answer(request));
  } catch (error) {
    sendAnswer(response, plainAnswer(500, `${messageOf(error)}\n`));
  }
}

function plainAnswer(status: number, body: string): HttpAnswer {
  return { status, type: 'text/plain; charset=utf-8', body };
}
