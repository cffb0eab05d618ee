import { gzipSync } from 'node:zlib';
import { nodeHttp } from '../../base/runtime/builtins.ts';

/** What the scripted server sends for one request of an agent. */
export type ScriptedAnswer = {
  readonly bytes: Buffer;
  /** The time over which the bytes are spread. */
  readonly overMs?: number;
  /** What follows the bytes. `hold`: nothing, until the agent gives up. */
  readonly end: 'keep' | 'close' | 'reset' | 'hold';
};

/** What an answer may depend on. */
export type AnswerContext = {
  /** As in the agent's `Host`. */
  readonly host: string;
  /** The scripted server's base URL for TLS, by the same name. */
  readonly secureUrl: string;
  /** Of the request. */
  readonly target: string;
  readonly uuid: string;
  /** The password that a registration gets. */
  readonly password: string;
};

export type AnswerMaker = (context: AnswerContext) => ScriptedAnswer;

type Parts = {
  readonly status: number;
  readonly fields?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
};

/** An ordinary answer with a length. */
export function scripted(
  { status, fields = {}, body = '' }: Parts,
  end: ScriptedAnswer['end'] = 'keep',
): ScriptedAnswer {
  const bytes = Buffer.from(body);
  const length = fields['Transfer-Encoding'] === undefined ? { 'Content-Length': String(bytes.length) } : {};
  const lines = Object.entries({ ...fields, ...length }).map(([name, value]) => `${name}: ${value}\r\n`);
  const reason = nodeHttp.STATUS_CODES[status] ?? '';
  return { bytes: Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n`), bytes]), end };
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

export function scriptedJson(
  status: number,
  document: unknown,
  fields: Readonly<Record<string, string>> = {},
): ScriptedAnswer {
  return scripted({ status, fields: { ...JSON_TYPE, ...fields }, body: JSON.stringify(document) });
}

export function textAnswer(status: number, body: string): ScriptedAnswer {
  return scripted({ status, fields: JSON_TYPE, body });
}

export function htmlAnswer(status: number): ScriptedAnswer {
  const body = '<!DOCTYPE html><html><body><h1>An error</h1></body></html>';
  return scripted({ status, fields: { 'Content-Type': 'text/html; charset=UTF-8' }, body });
}

export function redirectTo(status: number, location: string): ScriptedAnswer {
  return scripted({ status, fields: { Location: location } });
}

export function zipped(status: number, document: unknown): ScriptedAnswer {
  const fields = { ...JSON_TYPE, 'Content-Encoding': 'gzip' };
  return scripted({ status, fields, body: gzipSync(JSON.stringify(document)) });
}

/** Bytes as they are. @param text one character for each byte */
export function rawBytes(text: string, end: ScriptedAnswer['end'] = 'keep'): ScriptedAnswer {
  return { bytes: Buffer.from(text, 'latin1'), end };
}

/** The answer, delivered slowly or with another end. */
export function withDelivery(answer: ScriptedAnswer, delivery: Partial<Omit<ScriptedAnswer, 'bytes'>>): ScriptedAnswer {
  return { ...answer, ...delivery };
}

export const CHECKS_ACCEPTED = scriptedJson(200, { success: true, received_checks: 3 });
export const PACKAGES_ACCEPTED = scriptedJson(200, { success: true, error: '' });
export const PACKAGES_REFUSED = scriptedJson(500, {
  success: false,
  error: 'Error while processing package information',
});
