import type { IncomingHttpHeaders } from 'node:http';
import type { HttpAnswer } from '../../http/answer.ts';
import type { Endpoint } from '../../protocol/push.ts';
import { type Envelope, textOf } from '../json/envelope.ts';
import type { Registration } from '../registrations/registration.ts';
import type { Registrations } from '../registrations/registrations.ts';
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
