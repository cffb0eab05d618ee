import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { messageOf, UserError } from '../../kernel/errors.ts';
import type { RecordingWriter } from '../../recording/folder.ts';
import { createIntake, hostOfFile, type Taken } from '../../recording/intake.ts';
import type { DocumentKind } from '../../recording/reading.ts';
import { openRecording } from '../../storage/recording-folder.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { onlyOne } from '../flags/common.ts';
import type { RecordFlags } from '../flags/record.ts';
import type { Io } from '../io.ts';

export async function recordHosts(flags: RecordFlags, io: Io, end: (code: ExitCode) => void): Promise<void> {
  const files = filesOf(flags.import ?? [], io.cwd);
  const folder = onlyOne('out', flags.out) ?? '';
  const writer = openRecording(resolve(io.cwd, folder), false);
  tellTorn(writer, folder, io);
  const refused = importFiles(files, writer, io);
  writer.close();
  io.stdout.write(`${summary(writer, folder)}\n`);
  if (refused > 0) end(EXIT_CODES.userError);
}

/** @throws UserError for a pattern that matches nothing. */
function filesOf(patterns: readonly string[], cwd: string): readonly string[] {
  return patterns.flatMap((pattern) => {
    const found = globSync(pattern, { cwd }).sort();
    if (found.length > 0) return found;
    throw new UserError(`--import: expected files such as 'dumps/*.json', found none that match ${pattern}.`);
  });
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Takes what it can; returns how many files were refused, each of which is named. */
function importFiles(files: readonly string[], writer: RecordingWriter, io: Io): number {
  const intake = createIntake({ writer, digest, everyMs: 0, rewritten: (text) => text });
  const taken = files.map((file): [string, Taken] => {
    const text = readText(resolve(io.cwd, file));
    const offer = {
      text,
      source: hostOfFile(relative(io.cwd, resolve(io.cwd, file))),
      arrivedMs: undefined,
      secrets: [],
    };
    return [file, intake.take(offer)];
  });
  for (const [file, result] of taken) {
    const line = lineOf(file, result);
    if (line !== undefined) io.stderr.write(`${line}\n`);
  }
  return taken.filter(([, { kind }]) => kind === 'fault').length;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    throw new UserError(`Cannot read ${file}: ${messageOf(error)}.`);
  }
}

function lineOf(file: string, result: Taken): string | undefined {
  if (result.kind === 'fault') {
    const { place, expected, found } = result.fault;
    return `${file}: ${place}: expected ${expected}, found ${found}; left out`;
  }
  if (result.kind === 'known') return `${file}: ${result.host} has this document already; left out`;
  if (result.kind === 'kept' && result.secrets > 0) {
    return `${file}: took secrets out of ${result.secrets} ${result.secrets === 1 ? 'text' : 'texts'}`;
  }
  return undefined;
}

function tellTorn({ tornBytes }: RecordingWriter, folder: string, io: Io): void {
  if (tornBytes === 0) return;
  io.stderr.write(`${folder}: its end was torn when a recorder was killed: ${tornBytes} bytes cut off\n`);
}

function summary({ index }: RecordingWriter, folder: string): string {
  const { hosts } = index();
  const count = (kind: DocumentKind) => {
    return hosts.reduce((sum, { documents }) => sum + documents.filter(({ document }) => document === kind).length, 0);
  };
  const number = `${hosts.length} ${hosts.length === 1 ? 'host' : 'hosts'}`;
  return `${folder}: ${number}, ${count('checkdata')} check data, ${count('packages')} packages`;
}
