import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback } from '../../ground/kernel/address.ts';
import { hasBearer } from '../../wire/http/answer.ts';
import { RequestProblem } from './problem.ts';

/** The tokens of an API by name; `read` may only read, and is absent if there is none. */
export type Tokens = { readonly control: string; readonly read?: string | undefined };

/** Accepts requests with a token and with a Host that names this machine only. */
export type Gate = {
  /** As in the requested address, without brackets. */
  readonly host: string;
  readonly tokens: Tokens;
};

/**
 * Refuses a request for a foreign host name, which a page may have pointed at this address (DNS rebinding), and a request from a page
 * of another origin.
 */
export function strangerOf({ host = '', origin }: IncomingHttpHeaders, gate: Gate): RequestProblem | undefined {
  if (!isOurs(host, gate)) {
    return new RequestProblem('foreign', 'Host: expected the address of the API, found another name.');
  }
  if (origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}`) return undefined;
  return new RequestProblem('foreign', 'Origin: expected the page of the API, or no Origin, found another one.');
}

/** The name of the token of a request; a problem if it has none, or one that may only read what the request would change. */
export function requesterOf(
  { headers, method }: Pick<IncomingMessage, 'headers' | 'method'>,
  { tokens }: Gate,
): { readonly name: keyof Tokens } | { readonly problem: RequestProblem } {
  if (hasBearer(headers, tokens.control)) return { name: 'control' };
  if (tokens.read === undefined || !hasBearer(headers, tokens.read)) {
    const found = headers.authorization === undefined ? 'none' : 'another';
    const detail = `Authorization: expected Bearer and the token of this fleet, found ${found}.`;
    return { problem: new RequestProblem('unauthorized', detail) };
  }
  if (method === 'GET' || method === 'HEAD') return { name: 'read' };
  const detail = `Authorization: expected a token that may change the fleet for ${method}, found one that may only read.`;
  return { problem: new RequestProblem('read_only', detail) };
}

const PORT = /:\d{1,5}$/;

/** DNS cannot redirect an IP address to this server. The port may be that of a tunnel. */
function isOurs(written: string, { host }: Gate): boolean {
  const name = written
    .toLowerCase()
    .replace(PORT, '')
    .replace(/^\[(.*)\]$/, '$1');
  if (name === '') return false;
  if (isLoopback(name) || name === host.toLowerCase()) return true;
  return !isLoopback(host) && isIP(name) !== 0;
}
