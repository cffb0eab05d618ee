import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { UserError } from '../../base/kernel/errors.ts';
import { printable } from '../../base/kernel/printable.ts';
import { counted } from '../../base/kernel/units.ts';
import { realTimer } from '../../base/runtime/event-loop.ts';
import { readTextFileSync } from '../../base/storage/text-files.ts';
import { systemReason } from '../../base/storage/whole-files.ts';
import type { SanitizerRules } from '../../recordings/harmless.ts';
import { faultText } from '../../recordings/reading.ts';
import {
  type Intake,
  type IntakeSettings,
  notesOf,
  openIntake,
  type RecordingSummary,
  type Taken,
} from '../../recordings/recorder/intake.ts';
import type { RecordFlags } from '../commands/hosts.ts';
import { durationAboveZero, readFlag } from '../flags/values.ts';
import { type Io, interruptible } from '../io.ts';

// What all ways to record hosts share.

export type RecordOrder = {
  /** Folder of the recording, as the user wrote it. */
  readonly folder: string;
  readonly flags: RecordFlags;
  readonly io: Io;
};

export const DURATION = durationAboveZero('a duration such as 30s or 15m');

/** Settings with a new key, which is never stored. Each document of a host is recorded, however long that takes. */
export function intakeSettings({ flags, io }: RecordOrder): IntakeSettings {
  const key = randomBytes(32).toString('hex');
  return { everyMs: 0, limitMs: Number.POSITIVE_INFINITY, key, anonymous: flags.anonymize, rules: rulesOf(flags, io) };
}

const RULE = /^(keep|drop|option) +(\S.*)$/;

/** The rules of the flags, and of a file with one rule per line. */
function rulesOf(flags: RecordFlags, { cwd }: Io): SanitizerRules {
  const rules = { keep: new Set(flags.keep), drop: new Set(flags.drop), option: new Set<string>() };
  const { rules: file } = flags;
  const lines = file === undefined ? [] : readTextFileSync('rules file', resolve(cwd, file)).split(/\r?\n/);
  lines.forEach((line, index) => {
    const rule = line.replace(/(^|\s)#.*$/, '').trim();
    if (rule === '') return;
    const [, kind, word] = RULE.exec(rule) ?? [];
    if (kind === undefined || word === undefined) {
      throw new UserError(
        `${file}:${index + 1}: expected keep WORD, drop WORD or option --NAME, found ${JSON.stringify(line)}.`,
      );
    }
    rules[kind as keyof SanitizerRules].add(word);
  });
  const lower = (words: ReadonlySet<string>) => new Set([...words].map((word) => word.toLowerCase()));
  return { keep: lower(rules.keep), drop: lower(rules.drop), option: lower(rules.option) };
}

/** Opens the recording, or creates it. Reports what a killed recorder left incomplete. */
export function startRecording({ folder, io }: RecordOrder, settings: IntakeSettings): Intake {
  const intake = openIntake(resolve(io.cwd, folder), settings);
  const { tornBytes } = intake;
  if (tornBytes > 0)
    printLine(io, `${folder}: removed an incomplete end of ${counted(tornBytes, 'byte')}, left by a killed recorder`);
  return intake;
}

/** Runs a task that records. Returns whether everything could be written: a full disk is no bug, and what was written before stays. */
export async function tryToStore({ folder, io }: RecordOrder, task: () => Promise<void>): Promise<boolean> {
  try {
    await task();
    return true;
  } catch (error) {
    const reason = systemReason(error);
    if (reason === undefined) throw error;
    printLine(
      io,
      `${folder}: expected a disk that can be written, found: ${reason}; what was recorded before is kept.`,
    );
    return false;
  }
}

/** Runs a task until an interrupt or the end of the duration aborts its signal. */
export async function untilStopped(
  { flags: { duration }, io }: RecordOrder,
  task: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const limitMs = readFlag('duration', { duration }, DURATION);
  await interruptible(io, async (signal) => {
    if (limitMs === undefined) {
      printLine(io, 'Recording; interrupt to stop.');
      return task(signal);
    }
    const limit = new AbortController();
    const cancel = realTimer(limitMs, () => limit.abort());
    return task(AbortSignal.any([signal, limit.signal])).finally(cancel);
  });
}

/** What became of a document, one line for each thing to know. */
export function intakeLines(name: string, result: Taken): readonly string[] {
  if (result.kind === 'fault') return [`${name}: ${faultText(result.fault)}; skipped`];
  if (result.kind === 'known') return [`${name}: ${result.host} already contains this document; skipped`];
  if (result.kind === 'slow') return [`${name}: taking it in took too long; skipped`];
  return notesOf(result).map(({ line }) => `${name}: ${line}`);
}

export function printLine(io: Io, line: string): void {
  io.stderr.write(`${printable(line)}\n`);
}

/** Prints what was recorded, what it contains, and how to look at it. */
export function conclude({ folder, flags, io }: RecordOrder, { hosts, checkdata, packages }: RecordingSummary): void {
  const documents = `${counted(checkdata, 'check-data document')}, ${counted(packages, 'package document')}`;
  io.stdout.write(`${folder}: ${counted(hosts, 'host')}, ${documents}\n`);
  const contents = flags.anonymize
    ? 'public words, figures, and replacements of everything else'
    : 'names, paths, descriptions and addresses of these hosts, and replacements of other values';
  printLine(io, `${folder} contains ${contents}; look at it with: muster record inspect ${folder}`);
}
