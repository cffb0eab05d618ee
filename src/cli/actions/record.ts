import { UserError } from '../../base/kernel/errors.ts';
import type { RecordFlags } from '../commands/hosts.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { recordForwarded } from '../record/forward.ts';
import { importFiles } from '../record/import-files.ts';
import { recordPolls } from '../record/poll-agents.ts';

const WAYS = '--import, --poll, or --listen with --forward';

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
