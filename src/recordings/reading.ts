import { digitsOf, isMembers, type JsonMembers, parseExactly, stringifyExactly } from '../base/protocol/exact-json.ts';
import type { MachineTraits } from './machines.ts';
import { isPackages, type OddFigure, oddFigures } from './odd-figures.ts';
import { excerptOf, foundText } from './value-texts.ts';

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
  readonly machine: MachineTraits;
  /** Figures that simulated hosts do not have. */
  readonly odd: readonly OddFigure[];
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
    data = parseExactly(text);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return fault(syntaxFault(text));
  }
  if (!isMembers(data)) return fault({ place: 'line 1, column 1', expected: DOCUMENT, found: foundText(data) });
  const isPush = 'checkdata' in data;
  const found = isPush ? data.checkdata : data;
  const at = isPush ? '$.checkdata' : '$';
  if (!isMembers(found)) return fault({ place: at, expected: DOCUMENT, found: foundText(found) });
  const other = otherDocument(found, at);
  if (other !== undefined) return fault(other);
  const document = withMaps(found);
  const { agentuuid, password } = isPush ? data : {};
  return {
    kind: 'document',
    document: {
      kind: isPackages(document) ? 'packages' : 'checkdata',
      instantMs: instantOf(document),
      text: stringifyExactly(document),
      agentUuid: typeof agentuuid === 'string' && agentuuid !== '' ? agentuuid : undefined,
      secrets: typeof password === 'string' && password !== '' ? [password] : [],
      machine: machineOf(document),
      odd: oddFigures(document, at),
    },
  };
}

/** Maps of an agent. PHP stores them as lists if they are empty, or have the names 0, 1, 2 and so on. */
const MAPS = new Set(['customchecks', 'disk_io', 'libvirt', 'net_io', 'net_stats', 'system_load', 'windows_eventlog']);

const asMap = (value: unknown) => (Array.isArray(value) ? { ...value } : value);
const eachMember = (value: unknown, map: (member: unknown) => unknown): unknown =>
  isMembers(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, map(member)])) : value;

function withMaps(document: JsonMembers): JsonMembers {
  return Object.fromEntries(
    Object.entries(document).map(([name, check]) => {
      const isMap = MAPS.has(name) || (name === 'sensors' && Array.isArray(check) && check.length === 0);
      const read = isMap ? asMap(check) : check;
      // Virtual machines have maps of cards and disks, and no lists.
      return [name, name === 'libvirt' ? eachMember(read, (machine) => eachMember(machine, asMap)) : read];
    }),
  );
}

/** Longer texts are not documents: real ones have a few hundred kilobytes. */
export const MAX_DOCUMENT_BYTES = 32 << 20;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes a file. Agents write UTF-8; PowerShell saves UTF-16. JSON begins with ASCII, which has a zero byte there. */
export function documentText(bytes: Uint8Array): string | DocumentFault {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b)
    return { place: 'byte 0', expected: 'JSON', found: 'a zip archive, which must be unpacked first' };
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || bytes[1] === 0) return new TextDecoder('utf-16le').decode(bytes);
  if ((bytes[0] === 0xfe && bytes[1] === 0xff) || bytes[0] === 0) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return UTF8.decode(bytes);
  } catch {
    const kept = Buffer.from(Buffer.from(bytes).toString());
    const strange = bytes.findIndex((byte, index) => byte !== kept[index]);
    const place = placeBehind(Buffer.from(bytes.subarray(0, strange)).toString());
    return { place, expected: 'UTF-8', found: `the byte 0x${(bytes[strange] ?? 0).toString(16)}` };
  }
}

export function faultText({ place, expected, found }: DocumentFault): string {
  return `${place}: expected ${expected}, found ${found}`;
}

const DOCUMENT = 'check data or package information of an agent';

function fault(fault: DocumentFault): DocumentReading {
  return { kind: 'fault', fault };
}

function syntaxFault(text: string): DocumentFault {
  const end = goodUntil(text);
  const place = placeBehind(text.slice(0, end));
  if (text.trim() === '') return { place, expected: DOCUMENT, found: 'nothing' };
  return end === text.length
    ? { place, expected: 'the rest of the document', found: 'the end of a truncated document' }
    : { place, expected: 'JSON', found: excerptOf(text.slice(end, end + 20)) };
}

function placeBehind(text: string): string {
  const lines = text.split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** Length of the longest start of JSON with which a text begins. Not all messages of the parser have a position. */
function goodUntil(text: string): number {
  if (isBeginning(text)) return text.length;
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
    const message = error instanceof Error ? error.message : '';
    const position = /position (\d+)/.exec(message)?.[1];
    return /Unexpected end|Unterminated/.test(message) || (position !== undefined && Number(position) >= text.length);
  }
}

/** The last second that JavaScript can show as a date. */
const LAST_SECOND = 8.64e12;

/** 0 if it is not known. */
function instantOf({ agent, LastUpdate }: JsonMembers): number {
  const seconds = numberOf(isMembers(agent) ? agent.last_updated_timestamp : LastUpdate);
  return seconds > 0 && seconds <= LAST_SECOND ? 1000 * Math.floor(seconds) : 0;
}

/** 0 if it is none. */
function numberOf(exact: unknown): number {
  const number = typeof exact === 'number' ? exact : Number(digitsOf(exact) ?? 0);
  return Number.isFinite(number) ? number : 0;
}

/** Why members are no document of an agent. Everything else is taken as it is. */
function otherDocument(document: JsonMembers, at: string): DocumentFault | undefined {
  if (isPackages(document)) {
    const { Pending, Enabled, Stats } = document;
    if (!isMembers(Stats)) return { place: `${at}.Stats`, expected: 'counts of packages', found: foundText(Stats) };
    if (Pending !== true && Enabled !== false) return undefined;
    const found = Pending === true ? 'Pending: true' : 'Enabled: false';
    return { place: at, expected: 'package information from a finished collection', found };
  }
  if (Object.keys(document).length === 0) {
    return { place: at, expected: DOCUMENT, found: 'the empty document of an agent before its first result' };
  }
  if (isMembers(document.agent)) return undefined;
  return { place: `${at}.agent`, expected: 'the agent section', found: foundText(document.agent) };
}

function machineOf(document: JsonMembers): MachineTraits {
  const { agent, cpu, memory, net_io, Stats } = document as Readonly<Record<string, JsonMembers | null | undefined>>;
  const cards = isPackages(document) || !isMembers(net_io) ? [] : Object.entries(net_io);
  const cores = Array.isArray(cpu?.cpu_percentage) ? cpu.cpu_percentage.length : 0;
  return {
    instantSeconds: instantOf(document) / 1000,
    uptimeSeconds: numberOf(agent?.system_uptime ?? Stats?.Uptime),
    hardware: isPackages(document) ? [] : [`${cores} cores`, `${numberOf(memory?.total)} bytes`],
    counters: new Map(cards.map(([name, card]) => [name, isMembers(card) ? numberOf(card.bytes_recv) : 0])),
  };
}
