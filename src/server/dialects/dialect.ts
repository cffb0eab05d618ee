import type { IncomingHttpHeaders } from 'node:http';
import { API_KEY_SCHEME, type Endpoint } from '../../ground/protocol/push.ts';
import type { HttpAnswer } from '../../wire/http/answer.ts';
import type { Envelope } from '../json/envelope.ts';
import type { Registration, Registrations } from '../registrations.ts';
import type { MonitoringServerSettings } from '../settings.ts';

/** A request with a complete body. */
export type PushRequest = {
  readonly method: string;
  /** The request target as sent, including the query. */
  readonly target: string;
  /** `undefined`: the path is not one of the three endpoints. */
  readonly endpoint: Endpoint | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Valid only until the request has been processed; must not be kept. */
  readonly body: Buffer;
  /** The parsed body; `undefined` if it is not JSON. */
  readonly envelope: Envelope | undefined;
};

/** Calls of the released server's web interface that manage hosts (docs/developers/server.md, "Hosts and assignment"). */
export type HostCalls = {
  /** `undefined`: the path is none of these calls. */
  readonly answer: (request: PushRequest) => HttpAnswer | undefined;
  /** Remembers for which checks the agent's data could have services. */
  readonly saw: (uuid: string, checks: readonly string[]) => void;
};

export type DialectContext = {
  readonly settings: MonitoringServerSettings;
  readonly registrations: Registrations;
  readonly hosts: HostCalls;
  /** Finds the agent that submits a document, if it has sent its password; its document is then verified. */
  readonly submitter: (request: PushRequest, fields: Envelope) => Registration | undefined;
};

/** Determines the answer to a request. */
export type Dialect = (request: PushRequest, context: DialectContext) => HttpAnswer;

/**
 * The API key of a request; `undefined` if there is none. Of the header `Authorization`, a cookie of that name, and the
 * query parameter `apikey`, the last one wins (docs/developers/server.md, "Before the controller runs").
 */
export function shownApiKey({ headers, target }: PushRequest): string | undefined {
  return keyInQuery(target) ?? keyAfterScheme(keyInCookie(headers.cookie)) ?? keyAfterScheme(headers.authorization);
}

function keyInQuery(target: string): string | undefined {
  const question = target.indexOf('?');
  return question < 0 ? undefined : (new URLSearchParams(target.slice(question)).get('apikey') ?? undefined);
}

/** The cookie `Authorization`, decoded; `undefined` if there is none. */
export function keyInCookie(cookie: string | undefined): string | undefined {
  const value = cookie === undefined ? undefined : /(?:^|;\s*)Authorization=([^;]*)/.exec(cookie)?.[1];
  return value?.replaceAll(/%20|\+/g, ' ');
}

function keyAfterScheme(value: string | undefined): string | undefined {
  return value?.startsWith(API_KEY_SCHEME) ? value.slice(API_KEY_SCHEME.length).trim() : undefined;
}
