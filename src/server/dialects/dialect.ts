import type { IncomingHttpHeaders } from 'node:http';
import type { Endpoint } from '../../base/protocol/push.ts';
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
  readonly rememberChecks: (uuid: string, checks: readonly string[]) => void;
};

export type DialectContext = {
  readonly settings: MonitoringServerSettings;
  readonly registrations: Registrations;
  readonly hosts: HostCalls;
  /** Finds the agent that submits a document, if it has sent its password; its document is then verified. */
  readonly submitter: (request: PushRequest, fields: Envelope) => Registration | undefined;
};

export type Dialect = (request: PushRequest, context: DialectContext) => HttpAnswer;
