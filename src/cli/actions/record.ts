import { UserError, messageOf, TargetNotAllowedError } from '../../base/kernel/errors.ts';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { type Address, addressOf, addressText, isAllowedHost, parseAddress } from '../../base/kernel/address.ts';
import { printable } from '../../base/kernel/printable.ts';
import { counted } from '../../base/kernel/units.ts';
import { quoted } from '../../base/notation/finding.ts';
import { nodeTls } from '../../base/runtime/builtins.ts';
import { openPullState } from '../../base/storage/pull-state.ts';
import { readCertificates, readKey, readTextFileSync } from '../../base/storage/text-files.ts';
import { systemReason } from '../../base/storage/whole-files.ts';
import type { KeptDocument } from '../../recordings/simulated-hosts.ts';
import { type DocumentFault, type DocumentKind, documentText, faultText, MAX_DOCUMENT_BYTES } from '../../recordings/reading.ts';
import { hostOfFile, type Intake, type IntakeSettings, notesOf, openIntake, type RecordingSummary, type Taken } from '../../recordings/recorder/intake.ts';
import type { SanitizerRules } from '../../recordings/harmless.ts';
import { type Polled, pollAgents } from '../../recordings/recorder/poll.ts';
import { RECORDER_LIMITS, startRecordingProxy } from '../../recordings/recorder/proxy.ts';
import { RECORDING_FILES, readHostRecording } from '../../recordings/recorder/recording-folder.ts';
import type { KeptDocument } from '../../recordings/simulated-hosts.ts';
import { displayUrl } from '../../scenario/addresses.ts';
import type { RelayTarget } from '../../wire/transport/relay.ts';
import type { RecordFlags } from '../commands/hosts.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { recordForwarded } from '../record/forward.ts';
import { importFiles } from '../record/import-files.ts';
import { recordPolls } from '../record/poll-agents.ts';

const WAYS = '--import, --poll, or --listen with --forward';

/** Records hosts, or prints what a recording contains. */
export async function recordOrInspect(flags: RecordFlags, io: Io): Promise<ExitCode> {
  if (flags.what === undefined) return recordHosts(flags, io);
  const { inspectRecording } = await import('./inspect-recording.ts');
  inspectRecording(flags.folder ?? flags.out ?? '.', flags.json, io);
  return EXIT_CODES.pass;
}

async function recordHosts(flags: RecordFlags, io: Io): Promise<ExitCode> {
  const { out: folder, import: patterns, poll } = flags;
  if (folder === undefined)
    throw new UserError('record: expected a folder for the recording, found none; add -o FOLDER.');
  const ways = [patterns, poll, flags.listen ?? flags.forward].filter((way) => way !== undefined);
  if (ways.length !== 1)
    throw new UserError(`record: expected one of ${WAYS}, found ${ways.length === 0 ? 'none' : 'several'}.`);
  const order = { folder, flags, io };
  if (patterns !== undefined) return importFiles(patterns, order);
  return poll === undefined ? recordForwarded(order) : recordPolls(poll, order);
}
