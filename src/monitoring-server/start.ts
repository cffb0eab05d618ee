import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UserError } from '../kernel/errors.ts';
import { type Connections, trackConnections } from './connections.ts';
import { createContinueHandler, createHandler, type HandlerContext } from './handle-request.ts';
import type { Ledger } from './ledger.ts';
import { createRegistrations } from './registrations.ts';
import { DEFAULT_SETTINGS, type MonitoringServerSettings } from './settings.ts';
import { createTraffic, type ServerCounts } from './traffic.ts';
import { createWitness, type Testimony } from './witness.ts';

/** A running monitoring server. */
export type MonitoringServer = {
  /** Base URL without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly counts: () => ServerCounts;
  /** What the server saw of the pushes it got. */
  readonly testimony: () => Testimony;
  /** What arrived from each agent, to be held against what was sent. */
  readonly ledger: () => Ledger;
  /** Makes these agents monitored hosts, or all of them; returns how many were not before. */
  readonly assignHosts: (uuids?: readonly string[]) => number;
  /** Accepts no more, answers what is under way, closes every connection. May be called again. */
  readonly stop: () => Promise<void>;
};

/** Listens on `settings.host` and `settings.port`. Throws `UserError` if that address cannot be had. */
export async function startMonitoringServer(chosen: Partial<MonitoringServerSettings> = {}): Promise<MonitoringServer> {
  const settings = { ...DEFAULT_SETTINGS, ...chosen };
  const registrations = createRegistrations(settings);
  const witness = createWitness(settings);
  const context: HandlerContext = { settings, registrations, witness, traffic: createTraffic(), stopping: false };
  const server = createHttpServer(context);
  const connections = trackConnections(server);
  const port = await listen(server, settings).catch((error: unknown) => {
    registrations.close();
    throw error;
  });
  let stopped: Promise<void> | undefined;
  return {
    url: `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`,
    port,
    counts: () => ({
      registrations: registrations.size(),
      openConnections: connections.open(),
      requestsUnderWay: connections.requestsUnderWay(),
      ...context.traffic.counts(),
    }),
    testimony: witness.testimony,
    ledger: witness.ledger,
    assignHosts: (uuids) => registrations.assignHosts(uuids),
    stop: () => {
      context.stopping = true;
      stopped ??= close(server, connections, settings.timeouts.drainMs).finally(registrations.close);
      return stopped;
    },
  };
}

function createHttpServer(context: HandlerContext): Server {
  const { headMs, requestMs, idleMs } = context.settings.timeouts;
  const handle = createHandler(context);
  const server = createServer({
    keepAliveTimeout: idleMs,
    headersTimeout: headMs,
    requestTimeout: requestMs,
    // How often the two limits above are looked at.
    connectionsCheckingInterval: Math.min(1000, headMs, requestMs),
  });
  return server.on('request', handle).on('checkContinue', createContinueHandler(context, handle));
}

function listen(server: Server, { host, port }: MonitoringServerSettings): Promise<number> {
  return new Promise((resolve, reject) => {
    // Stays for the server's life: a lack of file descriptors while accepting is an error event too, and survivable.
    server.on('error', (error: NodeJS.ErrnoException) => reject(new UserError(refusalText(error, host, port))));
    // A whole fleet may connect within a moment; the kernel caps this at its own limit.
    server.listen({ host, port, backlog: 65_535 }, () => resolve((server.address() as AddressInfo).port));
  });
}

function refusalText(error: NodeJS.ErrnoException, host: string, port: number): string {
  const what = `The monitoring server cannot listen on ${host}:${port}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return `${what}: the port is in use; stop the program that has it or choose another port (0 picks a free one).`;
    case 'EACCES':
      return `${what}: this user may not open that port; choose one from 1024 up (0 picks a free one).`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${what}: this machine has no such address; choose one of its own, such as 127.0.0.1.`;
    default:
      return `${what}: ${error.message}.`;
  }
}

async function close(server: Server, connections: Connections, drainMs: number): Promise<void> {
  const deadline = setTimeout(() => server.closeAllConnections(), drainMs);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  connections.closeIdle();
  await closed;
  clearTimeout(deadline);
}
