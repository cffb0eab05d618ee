import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isLoopback } from '../../kernel/address.ts';
import { startMonitoringServer } from '../../monitoring-server/start.ts';
import type { PollerCounts } from '../../poller/plan.ts';
import { serverLine } from '../../report/server-line.ts';
import { onlyOne } from '../flags/common.ts';
import type { ServeFlags } from '../flags/serve.ts';
import { serverSettings } from '../flags/server-settings.ts';
import type { Io } from '../io.ts';
import { canMoveCursor } from '../output/page.ts';
import { assertAgentsAllowed, readPullFile } from '../pull/pull-file.ts';
import { type Puller, startPull } from '../pull/start-pull.ts';

const LINE_INTERVAL_MS = 1000;
const SELF_SIGNED =
  'The certificate is made for this run and signed by itself: clients must not verify it (curl -k; agents: verify-server-certificate = False).\n';
const CLEAR_LINE = '\r\u001b[K';

export async function serveUntilStopped(flags: ServeFlags, io: Io): Promise<void> {
  const settings = await serverSettings(flags, io);
  const pull = await pullOf(flags, io);
  const server = await startServer(settings, io, pull).catch((error) => {
    pull?.close();
    throw error;
  });
  io.stdout.write(`${server.url}\n`);
  if (server.adminUrl !== undefined) io.stderr.write(`Admin endpoint: ${server.adminUrl}\n`);
  if (settings.tls?.kind === 'self_signed') io.stderr.write(SELF_SIGNED);
  if (settings.apiKey === '' && !isLoopback(settings.host)) io.stderr.write(openToAll(settings.host));
  io.stderr.write('The monitoring server is up; interrupt it to stop.\n');
  const stop = new AbortController();
  const unsubscribe = io.onInterrupt(() => stop.abort());
  await Promise.all([showArrivals(server.counts, io, stop.signal), pull?.run(stop.signal)]);
  unsubscribe();
  await server.stop();
  io.stderr.write(`Stopped; ${serverLine(server.counts(), undefined)}\n`);
  if (pull !== undefined) io.stderr.write(`${pullLine(pull.counts())}\n`);
}

function startServer(
  settings: Awaited<ReturnType<typeof serverSettings>>,
  io: Io,
  pull: Puller | undefined,
): ReturnType<typeof startMonitoringServer> {
  const report = (line: string) => void io.stderr.write(`${line}\n`);
  return startMonitoringServer(settings, { report, pages: pull === undefined ? {} : { '/pull': pull.counts } });
}

async function pullOf(flags: ServeFlags, io: Io): Promise<Puller | undefined> {
  const file = onlyOne('pull', flags.pull);
  if (file === undefined) return undefined;
  const clear = canMoveCursor(io.stderr, io.env) ? CLEAR_LINE : '';
  const order = await readPullFile(resolve(io.cwd, file));
  assertAgentsAllowed(order, flags.allow ?? []);
  return startPull(order, (line) => io.stderr.write(`${clear}${line}\n`));
}

function pullLine({ agents, exchanged, configured, answering }: PollerCounts): string {
  return `Agents polled: ${agents} (with certificates: ${exchanged}, configured: ${configured}, answering last: ${answering})`;
}

function openToAll(host: string): string {
  return `Warning: the server listens on ${host} and demands no key, so whoever reaches this machine can register agents. Give it a key in MUSTER_API_KEY.\n`;
}

/** Until the signal: one live line on a terminal, one line for each second with arrivals elsewhere. */
async function showArrivals(
  counts: Awaited<ReturnType<typeof startMonitoringServer>>['counts'],
  { stderr, env }: Io,
  signal: AbortSignal,
): Promise<void> {
  const isInPlace = canMoveCursor(stderr, env);
  let before = counts();
  while (!signal.aborted) {
    await wait(LINE_INTERVAL_MS, undefined, { signal }).catch(() => {});
    const now = counts();
    const line = serverLine(now, before);
    if (isInPlace) stderr.write(`${CLEAR_LINE}${line}`);
    else if (now.receivedBytes > before.receivedBytes) stderr.write(`${line}\n`);
    before = now;
  }
  if (isInPlace) stderr.write(CLEAR_LINE);
}
