import type { z } from 'zod';
import { AGENT_VERSIONS, hasFeature } from '../ground/protocol/agent-versions.ts';
import { CHECK_NAMES } from '../ground/protocol/checks.ts';
import { CHECK_SHAPES, packagesShape } from '../ground/protocol/shapes.ts';
import { exactly, isMembers, type JsonMembers } from './document-texts.ts';
import { strangeFigure } from './figures.ts';

/** The two reports of an agent: the results of its checks, and its packages. */
export type DocumentKind = 'checkdata' | 'packages';

export type ReadDocument = {
  readonly kind: DocumentKind;
  /** The document alone, as the agent wrote it. Numbers keep all their digits. */
  readonly text: string;
  /** Start of its check run or of its collection, in Unix ms. */
  readonly instantMs: number;
  /** The agent's UUID, and secrets outside of the document, from the push. `undefined` and empty for the answer of a web server. */
  readonly agentUuid: string | undefined;
  readonly secrets: readonly string[];
};

/** Why a text is not a document: the place, what was expected there, and what was found. */
export type DocumentFault = { readonly place: string; readonly expected: string; readonly found: string };

export type DocumentReading =
  | { readonly kind: 'document'; readonly document: ReadDocument }
  | { readonly kind: 'fault'; readonly fault: DocumentFault };

/** Reads a document as an agent writes it: the body of a push, or the answer of its web server. */
export function readDocument(text: string): DocumentReading {
  try {
    return readNested(text);
  } catch (error) {
    // The stack ends before the brackets do.
    if (!(error instanceof RangeError)) throw error;
    return fault({ place: 'the document', expected: DOCUMENT, found: 'too many levels of brackets' });
  }
}

function readNested(text: string): DocumentReading {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    return fault(syntaxFault(text, error));
  }
  if (!isMembers(data)) return fault({ place: 'line 1, column 1', expected: DOCUMENT, found: nameOf(data) });
  const isPush = 'checkdata' in data;
  const document = isPush ? data.checkdata : data;
  const at = isPush ? '$.checkdata' : '$';
  if (!isMembers(document)) return fault({ place: at, expected: DOCUMENT, found: nameOf(document) });
  const found = faultIn(document, at) ?? figureFault(document, at);
  if (found !== undefined) return fault(found);
  const { agentuuid, password } = isPush ? data : {};
  const exact = exactly(text) as JsonMembers;
  return {
    kind: 'document',
    document: {
      ...{ kind: kindOf(document), instantMs: instantOf(document) },
      text: JSON.stringify(isPush ? exact.checkdata : exact),
      agentUuid: typeof agentuuid === 'string' && agentuuid !== '' ? agentuuid : undefined,
      secrets: typeof password === 'string' && password !== '' ? [password] : [],
    },
  };
}

/** Longer texts are not documents: real ones have a few hundred kilobytes. */
export const LONGEST_DOCUMENT_BYTES = 32 << 20;

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const UTF16 = new TextDecoder('utf-16le');

/** Decodes a file. Agents write UTF-8; PowerShell saves UTF-16 with a byte order mark. */
export function documentText(bytes: Uint8Array): string | DocumentFault {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    return { place: 'byte 0', expected: 'JSON', found: 'a gzip file, which must be decompressed first' };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return UTF16.decode(bytes);
  try {
    return UTF8.decode(bytes);
  } catch {
    const kept = Buffer.from(Buffer.from(bytes).toString());
    const strange = bytes.findIndex((byte, place) => byte !== kept[place]);
    const place = placeBehind(Buffer.from(bytes.subarray(0, strange)).toString());
    return { place, expected: 'UTF-8', found: `the byte 0x${(bytes[strange] ?? 0).toString(16)}` };
  }
}

const DOCUMENT = 'check data or package information of an agent';

function fault(fault: DocumentFault): DocumentReading {
  return { kind: 'fault', fault };
}

function syntaxFault(text: string, error: unknown): DocumentFault {
  const isCut = isCutOff(text, error);
  const end = isCut ? text.length : goodUntil(text);
  const place = placeBehind(text.slice(0, end));
  if (text.trim() === '') return { place, expected: DOCUMENT, found: 'nothing' };
  return isCut
    ? { place, expected: 'the rest of the document', found: 'the end of a truncated document' }
    : { place, expected: 'JSON', found: shown(text.slice(end, end + 20)) };
}

