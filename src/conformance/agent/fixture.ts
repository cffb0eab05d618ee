import type { JsonMembers } from '../../base/protocol/exact-json.ts';
import { answer, type Expectation, status } from '../expectation.ts';
import type { ConformanceRequest } from '../request.ts';

/** What the cases of an agent's web server work with. */
export type AgentFixture = {
  /** Of the header `Host`. */
  readonly host: string;
  /** `user:password`; `undefined`: none is needed. */
  readonly auth: string | undefined;
  /** Check data of a finished run; no members if there is none. */
  readonly checkdata: JsonMembers;
  readonly packages: JsonMembers;
  readonly exporters: readonly string[];
  /** Bytes of `GET /`. */
  readonly checkdataBytes: Buffer;
  readonly configPush: boolean;
  /** Whether it is polled over TLS, with the authority's certificate. */
  readonly isSecured: boolean;
};

/** A request as a monitoring server sends it, with other headers if there are any. */
export function requestTo(
  { host, auth }: Pick<AgentFixture, 'host' | 'auth'>,
  line: string,
  ...headers: ConformanceRequest['headers']
): ConformanceRequest {
  const [method = '', target = ''] = line.split(' ');
  const hasOwn = headers.some(([name]) => name === 'Authorization');
  const credentials = auth === undefined || hasOwn ? [] : [['Authorization', basic(auth)] as const];
  return { method, target, headers: [['Host', host], ...credentials, ...headers] };
}

export function basic(auth: string): string {
  return `Basic ${Buffer.from(auth).toString('base64')}`;
}

/** What a request gets, such as `gets('GET /packages', status(200))`. */
export const gets = (line: string, expect: Expectation, ...headers: ConformanceRequest['headers']) => ({
  ask: (fixture: AgentFixture): readonly ConformanceRequest[] => [requestTo(fixture, line, ...headers)],
  expect,
});

/** The text of an error, which ends with a line feed. */
export function errorBody(code: number, text: string): Expectation {
  return answer(status(code), bodyIs(`${text}\n`));
}

export function bodyIs(text: string): Expectation {
  const shown = JSON.stringify(text);
  return { text: text === '' ? 'an empty body' : `the body ${shown}`, holds: ({ body }) => body.toString() === text };
}
