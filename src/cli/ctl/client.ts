import { Readable } from 'node:stream';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { Agent, request } from 'undici';
import { messageOf, UserError } from '../../base/kernel/errors.ts';
import { jsonIn } from '../../base/protocol/exact-json.ts';
import type { FleetAccess } from './find-fleet.ts';

/** Client of a fleet's control API. All methods reject with `UserError`: the error of the API, or why it did not answer. */
export type ControlClient = {
  readonly get: <T>(path: string, signal?: AbortSignal) => Promise<T>;
  readonly text: (path: string) => Promise<string>;
  readonly post: <T>(path: string, body: object) => Promise<T>;
  readonly put: <T>(path: string, body: object) => Promise<T>;
  readonly end: <T>(path: string) => Promise<T>;
  /** Yields server-sent events until the signal. */
  readonly events: (path: string, signal: AbortSignal) => AsyncGenerator<ServerEvent, undefined>;
};

export type ServerEvent = { readonly event: string; readonly data: unknown };

type Access = Pick<FleetAccess, 'url' | 'token'>;
type Message = Omit<NonNullable<Parameters<typeof request>[1]>, 'headers'>;

/** Longest silence of a fleet that is asked, and of a stream of events: the API sends at least a comment every 15 s. */
const MAX_SILENCE_MS = 60_000;

/** All requests share a connection, which does not keep the process alive; each stream of events has its own. */
export function createControlClient(access: Access, longestSilenceMs = MAX_SILENCE_MS): ControlClient {
  const { url } = access;
  const dispatcher = new Agent({ connections: 1 });
  // Actions may take long; a fleet that is asked and says nothing is frozen, or another server.
  const asking = (signal?: AbortSignal): Message => {
    // For the whole answer, and because a timer of undici that expires while the socket is busy may not start again.
    const late = AbortSignal.timeout(2 * longestSilenceMs);
    const either = signal === undefined ? late : AbortSignal.any([signal, late]);
    return { method: 'GET', headersTimeout: longestSilenceMs, signal: either };
  };
  const text = async (path: string, message: Message): Promise<string> => {
    const { body } = await send(access, path, { ...message, dispatcher });
    return body.text().catch((error: unknown) => {
      throw new UserError(`${url} sent only part of its answer: ${messageOf(error)}; check that the fleet is running.`);
    });
  };
  const json = async <T>(path: string, message: Message): Promise<T> => {
    const answer = jsonIn(await text(path, message));
    if (answer === undefined) throw anotherServer(url, 'something else than JSON');
    return answer as T;
  };
  return {
    get: (path, signal) => json(path, asking(signal)),
    text: (path) => text(path, asking()),
    post: (path, body) => json(path, { method: 'POST', body: JSON.stringify(body) }),
    put: (path, body) => json(path, { method: 'PUT', body: JSON.stringify(body) }),
    end: (path) => json(path, { method: 'DELETE' }),
    events: async function* (path, signal) {
      const silence = new AbortController();
      // Not a limit of undici, as above.
      const timer = setTimeout(() => silence.abort(), longestSilenceMs);
      const heard = new TransformStream<string, string>({
        transform: (text, output) => {
          timer.refresh();
          output.enqueue(text);
        },
      });
      const settings = { signal: AbortSignal.any([signal, silence.signal]), bodyTimeout: 0, dispatcher: new Agent() };
      try {
        const { body } = await send(access, path, { method: 'GET', ...settings });
        const texts = Readable.toWeb(body).pipeThrough(new TextDecoderStream()).pipeThrough(heard);
        for await (const { event = '', data } of texts.pipeThrough(new EventSourceParserStream()))
          yield { event, data: JSON.parse(data) as unknown };
      } catch (error) {
        // The end of the fleet is reported below.
        if (error instanceof UserError) throw error;
      } finally {
        clearTimeout(timer);
      }
      if (signal.aborted) return undefined;
      throw new UserError(`The fleet at ${url} stopped sending: it has ended, or the connection is lost.`);
    },
  };
}

/** Resolves with an answer of status 2xx whose body is still to be read. */
async function send({ url, token }: Access, path: string, message: Message) {
  const type = message.body === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { ...type, authorization: `Bearer ${token}` };
  const answer = await request(`${url}${path}`, { ...message, headers }).catch((error: unknown) => {
    throw new UserError(`Nothing answers at ${url}: ${messageOf(error)}; check that the fleet is running.`);
  });
  const { statusCode, body } = answer;
  if (statusCode >= 200 && statusCode < 300) return answer;
  const refusal = jsonIn(await body.text().catch(() => '')) as { readonly detail?: string } | undefined;
  if (statusCode === 401)
    throw new UserError(
      `The fleet at ${url} rejects the token: unset MUSTER_CONTROL_TOKEN to use the token in the control file, or set it to the token of the fleet.`,
    );
  throw refusal?.detail === undefined ? anotherServer(url, `status ${statusCode}`) : new UserError(refusal.detail);
}

function anotherServer(url: string, found: string): UserError {
  return new UserError(`${url} answers with ${found}: expected a control API, found another server.`);
}
