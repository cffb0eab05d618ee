import { once } from 'node:events';
import { resolve } from 'node:path';
import { type Address, addressOf, addressText, isAllowedHost, parseAddress } from '../../base/kernel/address.ts';
import { TargetNotAllowedError, UserError } from '../../base/kernel/errors.ts';
import { counted } from '../../base/kernel/units.ts';
import { quoted } from '../../base/notation/finding.ts';
import { nodeTls } from '../../base/runtime/builtins.ts';
import { readCertificates } from '../../base/storage/text-files.ts';
import { startRecordingProxy } from '../../recordings/recorder/proxy.ts';
import { RECORDER_LIMITS } from '../../recordings/recorder/recorder-thread.ts';
import { displayUrl } from '../../scenario/server-urls.ts';
import type { RelayTarget } from '../../wire/transport/relay.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { tlsOf } from '../flags/server-settings.ts';
import { readFlag } from '../flags/values.ts';
import {
  conclude,
  DURATION,
  intakeSettings,
  printLine,
  type RecordOrder,
  startRecording,
  untilStopped,
} from './recorder.ts';

/** Time for agents' connections to finish exchanges in progress. */
const GRACE_MS = 2000;
/** Longest time to take in a forwarded document. Files may take longer, because nobody waits for them. */
const LIMIT_MS = 1000;

/** Records what agents push through a proxy to their server, until it is stopped. */
export async function recordForwarded(order: RecordOrder): Promise<ExitCode> {
  const { folder, flags, io } = order;
  const listen = listenAddress(flags.listen);
  const target = await targetOf(order);
  const tls = await tlsOf(flags, io);
  const settings = { ...intakeSettings(order), everyMs: readFlag('every', flags, DURATION), limitMs: LIMIT_MS };
  const task = { folder: resolve(io.cwd, folder), intake: settings, limits: RECORDER_LIMITS };
  // Fails before agents connect if the folder is not writable.
  startRecording(order, settings).close();
  const proxy = await startRecordingProxy({ listen, target, tls, task }, (line) => printLine(io, line));
  io.stdout.write(`${tls === undefined ? 'http' : 'https'}://${addressText({ ...listen, port: proxy.port })}\n`);
  await untilStopped(order, (signal) => once(signal, 'abort'));
  const summary = await proxy.stop(GRACE_MS);
  const { connections, requestsLost, stopped: reason, hangs } = proxy.counts();
  if (summary !== undefined) conclude(order, summary);
  const lost = requestsLost === 0 ? 'nothing lost' : `${counted(requestsLost, 'request')} not recorded`;
  const why = summary === undefined ? `; recording stopped: ${reason}` : '';
  printLine(io, `${counted(connections, 'connection')}, ${lost}${why}`);
  if (hangs) io.leave?.(EXIT_CODES.notStored);
  return summary === undefined || requestsLost > 0 ? EXIT_CODES.notStored : EXIT_CODES.pass;
}

function listenAddress(text: string | undefined): Address {
  const address = text === undefined ? undefined : parseAddress(text);
  if (address !== undefined) return address;
  const found = text === undefined ? 'nothing' : JSON.stringify(text);
  throw new UserError(`--listen: expected host:port such as 127.0.0.1:8080 with --forward, found ${found}.`);
}

/** Rejects a URL with a path: it would have to be added to each request, and the proxy changes nothing. */
async function targetOf({ flags, io }: RecordOrder): Promise<RelayTarget> {
  const { forward: text, ca } = flags;
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  const isBase = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '';
  if (!isBase || url.username !== '') {
    const found = text === undefined ? 'nothing' : quoted(displayUrl(text));
    throw new UserError(
      `--forward: expected a URL without user and path such as https://monitoring.example.com, found ${found}.`,
    );
  }
  const address = addressOf(url);
  assertServerAllowed(url, address.host, flags.allow ?? []);
  if (ca !== undefined && (flags.insecure || url.protocol === 'http:')) {
    const found = flags.insecure ? '--insecure' : 'an http:// URL';
    throw new UserError(`--ca: expected an https:// URL in --forward and verification, found ${found}; omit --ca.`);
  }
  if (url.protocol === 'http:') return { address, tls: undefined };
  const authorities = ca === undefined ? usualAuthorities() : await readCertificates(resolve(io.cwd, ca));
  const secureContext = nodeTls.createSecureContext({ ca: authorities });
  return { address, tls: { secureContext, verify: !flags.insecure } };
}

/** As with the target of a run, traffic goes to another machine only with permission. */
function assertServerAllowed({ origin }: URL, host: string, allow: readonly string[]): void {
  if (isAllowedHost(host, allow)) return;
  throw new TargetNotAllowedError(
    `The server ${origin} is not on this machine: Muster forwards to remote servers only with permission. If you may send traffic to it, pass --allow ${host}.`,
  );
}

/** The CAs that verifying agents would trust: those of Node and of the machine. */
function usualAuthorities(): string[] {
  return [...nodeTls.getCACertificates('default'), ...nodeTls.getCACertificates('system')];
}
