import { resolve } from 'node:path';
import { isLoopback } from '../../base/kernel/address.ts';
import { pauseUntil } from '../../base/runtime/event-loop.ts';
import { pullFamilies } from '../../outputs/exposition/run-families.ts';
import { cut } from '../../report/live/screen.ts';
import { pullLine, pullSummary, type ServerFigures, serverLine } from '../../report/serve-text.ts';
import { serverFamilies } from '../../server/admin/pages.ts';
import { startMonitoringServer } from '../../server/start.ts';
import type { ServeFlags } from '../commands/others.ts';
import { otlpOrder } from '../flags/figures-request.ts';
import { serverSettings } from '../flags/server-settings.ts';
import { type Io, interruptible } from '../io.ts';
import { openExport } from '../open-figures.ts';
import { canMoveCursor } from '../output/page.ts';
import { createPane, type Pane } from '../output/pane.ts';
import { assertAgentsAllowed, readPullFile } from '../pull/pull-file.ts';
import { type Puller, startPull } from '../pull/start-pull.ts';

const SHOWN_EVERY_SECONDS = 1;
/** A log of a server that stays must not fill a disk. */
const LOGGED_EVERY_SECONDS = 60;
const SELF_SIGNED =
  'The certificate is self-signed and only valid for this run: disable verification in clients (curl -k; agents: verify-server-certificate = False).';

export async function serveUntilStopped(flags: ServeFlags, io: Io): Promise<void> {
  const settings = await serverSettings(flags, io);
  const otlp = await otlpOrder(flags, { environment: io.env, cwd: io.cwd });
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
  await interruptible(io, (signal) =>
    Promise.all([showArrivals({ counts: server.counts, pull }, words, signal), pull?.run(signal)]),
  );
  await server.stop();
  words.close();
  await sent?.close();
  words.print(`Stopped; ${serverLine(server.counts(), undefined)}`);
  if (pull === undefined) return;
  pull.takeEnded();
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
  if (flags.pull === undefined) return undefined;
  const order = await readPullFile(resolve(io.cwd, flags.pull));
  assertAgentsAllowed(order, flags.allow ?? []);
  return startPull(order, report);
}

function openToAll(host: string): string {
  return `Warning: the server listens on ${host} without an API key, so any client that can reach it can register agents. Set a key in MUSTER_API_KEY.`;
}

type Counted = {
  readonly counts: () => ServerFigures;
  readonly pull: Pick<Puller, 'counts' | 'takeEnded'> | undefined;
};

/** Until the signal, updates status lines on a terminal each second, or prints those of each minute with traffic or polls. */
export async function showArrivals(
  { counts, pull }: Counted,
  { print, show }: Pick<Words, 'print' | 'show'>,
  signal: AbortSignal,
  wait = pauseUntil,
): Promise<void> {
  const seconds = show === undefined ? LOGGED_EVERY_SECONDS : SHOWN_EVERY_SECONDS;
  const showAll = show ?? ((lines: readonly string[]) => lines.forEach(print));
  let before = counts();
  for (;;) {
    await wait(seconds * 1000, signal);
    if (signal.aborted) return;
    const now = counts();
    const pulled = pull?.takeEnded() ?? [];
    const hasTraffic = show !== undefined || now.receivedBytes > before.receivedBytes;
    const hasPolls = show !== undefined || pulled.length > 0;
    const traffic = hasTraffic ? [serverLine(now, { before, seconds })] : [];
    showAll(pull === undefined || !hasPolls ? traffic : [...traffic, pullLine(pull.counts(), pulled)]);
    before = now;
  }
}
