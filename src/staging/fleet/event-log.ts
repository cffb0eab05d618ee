import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { explained, UserError, writeFailure } from '../../base/kernel/errors.ts';
import { jsonIn } from '../../base/protocol/exact-json.ts';
import { assertOwn } from '../../base/storage/ownership.ts';
import { endMsOf, type FleetEvent } from '../../load/events/event.ts';
import { eventsBeside, type LoggedEntry, readEntriesText, type UnreadEntry } from '../../scenario/event-entries.ts';

/** Events that were added to a fleet after its first start: an append-only file beside the identity file, in the syntax of `events:`. */
export type EventLog = {
  /** When the fleet first started; `undefined` if it never did. */
  readonly firstStartedAt: Date | undefined;
  /** Its current entries that could be read. */
  readonly entries: () => readonly LoggedEntry[];
  /** The last edited scenario that was applied to the running fleet; `undefined` if there was none. */
  readonly applied: AppliedScenario | undefined;
  /** What last described the hosts, and how often that changed; `undefined` if the log does not say. */
  readonly hosts: (DescribedHosts & { readonly changes: number }) | undefined;
  /** For events that scale, the size of the fleet that they were added to; its share is exact only of that. */
  readonly fleetSizes: ReadonlyMap<string, number>;
  /** Sentences about an incomplete entry that a killed process left, entries that cannot be read, and the original of a copied log. */
  readonly notes: readonly string[];
  /** Records the first start of the fleet, and the version that describes its hosts. @throws UserError like `append`. */
  begin(firstStartedAt: Date, version: string): void;
  /**
   * Appends a line; it is on disk when the function returns.
   * @throws UserError if it cannot be written, and `Error` if it could not be read again; the log is then unchanged.
   */
  append(line: string): void;
  close(): void;
};

/** The comment in the log about an edited scenario that was applied. */
export type AppliedScenario = {
  /** Time since the first start, such as `3d4h`. */
  readonly at: string;
  readonly file: string;
  /** Hash of its text without secrets. */
  readonly sha256: string;
};

/** The comment, which readers of `events:` ignore. `more` is for human readers. */
export function appliedLine(applied: AppliedScenario, more: object): string {
  return `# Applied ${JSON.stringify({ ...applied, ...more })}\n`;
}

/** The comment in the log about the version that describes the hosts. */
export type DescribedHosts = { readonly version: string; readonly since: string };

export function hostsLine(hosts: DescribedHosts): string {
  return `# Hosts ${JSON.stringify(hosts)}\n`;
}

/** An entry with a comment: whose token asked for it, and when by the clock of this machine. */
export function withAuthor(line: string, by = 'control'): string {
  return `${line.trimEnd()} # by ${by} on ${new Date().toISOString()}\n`;
}

type Scaling = { readonly name: string; readonly of: number };

/** The comment in the log about the size of the fleet, before the entry; empty for events that do not depend on it. */
export function sizeLine({ name, of, action }: FleetEvent): string {
  return of === undefined || action.kind !== 'scale' ? '' : `# Scaling ${JSON.stringify({ name, of })}\n`;
}

/** The comments of one kind, oldest first. */
function commentsOf<T>(kind: 'Applied' | 'Hosts' | 'Kept' | 'Scaling', lines: readonly string[]): readonly T[] {
  const head = `# ${kind} {`;
  return lines.flatMap((line) => {
    const data = line.startsWith(head) ? jsonIn(line.slice(head.length - 1)) : undefined;
    // It may have been edited by hand.
    return data === undefined ? [] : [data as T];
  });
}

type LogOwner = { readonly name: string; readonly seed: number };

const HEAD = /^# Events of the fleet (.+), seed (\d+), raised at (\S+)$/;

