import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isLoopback } from '../../ground/kernel/address.ts';
import { pullFamilies } from '../../outputs/exposition/run-families.ts';
import { cut } from '../../report/live/screen.ts';
import { pullLine, pullSummary } from '../../report/pull-text.ts';
import { serverLine } from '../../report/server-line.ts';
import { serverFamilies } from '../../server/admin/pages.ts';
import { startMonitoringServer } from '../../server/start.ts';
import { onlyOne } from '../flags/common.ts';
import { otlpWanted } from '../flags/figures-request.ts';
import type { ServeFlags } from '../flags/serve.ts';
import { serverSettings } from '../flags/server-settings.ts';
import type { Io } from '../io.ts';
import { openExport } from '../open-figures.ts';
import { canMoveCursor } from '../output/page.ts';
import { createPane, type Pane } from '../output/pane.ts';
import { assertAgentsAllowed, readPullFile } from '../pull/pull-file.ts';
import { type Puller, startPull } from '../pull/start-pull.ts';

const LINE_INTERVAL_MS = 1000;
const SELF_SIGNED =
  'The certificate is self-signed and only valid for this run: disable verification in clients (curl -k; agents: verify-server-certificate = False).';

export async function serveUntilStopped(flags: ServeFlags, io: Io): Promise<void> {
  const settings = await serverSettings(flags, io);
  const otlp = await otlpWanted(flags, { environment: io.env, cwd: io.cwd });
  const startedAt = new Date();
  const words = createWords(io);
  const pull = await pullOf(flags, io, words.print);
  const server = await startServer(settings, pull, words.print).catch((error) => {
    pull?.close();
    throw error;
  });
  io.stdout.write(`${server.url}\n`);
  if (server.adminUrl !== undefined) words.print(`Admin endpoint: ${server.adminUrl}`);
  if (settings.tls?.kind === 'self_signed') words.print(SELF_SIGNED);
  if (settings.apiKey === '' && !isLoopback(settings.host)) words.print(openToAll(settings.host));
  words.print('The monitoring server is ready; interrupt to stop.');
  const families = () => [...serverFamilies(server.counts(), server.observations()), ...server.families()];
  const sent =
    otlp && (await openExport(otlp, () => [{ startedAt, families: families() }], { ...io, note: words.print }));
  const stop = new AbortController();
  const unsubscribe = io.onInterrupt(() => stop.abort());
  await Promise.all([showArrivals(server.counts, pull, words, stop.signal), pull?.run(stop.signal)]);
  unsubscribe();
  await server.stop();
  words.close();
  await sent?.close();
  words.print(`Stopped; ${serverLine(server.counts(), undefined)}`);
  if (pull === undefined) return;
  pull.takeSecond();
  words.print(pullSummary(pull.counts(), pull.totals()));
}

type Words = {
  /** Prints a permanent line. */
  readonly print: (line: string) => void;
  /** Replaces the status lines at the bottom of a terminal. */
  readonly show: ((lines: readonly string[]) => void) | undefined;
  readonly close: () => void;
};

function createWords({ stderr, env }: Io): Words {
  let pane: Pane | undefined;
  let shown: readonly string[] = [];
  const show = (lines: readonly string[]) => {
    shown = lines;
    pane ??= createPane(stderr, ({ columns }) => shown.map((line) => cut(line, columns)));
    pane.redraw();
  };
  return {
    print: (line) => {
      if (pane === undefined) stderr.write(`${line}\n`);
      else pane.print(line);
    },
    show: canMoveCursor(stderr, env) ? show : undefined,
    close: () => {
      pane?.close();
      pane = undefined;
    },
  };
}

function startServer(
  settings: Awaited<ReturnType<typeof serverSettings>>,
  pull: Puller | undefined,
  report: Words['print'],
): ReturnType<typeof startMonitoringServer> {
  if (pull === undefined) return startMonitoringServer(settings, { report });
  const families = () => pullFamilies({ ...pull.counts(), operations: pull.totals() });
  return startMonitoringServer(settings, { report, families, pages: { '/pull': pull.counts } });
}

async function pullOf(flags: ServeFlags, io: Io, report: Words['print']): Promise<Puller | undefined> {
  const file = onlyOne('pull', flags.pull);
  if (file === undefined) return undefined;
  const order = await readPullFile(resolve(io.cwd, file));
  assertAgentsAllowed(order, flags.allow ?? []);
  return startPull(order, report);
}

function openToAll(host: string): string {
  return `Warning: the server listens on ${host} without an API key, so any client that can reach it can register agents. Set a key in MUSTER_API_KEY.`;
}

/** Until the signal, updates status lines on a terminal, or prints a line for each second with traffic or polls. */
async function showArrivals(
  counts: Awaited<ReturnType<typeof startMonitoringServer>>['counts'],
  pull: Puller | undefined,
  { print, show }: Words,
  signal: AbortSignal,
): Promise<void> {
  let before = counts();
  while (!signal.aborted) {
    await wait(LINE_INTERVAL_MS, undefined, { signal }).catch(() => {});
    const now = counts();
    const pulled = pull?.takeSecond() ?? [];
    const lines = [
      ...(show !== undefined || now.receivedBytes > before.receivedBytes ? [serverLine(now, before)] : []),
      ...(pull !== undefined && (show !== undefined || pulled.length > 0) ? [pullLine(pull.counts(), pulled)] : []),
    ];
    if (show !== undefined) show(lines);
    else for (const line of lines) print(line);
    before = now;
  }
}
