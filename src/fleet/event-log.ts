import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, UserError } from '../kernel/errors.ts';
import { readEntriesText } from '../scenario/event-entries.ts';

/** The events of a fleet that were not in its scenario: an append-only file beside its identities, which reads as `events:`. */
export type EventLog = {
  /** When the fleet was raised for the first time; undefined: it never was. */
  readonly raisedAt: Date | undefined;
  /** What is in it so far, as plain data. */
  readonly entries: () => readonly unknown[];
  /** The last scenario that was applied to the fleet while it was up; undefined: none ever was. */
  readonly applied: AppliedScenario | undefined;
  /** One sentence on what was left by a process that was killed; undefined: nothing. */
  readonly mended: string | undefined;
  /** Writes down that the fleet is raised for the first time. Throws `UserError` like `append`. */
  begin(raisedAt: Date): void;
  /** A line is on disk when it returns. Throws `UserError` if the disk does not take it; the log is as it was then. */
  append(line: string): void;
  close(): void;
};

/** What a comment in the log says of an edited scenario that was taken up. */
export type AppliedScenario = {
  /** Since the first start, such as `3d4h`. */
  readonly at: string;
  /** Where it was read from. */
  readonly file: string;
  /** Hash of its text without secrets. */
  readonly sha256: string;
};

/** The comment: what reads the log as `events:` passes over it. `more` is for people. */
export function appliedLine(applied: AppliedScenario, more: object): string {
  return `# Applied ${JSON.stringify({ ...applied, ...more })}\n`;
}

const APPLIED = /^# Applied (\{.*\})$/;

function lastApplied(lines: readonly string[]): AppliedScenario | undefined {
  const [, json] = APPLIED.exec(lines.findLast((line) => APPLIED.test(line)) ?? '') ?? [];
  return json === undefined ? undefined : (JSON.parse(json) as AppliedScenario);
}

/** Whose log it is. */
type LogOwner = { readonly name: string; readonly seed: number };

const HEAD = /^# Events of the fleet (.+), seed (\d+), raised at (\S+)$/;

/** Opens or makes the log. Throws `UserError` if it cannot be used, or is that of another fleet. */
export function openEventLog(path: string, owner: LogOwner): EventLog {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const [head = '', ...rest] = whole.split('\n');
  const raisedAt = head === '' ? undefined : raisedAtOf(head, path, owner);
  const file = openOrExplain(path);
  if (whole.length < text.length) ftruncateSync(file, Buffer.byteLength(whole));
  let present = rest.join('\n');
  readEntriesText(present, path);
  let sizeBytes = Buffer.byteLength(whole);
  const append = (line: string): void => {
    try {
      for (let bytes = Buffer.from(line); bytes.length > 0; ) bytes = bytes.subarray(writeSync(file, bytes));
      fsyncSync(file);
      sizeBytes += Buffer.byteLength(line);
      present += line;
    } catch (error) {
      // What the disk took of it would be half an entry.
      ftruncateSync(file, sizeBytes);
      throw new UserError(
        `The event log ${path} cannot be written: ${messageOf(error)}; free disk space and try again.`,
        { cause: error },
      );
    }
  };
  return {
    raisedAt,
    entries: () => readEntriesText(present, path),
    applied: lastApplied(rest),
    mended: whole.length < text.length ? `removed the incomplete last entry of ${path}` : undefined,
    begin: (at) => {
      append(`# Events of the fleet ${owner.name}, seed ${owner.seed}, raised at ${at.toISOString()}\n`);
      flushFolder(dirname(path));
    },
    append,
    close: () => closeSync(file),
  };
}

function raisedAtOf(head: string, path: string, { name, seed }: LogOwner): Date {
  const [, ofName, ofSeed, at = ''] = HEAD.exec(head) ?? [];
  const raisedAt = new Date(at);
  if (ofName === undefined || Number.isNaN(raisedAt.getTime()))
    throw new UserError(
      `The event log ${path} has no header: expected a first line such as "# Events of the fleet ${name}, seed ${seed}, raised at 2026-01-31T12:00:00.000Z"; restore it, or choose another folder with --data.`,
    );
  if (ofName === name && Number(ofSeed) === seed) return raisedAt;
  throw new UserError(
    `The event log ${path} is that of the fleet ${ofName} with seed ${ofSeed}, and this one is ${name} with seed ${seed}: choose another folder with --data, or another file in fleet.identities.`,
  );
}

function openOrExplain(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    throw new UserError(
      `The event log ${path} cannot be opened: ${messageOf(error)}; choose a writable folder with --data.`,
      { cause: error },
    );
  }
}

/** So that also the name of a new file outlives a loss of power. */
function flushFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
