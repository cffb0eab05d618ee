import type { IncomingHttpHeaders } from 'node:http';
import {
  type ByteRange,
  isObjectAt,
  jsonInput,
  memberNames,
  PHP_JSON,
  readMembers,
  skipSpace,
  skipValue,
} from '../../base/protocol/json.ts';
import { API_KEY_SCHEME, type Endpoint } from '../../base/protocol/push.ts';
import type { HttpAnswer } from '../../wire/http/answer.ts';
import { type CheckData, COMPOSITE, type Envelope, type Field, readField } from '../json/envelope.ts';
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

/** Determines the answer to a request. */
export type Dialect = (request: PushRequest, context: DialectContext) => HttpAnswer;

/**
 * The API key of a request; `undefined` if there is none. Of the header `Authorization`, a cookie of that name, and the
 * query parameter `apikey`, the last one wins (docs/developers/server.md, "Before the controller runs").
 */
export function presentedApiKey({ headers, target }: PushRequest): string | undefined {
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

/** Judgment of a package document. `type_error`: it makes the shipped code fail. */
type PackageJudgment = 'empty' | 'accepted' | 'refused' | 'type_error';

/** Applies the rules of docs/reference/wire.md, "submit_package_info.json", in their order. */
export function judgePackages(body: Buffer, document: CheckData | undefined): PackageJudgment {
  if (document === undefined || isEmpty(body, document)) return 'empty';
  if (readField(body, document) !== COMPOSITE) return 'type_error';
  const pending = document.member('Pending');
  if (pending === undefined || readField(body, pending) === null || !isEmpty(body, pending)) return 'refused';
  switch (operatingSystem(body, document.member('Stats'))) {
    case 'linux':
    case 'macos':
      return 'accepted';
    case 'windows':
      // The shipped code joins article names without checking them.
      return document.lacksArticles ? 'type_error' : 'accepted';
    default:
      return 'refused';
  }
}

/** Emptiness as defined by PHP. */
function isEmpty(body: Buffer, span: ByteRange): boolean {
  const value = readField(body, span);
  if (value === COMPOSITE) return skipSpace(body, span.start + 1) === span.end - 1;
  return value === null || value === false || value === 0 || value === '' || value === '0';
}

const SYSTEM = memberNames(['OperatingSystem']);

function operatingSystem(bytes: Buffer, stats: ByteRange | undefined): Field {
  if (stats === undefined || !isObjectAt(bytes, stats.start)) return undefined;
  const text = jsonInput(bytes, PHP_JSON);
  let system: ByteRange | undefined;
  readMembers(text, stats.start, {
    names: SYSTEM,
    read: (index, start) => {
      const end = skipValue(text, start, 0);
      if (index === 0) system = { start, end };
      return end;
    },
  });
  return system && readField(bytes, system);
}