function placeBehind(text: string): string {
  const lines = text.split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** Returns whether a text is the start of JSON. Some of the parser's messages have no position. */
function isCutOff(text: string, error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  const position = /position (\d+)/.exec(message)?.[1];
  return /Unexpected end|Unterminated/.test(message) || (position !== undefined && Number(position) >= text.length);
}

/** Length of the part of a text that is the start of JSON. */
function goodUntil(text: string): number {
  let [good, bad] = [0, text.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isBeginning(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    return isCutOff(text, error);
  }
}

function kindOf(document: JsonMembers): DocumentKind {
  return 'Stats' in document || 'LinuxPackages' in document ? 'packages' : 'checkdata';
}

function instantOf(document: JsonMembers): number {
  const { agent, LastUpdate } = document as { agent?: { last_updated_timestamp: number }; LastUpdate?: number };
  return 1000 * (agent?.last_updated_timestamp ?? LastUpdate ?? 0);
}

function faultIn(document: JsonMembers, at: string): DocumentFault | undefined {
  if (kindOf(document) === 'packages') return packagesFault(document, at);
  if (Object.keys(document).length === 0) {
    return { place: at, expected: DOCUMENT, found: 'the empty document of an agent before its first result' };
  }
  if (!isMembers(document.agent)) {
    return { place: `${at}.agent`, expected: 'the agent section', found: nameOf(document.agent) };
  }
  return (
    versionFault(document.agent.agent_version, `${at}.agent.agent_version`) ??
    unknownCheck(document, at) ??
    checkFault(document, at)
  );
}

function packagesFault(document: JsonMembers, at: string): DocumentFault | undefined {
  const { Pending, Enabled, Stats } = document;
  if (Pending === true || Enabled === false) {
    const found = Pending === true ? 'Pending: true' : 'Enabled: false';
    return { place: at, expected: 'package information from a finished collection', found };
  }
  const version = isMembers(Stats) ? Stats.AgentVersion : undefined;
  return versionFault(version, `${at}.Stats.AgentVersion`) ?? shapeFault(packagesShape, document, at);
}

function versionFault(version: unknown, place: string): DocumentFault | undefined {
  if ((AGENT_VERSIONS as readonly unknown[]).includes(version)) return undefined;
  const expected = `an agent version from ${AGENT_VERSIONS[0]} to ${AGENT_VERSIONS.at(-1)}`;
  return { place, expected, found: typeof version === 'string' ? shown(version) : nameOf(version) };
}

function unknownCheck(document: JsonMembers, at: string): DocumentFault | undefined {
  const name = Object.keys(document).find((check) => !CHECK_NAMES.includes(check));
  if (name === undefined) return undefined;
  return { place: `${at}${step(name)}`, expected: `one of the checks ${CHECK_NAMES.join(', ')}`, found: shown(name) };
}

function checkFault(document: JsonMembers, at: string): DocumentFault | undefined {
  const { agent_version: version } = document.agent as { agent_version: string };
  for (const [name, check] of Object.entries(document)) {
    const shape = CHECK_SHAPES[name];
    if (shape === undefined || isFailure(check)) continue;
    const whole = name === 'agent' ? { ...laterMembers(version), ...(check as JsonMembers) } : check;
    const found = shapeFault(shape, whole, `${at}${step(name)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Placeholders for members that the agents of a release do not report yet. */
function laterMembers(version: string): JsonMembers {
  return {
    ...(!hasFeature(version, 'goVersion') && { goversion: '' }),
    ...(!hasFeature(version, 'ntp') && { check_interval: 0 }),
  };
}

/** A failed check consists of its error. */
function isFailure(check: unknown): boolean {
  return isMembers(check) && Object.keys(check).length === 1 && typeof check.error === 'string';
}

function figureFault(document: JsonMembers, at: string): DocumentFault | undefined {
  const strange = strangeFigure(document);
  return (
    strange && {
      place: `${at}${pathOf(strange.place)}`,
      expected: strange.expected,
      found: foundAt(document, strange.place),
    }
  );
}

function foundAt(value: unknown, place: readonly PropertyKey[]): string {
  return nameOf(place.reduce<unknown>((inner, key) => (inner as JsonMembers | undefined)?.[key as string], value));
}

function pathOf(place: readonly PropertyKey[]): string {
  return place.map((key) => (typeof key === 'number' ? `[${key}]` : step(String(key)))).join('');
}

function shapeFault(shape: z.ZodType, value: unknown, at: string): DocumentFault | undefined {
  const result = shape.safeParse(value);
  const issue = result.error?.issues[0];
  if (issue === undefined) return undefined;
  const path = pathOf(issue.path);
  const keys = 'keys' in issue ? (issue.keys as readonly string[]) : [];
  if (keys.length > 0) {
    const place = `${at}${path}${step(keys[0] ?? '')}`;
    return { place, expected: 'no member with this name', found: shown(keys[0] ?? '') };
  }
  return { place: `${at}${path}`, expected: expectation(issue.message), found: foundAt(value, issue.path) };
}

function expectation(message: string): string {
  return message.replace(/^Invalid input: expected |^expected |^Invalid input: /, '').replace(/, received .*$/, '');
}

function step(name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

const LONGEST_SHOWN = 60;

function shown(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
}

/** Describes a value. Strings are not shown, because they may be secrets. */
function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a string' : `${typeof value} ${String(value)}`;
}
