import { resolve } from 'node:path';
import { addressText } from '../../base/kernel/address.ts';
import { UserError } from '../../base/kernel/errors.ts';
import { openPullState } from '../../base/storage/pull-state.ts';
import { readCertificates, readKey } from '../../base/storage/text-files.ts';
import { notesOf } from '../../recordings/recorder/intake.ts';
import { type Polled, pollAgents } from '../../recordings/recorder/poll.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { assertAgentsAllowed, type PullOrder, readPullFile } from '../pull/pull-file.ts';
import {
  conclude,
  intakeLines,
  intakeSettings,
  printLine,
  type RecordOrder,
  startRecording,
  tryToStore,
  untilStopped,
} from './recorder.ts';

/** Records what the web servers of agents answer, until it is stopped. */
export async function recordPolls(pullFile: string, order: RecordOrder): Promise<ExitCode> {
  const { flags, io } = order;
  const pull = await readPullFile(resolve(io.cwd, pullFile));
  assertAgentsAllowed(pull, flags.allow ?? []);
  const credentials = await credentialsFor(pull, order);
  const intake = startRecording(order, intakeSettings(order));
  // Unreachable agents are reported once, and odd figures once for a host.
  const reported = new Set<string>();
  let documents = 0;
  const report = (polled: Polled): void => {
    if (polled.kind === 'taken' && polled.taken.kind !== 'fault') documents++;
    for (const { topic, line } of pollLines(polled)) {
      if (!reported.has(topic)) printLine(io, line);
      reported.add(topic);
    }
  };
  const { agents, basicAuth, every: everyMs, packages: packagesEveryMs, concurrency, timeout: timeoutMs } = pull;
  const secure = credentials !== undefined || pull.https;
  const hasStoredAll = await tryToStore(order, async () => {
    await untilStopped(order, (signal) =>
      pollAgents(
        { agents, secure, basicAuth, everyMs, packagesEveryMs, concurrency, timeoutMs, credentials },
        { intake, signal, nameOf: addressText, report },
      ),
    );
    intake.close();
  });
  conclude(order, intake.summary());
  if (!hasStoredAll) return EXIT_CODES.notStored;
  if (documents > 0) return EXIT_CODES.pass;
  printLine(io, 'No agent answered with a document.');
  return EXIT_CODES.userError;
}

/** The client certificate for polling: from the flags, or that of a Muster server that has exchanged certificates with the agents. */
async function credentialsFor({ autoTls, state }: PullOrder, { flags, io: { cwd } }: RecordOrder) {
  const [certificate, key] = [flags['client-cert'], flags['client-key']];
  if ((certificate === undefined) !== (key === undefined))
    throw new UserError('--client-cert and --client-key: expected both or neither, found one.');
  if (certificate !== undefined && key !== undefined) {
    return { certificate: await readCertificates(resolve(cwd, certificate)), key: await readKey(resolve(cwd, key)) };
  }
  if (!autoTls || state === undefined) return undefined;
  const { authority, close } = await openPullState(state);
  close();
  if (authority !== undefined) return authority;
  throw new UserError(
    `${state}: expected the CA of a server that has exchanged certificates with these agents, found none; pass that server's certificate with --client-cert and --client-key.`,
  );
}

function pollLines(polled: Polled): ReturnType<typeof notesOf> {
  const name = `${addressText(polled.agent)}${polled.path}`;
  if (polled.kind === 'taken' && polled.taken.kind === 'kept')
    return notesOf(polled.taken).map(({ topic, line }) => ({ topic, line: `${name}: ${line}` }));
  // Until its next check run, an agent returns the same document.
  if (polled.kind === 'taken' && polled.taken.kind === 'known') return [];
  const lines = polled.kind === 'failed' ? [`${name}: ${polled.reason}`] : intakeLines(name, polled.taken);
  return lines.map((line) => ({ topic: line, line }));
}
