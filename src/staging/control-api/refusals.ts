import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback } from '../../ground/kernel/address.ts';
import { hasBearer } from '../../wire/http/bearer.ts';

/** Why a request is refused. */
export type ApiRefusal = { readonly status: 401 | 403; readonly error: string };

/** Accepts requests with the token and with a Host that names this machine only. */
export type Gate = {
  /** As in the requested address, without brackets. */
  readonly host: string;
  readonly token: string;
};

/**
 * Refuses a request for a foreign host name, which a page may have pointed at this address (DNS rebinding), and a request from a page
 * of another origin.
 */
export function strangerOf({ host = '', origin }: IncomingHttpHeaders, gate: Gate): ApiRefusal | undefined {
  if (!isOurs(host, gate)) {
    return { status: 403, error: 'Host: expected the address of the API, found another name.' };
  }
  if (origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}`) return undefined;
  return { status: 403, error: 'Origin: expected the page of the API, or no Origin, found another one.' };
}

/** Refuses a request without the token. */
export function unknownOf(headers: IncomingHttpHeaders, { token }: Gate): ApiRefusal | undefined {
  if (hasBearer(headers, token)) return undefined;
  const found = headers.authorization === undefined ? 'none' : 'another';
  return { status: 401, error: `Authorization: expected Bearer and the token of this fleet, found ${found}.` };
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
