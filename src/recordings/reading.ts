import type { z } from 'zod';
import { expectationIn } from '../ground/notation/schema-findings.ts';
import { AGENT_VERSIONS, hasFeature } from '../ground/protocol/agent-versions.ts';
import { CHECK_NAMES } from '../ground/protocol/checks.ts';
import { CHECK_SHAPES, packagesShape } from '../ground/protocol/shapes.ts';
import { exactly, isMembers, type JsonMembers } from './document-texts.ts';

/** The two reports of an agent: the results of its checks, and its packages. */
export type DocumentKind = 'checkdata' | 'packages';

type ReadDocument = {
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

type DocumentReading =
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
  return { place: `${at}${path}`, expected: expectationIn(issue.message), found: foundAt(value, issue.path) };
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

/*
 * Finds figures that no host can have, although they are numbers: documents of hosts modeled on them could not be written. Agents
 * do not send such figures, but an edited file may contain them.
 */

type StrangeFigure = { readonly place: readonly (string | number)[]; readonly expected: string };

type Rule = { readonly names: RegExp; readonly least: number; readonly most: number; readonly expected: string };

const RULES: readonly Rule[] = [
  { names: /^last_updated_timestamp$/, least: 1, most: 4e9, expected: 'seconds since 1970' },
  { names: /^LastUpdate$/, least: 0, most: 4e9, expected: 'seconds since 1970' },
  { names: /^(pid|ppid|Pid)$/, least: 0, most: 2 ** 32 - 1, expected: 'a PID' },
  { names: /AvgWait$/, least: 0, most: 1e9, expected: 'milliseconds, at most 1000000000' },
  // Counters, and averages over a counter that fell.
  {
    names:
      /^(avg_|Timestamp_|PercentDiskTime|AvgDisk|Frequency_|bytes_|packets_|err|drop|Read|Write|Total|IoTime|Disk)/,
    least: 0,
    most: 2 ** 64,
    expected: 'a 64-bit number',
  },
];
const USUAL: Omit<Rule, 'names'> = { least: -(2 ** 53), most: 2 ** 53, expected: 'a number between -2^53 and 2^53' };

const SYSTEMS = ['linux', 'windows', 'darwin'];

/** The first figure of a well-formed document that no host can have. */
function strangeFigure(document: JsonMembers): StrangeFigure | undefined {
  const { agent, cpu, memory } = document as Readonly<Record<string, JsonMembers | undefined>>;
  if (agent !== undefined && !SYSTEMS.includes(String(agent.goos))) {
    return { place: ['agent', 'goos'], expected: SYSTEMS.join(' or ') };
  }
  if (Array.isArray(cpu?.cpu_percentage) && cpu.cpu_percentage.length === 0) {
    return { place: ['cpu', 'cpu_percentage'], expected: 'one value per core' };
  }
  const empty = ['total', 'used'].find((name) => memory?.[name] === 0);
  if (empty !== undefined) return { place: ['memory', empty], expected: 'a number of bytes above 0' };
  return strangeIn(document, []) ?? strangeCounter(document) ?? strangeUse(document) ?? strangeProcess(document);
}

/** Nothing is used beyond its total, and no share exceeds the whole. */
function strangeUse({ cpu, memory, swap, disks }: JsonMembers): StrangeFigure | undefined {
  const usages = Array.isArray(disks)
    ? (disks as readonly { readonly usage: JsonMembers }[]).map(({ usage }) => usage)
    : [];
  const all = [
    { place: ['memory'], value: memory },
    { place: ['swap'], value: swap },
    ...usages.map((value, index) => ({ place: ['disks', index, 'usage'], value })),
  ].flatMap(({ place, value }) => (isMembers(value) ? [{ place, ...value } as Use] : []));
  const found = all.find(({ used = 0, total = Number.POSITIVE_INFINITY }) => used > total);
  if (found !== undefined) return { place: [...found.place, 'used'], expected: `at most the total, ${found.total}` };
  const full = all.find(({ percent = 0 }) => percent < 0 || percent > MOST_PERCENT);
  if (full !== undefined) return { place: [...full.place, 'percent'], expected: 'a percentage' };
  const busy = isMembers(cpu) ? Number(cpu.cpu_total_percentage ?? 0) : 0;
  return busy > MOST_PERCENT ? { place: ['cpu', 'cpu_total_percentage'], expected: 'a percentage' } : undefined;
}

type Use = { readonly place: StrangeFigure['place'] } & Partial<Readonly<Record<'used' | 'total' | 'percent', number>>>;
/** Rounding adds a little. */
const MOST_PERCENT = 100.5;

/** Each process has its own PID, and only the system itself, with PID 0, is its own parent. */
function strangeProcess({ processes }: JsonMembers): StrangeFigure | undefined {
  const pids = new Set<number>();
  for (const [index, { pid, ppid }] of (Array.isArray(processes)
    ? (processes as readonly Identified[])
    : []
  ).entries()) {
    if (pids.has(pid)) return { place: ['processes', index, 'pid'], expected: 'a PID that no other process has' };
    if (pid === ppid && pid !== 0)
      return { place: ['processes', index, 'ppid'], expected: 'the PID of another process' };
    pids.add(pid);
  }
  return undefined;
}

type Identified = { readonly pid: number; readonly ppid: number };

/** Highest rates of a network card or disk. Rates may be higher shortly after a boot, so uptime counts as at least `LEAST_SECONDS`. */
const MOST_PER_SECOND = [
  { names: /^(packets_|err|drop|ReadCount$|WriteCount$|DiskReadsPerSec$|DiskWritesPerSec$)/, most: 1e9 },
  { names: /^(bytes_|ReadBytes$|WriteBytes$|ReadTime$|WriteTime$|IoTime$|Disk(Read|Write)Bytes)/, most: 1e11 },
];
const LEAST_SECONDS = 600;

function strangeCounter(document: JsonMembers): StrangeFigure | undefined {
  const { agent, disk_io, net_io } = document as Readonly<Record<string, JsonMembers | undefined>>;
  const seconds = Math.max(LEAST_SECONDS, Number(agent?.system_uptime ?? 0));
  const counters = Object.entries({ disk_io, net_io }).flatMap(([check, devices]) =>
    Object.entries(devices ?? {}).flatMap(([device, members]) =>
      Object.entries(members as JsonMembers).map(([name, sum]) => ({
        place: [check, device, name],
        name,
        sum: Number(sum),
      })),
    ),
  );
  for (const { names, most } of MOST_PER_SECOND) {
    const found = counters.find(({ name, sum }) => names.test(name) && sum > most * seconds);
    if (found !== undefined) return { place: found.place, expected: `at most ${most} per second of uptime` };
  }
  return undefined;
}

/** @param place where the value is; one list for all values, because copies would grow with the square of their depth */
function strangeIn(value: unknown, place: (string | number)[]): StrangeFigure | undefined {
  if (typeof value === 'number') {
    const name = String(place.findLast((step) => typeof step === 'string'));
    const { least, most, expected } = RULES.find(({ names }) => names.test(name)) ?? USUAL;
    return value >= least && value <= most ? undefined : { place: [...place], expected };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    place.push(Array.isArray(value) ? Number(name) : name);
    const found = strangeIn(member, place);
    if (found !== undefined) return found;
    place.pop();
  }
  return undefined;
}
