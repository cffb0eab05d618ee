import type { IncomingHttpHeaders } from 'node:http';
import type { HttpAnswer } from '../../http/answer.ts';
import { API_KEY_SCHEME, type Endpoint } from '../../protocol/push.ts';
import { type Envelope, textOf } from '../json/envelope.ts';
import type { Registration, Registrations } from '../registrations.ts';
import type { MonitoringServerSettings } from '../settings.ts';

/** A request whose body has arrived whole. */
export type PushRequest = {
  readonly method: string;
  /** The request target as sent, query included. */
  readonly target: string;
  /** Undefined: the path is none of the three endpoints. */
  readonly endpoint: Endpoint | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Holds its content only until the request has been judged: nothing may keep it. */
  readonly body: Buffer;
  /** What the body says; undefined: it is not JSON. */
  readonly envelope: Envelope | undefined;
};

/** What a dialect judges by and changes. */
export type DialectContext = {
  readonly settings: MonitoringServerSettings;
  readonly registrations: Registrations;
  /** Looks into a document whose agent has shown its password. */
  readonly verify: (request: PushRequest) => void;
};

/** Decides one request's answer. */
export type Dialect = (request: PushRequest, context: DialectContext) => HttpAnswer;

/** The agent whose credentials these are; members that are missing count as empty. */
export function findAgent(envelope: Envelope, { registrations }: DialectContext): Registration | undefined {
  return registrations.match(textOf(envelope.agentuuid), textOf(envelope.password));
}

/** The agent that submits a document, if it shows its password. */
export function findSubmitter(
  request: PushRequest,
  fields: Envelope,
  context: DialectContext,
): Registration | undefined {
  const agent = findAgent(fields, context);
  if (agent !== undefined) context.verify(request);
  return agent;
}

/** Whether the operator has made the agent one of the monitored hosts. */
export function hasHost(agent: Registration | undefined): boolean {
  return agent !== undefined && agent.hostSinceMs <= Date.now();
}

/**
 * The key a request shows: the header `Authorization`, a cookie of that name, the query member `apikey`; a later one
 * overrides an earlier one (docs/reference/wire.md, "Before the controller runs"). Undefined: it shows none.
 */
export function shownApiKey({ headers, target }: PushRequest): string | undefined {
  return keyInQuery(target) ?? keyAfterScheme(keyInCookie(headers.cookie)) ?? keyAfterScheme(headers.authorization);
}

export function keyInQuery(target: string): string | undefined {
  const question = target.indexOf('?');
  return question < 0 ? undefined : (new URLSearchParams(target.slice(question)).get('apikey') ?? undefined);
}

function keyInCookie(cookie: string | undefined): string | undefined {
  const value = cookie === undefined ? undefined : /(?:^|;\s*)Authorization=([^;]*)/.exec(cookie)?.[1];
  return value?.replaceAll(/%20|\+/g, ' ');
}

function keyAfterScheme(value: string | undefined): string | undefined {
  return value?.startsWith(API_KEY_SCHEME) ? value.slice(API_KEY_SCHEME.length).trim() : undefined;
}

/** Whether a body of this type is read as JSON; of any other the members count as missing. */
export function isJsonType(contentType: string | undefined): boolean {
  const type = mediaType(contentType);
  return type === 'application/json' || type === 'text/json';
}

export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').replace(/;.*/s, '').trim().toLowerCase();
}
