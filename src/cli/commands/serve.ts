import { setTimeout as wait } from 'node:timers/promises';
import { startMonitoringServer } from '../../monitoring-server/start.ts';
import { serverLine } from '../../report/server-line.ts';
import { SERVE_FLAGS, type ServeFlags, serverSettings } from '../flags/serve.ts';
import type { Io } from '../io.ts';
import type { Command } from './command.ts';

const LINE_INTERVAL_MS = 1000;
const SELF_SIGNED =
  'The certificate is made for this run and signed by itself: clients must not verify it (curl -k; agents: verify-server-certificate = False).\n';
const CLEAR_LINE = '\r\u001b[K';

export const serveCommand: Command<ServeFlags> = (io) => ({
  command: 'serve',
  describe: 'Runs the embedded monitoring server alone until it is stopped',
  builder: (yargs) =>
    yargs
      .options(SERVE_FLAGS)
      .example('$0 serve', 'for agents of this machine')
      .example('$0 serve --listen 127.0.0.1:0', 'on any free port; its URL is printed on stdout')
      .example('$0 serve --dialect shipped --api-key KEY', 'answers as a released server does')
      .example('$0 serve --data agents.db', 'knows its agents again after a restart')
      .example(
        '$0 serve --faults faults.yaml --admin 9090',
        'misbehaves, and can be steered; the token is MUSTER_ADMIN_TOKEN',
      )
      .example('$0 serve --tls self-signed', 'speaks HTTPS')
      .epilogue('GET /healthz and GET /metrics (OpenMetrics) answer on the same port, without a key.'),
  handler: async (flags) => {
    const settings = await serverSettings(flags, io);
    const server = await startMonitoringServer(settings, { report: (line) => io.stderr.write(`${line}\n`) });
    io.stdout.write(`${server.url}\n`);
    if (server.adminUrl !== undefined) io.stderr.write(`Admin endpoint: ${server.adminUrl}\n`);
    if (settings.tls?.kind === 'self_signed') io.stderr.write(SELF_SIGNED);
    if (settings.apiKey === '' && !isLoopback(settings.host)) io.stderr.write(openToAll(settings.host));
    io.stderr.write('The monitoring server is up; interrupt it to stop.\n');
    const stop = new AbortController();
    const forget = io.onInterrupt(() => stop.abort());
    await showArrivals(server.counts, io, stop.signal);
    forget();
    await server.stop();
    io.stderr.write(`Stopped; ${serverLine(server.counts(), undefined)}\n`);
  },
});

function openToAll(host: string): string {
  return `Warning: the server listens on ${host} and demands no key, so whoever reaches this machine can register agents. Give it a key in MUSTER_API_KEY.\n`;
}

function isLoopback(host: string): boolean {
  return /^(127\.|::1$|localhost$)/.test(host);
}

/** Until the signal: one live line on a terminal, one line for each second with arrivals elsewhere. */
async function showArrivals(
  counts: Awaited<ReturnType<typeof startMonitoringServer>>['counts'],
  { stderr }: Io,
  signal: AbortSignal,
): Promise<void> {
  let before = counts();
  while (!signal.aborted) {
    await wait(LINE_INTERVAL_MS, undefined, { signal }).catch(() => {});
    const now = counts();
    const line = serverLine(now, before);
    if (stderr.isTTY === true) stderr.write(`${CLEAR_LINE}${line}`);
    else if (now.receivedBytes > before.receivedBytes) stderr.write(`${line}\n`);
    before = now;
  }
  if (stderr.isTTY === true) stderr.write(CLEAR_LINE);
}
