import type { IncomingHttpHeaders } from 'node:http';
import { API_KEY_SCHEME, type Endpoint } from '../../ground/protocol/push.ts';
import type { HttpAnswer } from '../../wire/http/answer.ts';
import { type Envelope, textOf } from '../json/envelope.ts';
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
  /** Checks a document whose agent has sent its password. */
  readonly verify: (request: PushRequest) => void;
};

/** Determines the answer to a request. */
export type Dialect = (request: PushRequest, context: DialectContext) => HttpAnswer;

/** Finds the agent with these credentials; missing members count as empty. */
export function findAgent(envelope: Envelope, { registrations }: DialectContext): Registration | undefined {
  return registrations.match(textOf(envelope.agentuuid), textOf(envelope.password));
}

/** Finds the agent that submits a document, if it has sent its password. */
export function findSubmitter(
  request: PushRequest,
  fields: Envelope,
  context: DialectContext,
): Registration | undefined {
  const agent = findAgent(fields, context);
  if (agent !== undefined) context.verify(request);
  return agent;
}

/** Whether the operator has made the agent a monitored host. */
export function hasHost(agent: Registration | undefined): boolean {
  return agent !== undefined && agent.hostSinceMs <= Date.now();
}

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

/** Whether a body of this type is read as JSON; otherwise all members count as missing. */
export function isJsonType(contentType: string | undefined): boolean {
  const type = mediaType(contentType);
  return type === 'application/json' || type === 'text/json';
}

export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').replace(/;.*/s, '').trim().toLowerCase();
}
