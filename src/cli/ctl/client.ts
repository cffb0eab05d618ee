import { messageOf, UserError } from '../../ground/kernel/errors.ts';
import type { FleetAccess } from './find-fleet.ts';

/** Client of a fleet's control API. All methods reject with `UserError`: the error of the API, or why it did not answer. */
export type ControlClient = {
  readonly get: <T>(path: string) => Promise<T>;
  readonly text: (path: string) => Promise<string>;
  readonly post: <T>(path: string, body: object) => Promise<T>;
  readonly put: <T>(path: string, body: object) => Promise<T>;
  readonly end: <T>(path: string) => Promise<T>;
  /** Yields server-sent events until the signal. */
  readonly events: (path: string, signal: AbortSignal) => AsyncGenerator<ServerEvent, undefined>;
};

export type ServerEvent = { readonly event: string; readonly data: unknown };

type Access = Pick<FleetAccess, 'url' | 'token'>;

export function createControlClient(access: Access): ControlClient {
  const send = (method: string, path: string, body: object) =>
    ask(access, path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const json = async <T>(answer: Promise<Response>): Promise<T> => (await (await answer).json()) as T;
  return {
    get: (path) => json(ask(access, path)),
    text: async (path) => (await ask(access, path)).text(),
    post: (path, body) => json(send('POST', path, body)),
    put: (path, body) => json(send('PUT', path, body)),
    end: (path) => json(ask(access, path, { method: 'DELETE' })),
    events: async function* (path, signal) {
      const answer = await ask(access, path, { signal });
      yield* serverEvents(answer, access, signal);
      return undefined;
    },
  };
}

async function ask({ url, token }: Access, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}${path}`, { ...init, headers }).catch((error: unknown) => {
    throw new UserError(`Nothing answers at ${url}: ${reasonOf(error)}; check that the fleet is running.`);
  });
  if (answer.ok) return answer;
  if (answer.status === 401)
    throw new UserError(
      `The fleet at ${url} rejects the token: unset MUSTER_CONTROL_TOKEN to use the token in the control file, or set it to the token of the fleet.`,
    );
  throw new UserError(
    errorIn(await answer.text()) ??
      `${url} answers with status ${answer.status}: expected a control API, found another server.`,
  );
}

function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return messageOf(cause ?? error) || 'the connection failed';
}

function errorIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { readonly error?: string }).error;
  } catch {
    return undefined;
  }
}

async function* serverEvents(answer: Response, { url }: Access, signal: AbortSignal) {
  let rest = '';
  try {
    for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = `${rest}${part}`.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
        if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) as unknown };
      }
    }
  } catch {
    // The end of the fleet is reported below.
  }
  if (!signal.aborted)
    throw new UserError(`The fleet at ${url} stopped sending: it has ended, or the connection is lost.`);
}
