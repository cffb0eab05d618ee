import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { hasBearer } from '../http/bearer.ts';
import { isLoopback } from '../kernel/address.ts';

/** Why a request is not answered. */
export type ApiRefusal = { readonly status: 401 | 403; readonly error: string };

/** Accepts requests with the token and with a Host that names this machine only. */
export type Gate = {
  /** As it was asked for, without brackets. */
  readonly host: string;
  readonly token: string;
};

/**
 * Refuses a request that did not come to us under a name of ours (a page may have its own name lead here), or that a page from
 * elsewhere has sent.
 */
export function strangerOf({ host = '', origin }: IncomingHttpHeaders, gate: Gate): ApiRefusal | undefined {
  if (!isOurs(host, gate)) {
    return { status: 403, error: 'Host: expected the address of the API, found another name.' };
  }
  if (origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}`) return undefined;
  return { status: 403, error: 'Origin: expected the page of the API, or no Origin, found another one.' };
}

/** Refuses who does not have the token. */
export function unknownOf(headers: IncomingHttpHeaders, { token }: Gate): ApiRefusal | undefined {
  if (hasBearer(headers, token)) return undefined;
  const found = headers.authorization === undefined ? 'none' : 'another';
  return { status: 401, error: `Authorization: expected Bearer and the token of this fleet, found ${found}.` };
}

const PORT = /:\d{1,5}$/;

/** DNS cannot point an address here. The port may be that of a tunnel. */
function isOurs(written: string, { host }: Gate): boolean {
  const name = written
    .toLowerCase()
    .replace(PORT, '')
    .replace(/^\[(.*)\]$/, '$1');
  if (name === '') return false;
  if (isLoopback(name) || name === host.toLowerCase()) return true;
  return !isLoopback(host) && isIP(name) !== 0;
}
