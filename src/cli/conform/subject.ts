import { resolve } from 'node:path';
import { addressOf } from '../../base/kernel/address.ts';
import { UserError } from '../../base/kernel/errors.ts';
import { readCertificates } from '../../base/storage/text-files.ts';
import type { ConformanceReport } from '../../conformance/report.ts';
import type { RunPorts } from '../../conformance/run.ts';
import { assertAddressesAllowed, assertTargetAllowed } from '../../run/guards.ts';
import { displayUrl } from '../../scenario/server-urls.ts';
import { serverName } from '../../wire/transport/dialer.ts';
import { converse, type Peer } from '../../wire/transport/raw-conversation.ts';
import { resolveTarget } from '../../wire/transport/target-addresses.ts';
import type { ConformFlags } from '../commands/others.ts';
import type { Io } from '../io.ts';

/** A mode that the command line has read. */
export type Mode<Case> = {
  readonly subject: string;
  /** Resolves with what it found and leaves behind, or with `undefined` if the subject cannot be reached; the reason is printed. */
  readonly run: (
    cases: readonly Case[],
    ports: RunPorts,
  ) => Promise<Pick<ConformanceReport, 'results' | 'left'> | undefined>;
};

/** The URL of the subject, if traffic may go there. */
export function urlOf({ url: text }: ConformFlags): URL {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '') return url;
  const found = text === undefined ? 'nothing' : JSON.stringify(displayUrl(text));
  throw new UserError(
    `Expected the URL of what to test, without user and query, such as http://127.0.0.1:8080, found ${found}.`,
  );
}

/** @throws if traffic may not go there. */
export async function peerOf(url: URL, flags: ConformFlags, io: Io): Promise<Peer> {
  const target = { url: url.href, furtherUrls: [], allow: flags.allow ?? [], proxy: undefined };
  assertTargetAllowed(target);
  assertAddressesAllowed(target, await resolveTarget(url.href));
  const address = addressOf(url);
  if (url.protocol === 'http:') return { address, tls: undefined };
  const ca = flags.ca === undefined ? undefined : await readCertificates(resolve(io.cwd, flags.ca));
  return {
    address,
    tls: { ...serverName(address.host), rejectUnauthorized: !flags.insecure, ...(ca && { ca }) },
  };
}

/** Says why not. */
export async function isReachable(peer: Peer, ports: RunPorts, io: Io): Promise<boolean> {
  const signal = AbortSignal.any([ports.signal, AbortSignal.timeout(REACH_MS)]);
  const { end, reason } = await converse(peer, [], { ...ports, signal });
  if (end === 'open') return true;
  io.stderr.write(`No connection to ${peer.address.host}:${peer.address.port}: ${reason}.\n`);
  return false;
}

const REACH_MS = 10_000;
