import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { z } from 'zod';
import { readFaults } from '../../faults/read-faults.ts';
import { writtenFault } from '../../faults/written.ts';
import { emptyAnswer, type HttpAnswer, jsonAnswer, writeAnswerHead } from '../../http/answer.ts';
import { readBody } from '../../http/body.ts';
import { createListener } from '../../http/listener.ts';
import { UserError } from '../../kernel/errors.ts';
import { MIB } from '../../kernel/units.ts';
import type { ArrivalCounts } from '../observations/arrival-counts.ts';
import type { AdminSettings } from '../settings.ts';
import type { ServerControls } from './controls.ts';
import { pageAt } from './pages.ts';

export type AdminServer = { readonly url: string; readonly stop: () => void };

const LARGEST_BODY_BYTES = 16 * MIB;
const HOST = '127.0.0.1';
const hostsSchema = z.strictObject({ uuids: z.array(z.string(), 'a list of uuids').optional() });

/**
 * Listens on loopback, on a port of its own, so that it can be reached while the monitoring server cannot.
 * Throws `UserError` if the port cannot be had.
 */
export async function startAdminServer(settings: AdminSettings, controls: ServerControls): Promise<AdminServer> {
  if (settings.token === '') throw new UserError('The admin endpoint needs a token that is not empty.');
  const server = createServer((request, response) => {
    readBody(request, LARGEST_BODY_BYTES, (received) => {
      if (received.kind === 'aborted') return;
      const answer =
        received.kind === 'whole'
          ? answerAdmin(request, Buffer.concat(received.chunks), { settings, controls })
          : emptyAnswer(413);
      writeAnswerHead(response, answer);
      response.end(answer.body);
    });
  });
  const listener = createListener(server, HOST, settings.port);
  const port = await listener.open();
  server.on('error', () => {});
  return {
    url: `http://${HOST}:${port}`,
    stop: () => {
      listener.down();
      server.closeAllConnections();
    },
  };
}

type Admin = { readonly settings: AdminSettings; readonly controls: ServerControls };

function answerAdmin(request: IncomingMessage, body: Buffer, { settings, controls }: Admin): HttpAnswer {
  const path = (request.url ?? '/').replace(/\?.*/s, '');
  const page = request.method === 'GET' ? pageAt(path, controls) : undefined;
  if (page !== undefined) return page;
  if (!isAuthorized(request, settings.token)) return jsonAnswer(401, { error: 'The token is missing or wrong' });
  switch (`${request.method} ${path}`) {
    case 'GET /counts':
      return jsonAnswer(200, controls.counts());
    case 'GET /observations':
      return jsonAnswer(200, controls.observations());
    case 'GET /arrivals':
      return jsonAnswer(200, withPlainLists(controls.arrivals()));
    case 'GET /faults':
      return jsonAnswer(200, controls.faults().map(writtenFault));
    case 'PUT /faults':
      return withJson(body, (document) => setFaults(document, controls));
    case 'POST /hosts':
      return withJson(body, (document) => assignHosts(document, controls));
    default:
      return jsonAnswer(404, { error: `There is nothing to ${request.method} at ${path}` });
  }
}

function isAuthorized({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`));
}

function setFaults(document: unknown, controls: ServerControls): HttpAnswer {
  const read = readFaults(document);
  if (read.kind === 'problems') return jsonAnswer(400, { error: read.problems.join('; ') });
  controls.setFaults(read.faults);
  return jsonAnswer(200, read.faults.map(writtenFault));
}

function assignHosts(document: unknown, controls: ServerControls): HttpAnswer {
  const { data, error } = hostsSchema.safeParse(document);
  if (data !== undefined) return jsonAnswer(200, { assigned: controls.assignHosts(data.uuids) });
  const problems = error.issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`);
  return jsonAnswer(400, { error: problems.join('; ') });
}

function withJson(body: Buffer, act: (document: unknown) => HttpAnswer): HttpAnswer {
  let document: unknown;
  try {
    document = body.length === 0 ? {} : JSON.parse(body.toString());
  } catch {
    return jsonAnswer(400, { error: 'The body is not JSON' });
  }
  return act(document);
}

function withPlainLists(arrivals: ArrivalCounts): object {
  return Object.fromEntries(Object.entries(arrivals).map(([name, column]) => [name, Array.from<unknown>(column)]));
}