/** Opens or creates the log. @throws UserError if it cannot be used or belongs to another fleet. */
export function openEventLog(path: string, owner: LogOwner): EventLog {
  assertOwn(path, 'choose another folder with --data');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const [head = '', ...rest] = whole.split('\n');
  const firstStartedAt = head === '' ? undefined : firstStartIn(head, path, owner);
  const unusable = (reason: string) =>
    `The event log ${path} cannot be opened: ${reason}; choose a writable folder with --data.`;
  const file = explained(unusable, () => openSync(path, 'a', 0o600));
  if (whole.length < text.length) ftruncateSync(file, Buffer.byteLength(whole));
  const { entries, unread } = readEntriesText(rest.join('\n'), 2);
  let lines = rest.length;
  let sizeBytes = Buffer.byteLength(whole);
  const append = (line: string): void => {
    const added = readEntriesText(line, lines + 1);
    for (const { why } of added.unread) throw new Error(`an entry that cannot be read again: ${why}`);
    try {
      for (let bytes = Buffer.from(line); bytes.length > 0; ) bytes = bytes.subarray(writeSync(file, bytes));
      fsyncSync(file);
      sizeBytes += Buffer.byteLength(line);
      lines += line.split('\n').length - 1;
      entries.push(...added.entries);
    } catch (error) {
      // Removes the part of the entry that was written.
      ftruncateSync(file, sizeBytes);
      throw new UserError(`The event log ${path} cannot be written: ${writeFailure(error)}, and try again.`, {
        cause: error,
      });
    }
  };
  const here: Place = { machine: hostname(), path: realpathSync(path), inode: inodeOf(path) ?? '' };
  const last = commentsOf<Place>('Kept', rest).at(-1);
  const described = commentsOf<DescribedHosts>('Hosts', rest);
  const latest = described.at(-1);
  const kept = last ?? here;
  const isCopied = kept.inode !== here.inode && (kept.path !== here.path || kept.machine !== here.machine);
  const isBeside = isCopied && kept.machine === here.machine && inodeOf(kept.path) === kept.inode;
  const keptLine = `# Kept ${JSON.stringify(here)}\n`;
  // A copy beside its original is one at each start.
  if (firstStartedAt !== undefined && !isBeside && !isDeepStrictEqual(last, here)) append(keptLine);
  return {
    firstStartedAt,
    entries: () => entries,
    applied: commentsOf<AppliedScenario>('Applied', rest).at(-1),
    hosts: latest && { ...latest, changes: described.length - 1 },
    fleetSizes: new Map(commentsOf<Scaling>('Scaling', rest).map(({ name, of }) => [name, of])),
    notes: [
      ...(whole.length < text.length ? [`removed the incomplete last entry of ${path}`] : []),
      ...unread.map((one) => unreadText(path, one)),
      ...(isCopied ? [copiedText(path, kept, isBeside)] : []),
    ],
    begin: (at, version) => {
      const since = at.toISOString();
      const began = `# Events of the fleet ${owner.name}, seed ${owner.seed}, raised at ${since}\n`;
      append(`${began}${keptLine}${hostsLine({ version, since })}`);
      flushFolder(dirname(path));
    },
    append,
    close: () => closeSync(file),
  };
}

/** Says that the fleet goes on without an entry of its log. */
export function unreadText(path: string, { line, why }: UnreadEntry): string {
  return `the event log ${path}, line ${line}: ${why}; the fleet goes on without this entry: correct it by hand, or delete it`;
}

/** Where a log is kept. A copy is another file. */
type Place = { readonly machine: string; readonly path: string; readonly inode: string };

function inodeOf(path: string): string | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino.toString();
}

function copiedText(path: string, kept: Place, isBeside: boolean): string {
  const original = isBeside ? kept.path : `${kept.path} on ${kept.machine}`;
  return `${path} is a copy of ${original}: both fleets have the same agents and passwords, so run only one of them at a time`;
}

/** Events in the log of a fleet, as spans in Unix ms. An event without an end lasts forever. */
type LoggedEvents = {
  readonly name: string;
  readonly events: readonly { readonly name: string; readonly fromMs: number; readonly toMs: number }[];
};

/** The phases of a fleet that nobody runs are not known, and the entries of its log do not name them. */
const ENDLESS_PHASE = { name: '', startMs: 0, durationMs: Number.POSITIVE_INFINITY, excluded: false, loads: [] };

/** Reads the log of a fleet that nobody runs; `undefined` if it has none. */
export function readEventLog(path: string): LoggedEvents | undefined {
  if (!existsSync(path)) return undefined;
  const [head = '', ...rest] = readFileSync(path, 'utf8').split('\n');
  const [, name, , firstStartedAt = ''] = HEAD.exec(head) ?? [];
  if (name === undefined) return undefined;
  const firstStartMs = Date.parse(firstStartedAt);
  const { entries } = readEntriesText(rest.join('\n'));
  const { events } = eventsBeside({ events: [], phases: [ENDLESS_PHASE] }, entries);
  return {
    name,
    events: events.map((event) => ({
      name: event.name,
      fromMs: firstStartMs + event.fromMs,
      toMs: firstStartMs + endMsOf(event),
    })),
  };
}

function firstStartIn(head: string, path: string, { name, seed }: LogOwner): Date {
  const [, ofName, ofSeed, at = ''] = HEAD.exec(head) ?? [];
  const firstStartedAt = new Date(at);
  if (ofName === undefined || Number.isNaN(firstStartedAt.getTime()))
    throw new UserError(
      `The event log ${path} has no header: expected a first line such as "# Events of the fleet ${name}, seed ${seed}, raised at 2026-01-31T12:00:00.000Z"; restore it, or choose another folder with --data.`,
    );
  if (ofName === name && Number(ofSeed) === seed) return firstStartedAt;
  throw new UserError(
    `The event log ${path} belongs to the fleet ${ofName} with seed ${ofSeed}, but this one is ${name} with seed ${seed}: choose another folder with --data, or another file in fleet.identities.`,
  );
}

/** Ensures that the name of a new file survives a power failure. */
function flushFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
