import { request as requestPlain } from 'node:http';
import { type RequestOptions, request as requestSecure } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Address } from '../../../src/base/kernel/address.ts';

export type Answer = { readonly status: number; readonly body: string };

export type Asking = {
  /** If given, it is sent with POST. */
  readonly body?: string;
  /** `user:password` */
  readonly auth?: string;
  /** If given, the request uses TLS with these options. */
  readonly tls?: RequestOptions;
};

/** Sends a request to an agent over a new connection. Rejects if there is no answer. */
export async function ask(at: Address, path: string, { body, auth, tls }: Asking = {}): Promise<Answer> {
  const method = body === undefined ? 'GET' : 'POST';
  const options = { ...at, path, method, agent: false as const, ...(auth !== undefined && { auth }) };
  const answer = Promise.withResolvers<Answer>();
  const answered = async (response: Parameters<typeof text>[0] & { statusCode?: number | undefined }) => {
    try {
      answer.resolve({ status: response.statusCode ?? 0, body: await text(response) });
    } catch (error) {
      answer.reject(error);
    }
  };
  const request =
    tls === undefined
      ? requestPlain(options, answered)
      : requestSecure({ ...options, rejectUnauthorized: false, ...tls }, answered);
  request.on('error', answer.reject).end(body);
  return answer.promise;
}

/** The error code of a failed request; undefined if there is an answer. */
export function refusal(at: Address, asking: Asking = {}): Promise<string | undefined> {
  return ask(at, '/', asking).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
}

const DOCUMENTS = ['configuration', 'customcheck_configuration', 'prometheus_exporter'] as const;

/** The texts of config.ini, customchecks.ini and prometheus_exporters.ini. */
export type Documents = readonly [string, string, string];

export async function readDocuments(at: Address, asking: Asking = {}): Promise<Documents> {
  const { status, body } = await ask(at, '/config', asking);
  if (status !== 200) throw new Error(`${status} ${body}`);
  const members = JSON.parse(body) as Record<string, string>;
  const [main = '', checks = '', exporters = ''] = DOCUMENTS.map((name) =>
    Buffer.from(members[name] ?? '', 'base64').toString(),
  );
  return [main, checks, exporters];
}

export function pushDocuments(at: Address, documents: Documents, asking: Asking = {}): Promise<Answer> {
  const members = DOCUMENTS.map((name, index) => [name, Buffer.from(documents[index] ?? '').toString('base64')]);
  return ask(at, '/config', { ...asking, body: JSON.stringify(Object.fromEntries(members)) });
}
