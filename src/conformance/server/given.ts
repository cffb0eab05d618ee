import { ENDPOINT_PATHS, type Endpoint } from '../../base/protocol/push.ts';
import type { HttpCase } from '../http-case.ts';
import type { ConformanceRequest } from '../request.ts';

export type ServerCredentials = { readonly uuid: string; readonly password: string };

/** What the cases of a push server are given. */
export type ServerGiven = {
  /** Path of the base URL, without a slash at its end. */
  readonly prefix: string;
  /** Of the header `Host`. */
  readonly host: string;
  readonly apiKey: string;
  /** UUIDs that the server does not know; each case has its own. */
  readonly fresh: readonly string[];
  /** A registered agent of its own; only for cases that need one. */
  readonly agent: ServerCredentials;
  /** A registered agent that has a host; only for cases that need one. */
  readonly assigned: ServerCredentials;
};

/** `agent`: an agent of its own must be registered first; `assigned`: it takes an agent with a host. */
export type ServerCase = HttpCase<ServerGiven> & { readonly needs?: 'agent' | 'assigned' };

export function freshUuid({ fresh: [first = ''] }: ServerGiven): string {
  return first;
}

/** The headers of an agent's request, in its order. */
export function agentHeaders({ host, apiKey }: ServerGiven): ConformanceRequest['headers'] {
  return [
    ['Host', host],
    ['User-Agent', 'openITCOCKPIT Agent/3.6.1'],
    ['Authorization', `X-OITC-API ${apiKey}`.trim()],
    ['Content-Type', 'application/json'],
    ['Accept-Encoding', 'gzip'],
  ];
}

/** An agent's request with this document, or with these bytes. */
export function pushOf(given: ServerGiven, endpoint: Endpoint, document: unknown): ConformanceRequest {
  const body = Buffer.isBuffer(document) ? document : Buffer.from(JSON.stringify(document));
  return { method: 'POST', target: `${given.prefix}${ENDPOINT_PATHS[endpoint]}`, headers: agentHeaders(given), body };
}

/** A first registration, with members of its own. */
export function registration(given: ServerGiven, members: Readonly<Record<string, unknown>> = {}): ConformanceRequest {
  const document = { agentuuid: freshUuid(given), password: '', hostname: 'muster-conform', ipaddress: '192.0.2.1' };
  return pushOf(given, 'register_agent', { ...document, ...members });
}
