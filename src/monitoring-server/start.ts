import type { Fault } from '../protocol/server-faults.ts';
import { trackConnections } from './connections.ts';
import { controlAdmission } from './faults/admission.ts';
import { createFaultInjector, type ServerCondition } from './faults/fault-injector.ts';
import { createGate } from './faults/gate.ts';
import { createContinueHandler, createHandler, type HandlerContext } from './handle-request.ts';
import { createHttpServer, drain } from './http-server.ts';
import type { Ledger } from './ledger.ts';
import { createListener } from './listener.ts';
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
  /** Replaces the faults the server is told to have; their times count from now. */
  readonly setFaults: (faults: readonly Fault[]) => void;
  /** Accepts no more, answers what is under way, closes every connection. May be called again. */
  readonly stop: () => Promise<void>;
};

/**
 * Listens on `settings.host` and `settings.port`.
 * Throws `UserError` if that address or the data file cannot be had.
 */
export async function startMonitoringServer(chosen: Partial<MonitoringServerSettings> = {}): Promise<MonitoringServer> {
  const settings = { ...DEFAULT_SETTINGS, ...chosen };
  const server = assemble(settings);
  const { registrations, connections, witness, traffic, faults } = server;
  const port = await server.listener.open().catch((error: unknown) => {
    registrations.close();
    throw error;
  });
  faults.set(settings.faults);
  let stopped: Promise<void> | undefined;
  return {
    url: `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`,
    port,
    counts: () => ({
      registrations: registrations.size(),
      openConnections: connections.open(),
      requestsUnderWay: connections.requestsUnderWay(),
      ...traffic.counts(),
    }),
    testimony: witness.testimony,
    ledger: witness.ledger,
    assignHosts: registrations.assignHosts,
    setFaults: faults.set,
    stop: () => {
      stopped ??= server.stop().finally(registrations.close);
      return stopped;
    },
  };
}

function assemble(settings: MonitoringServerSettings) {
  const registrations = createRegistrations(settings);
  const traffic = createTraffic();
  const witness = createWitness(settings);
  const gate = createGate();
  const http = createHttpServer(settings.timeouts);
  const admission = controlAdmission(http, () => connections.open());
  const connections = trackConnections(http);
  const listener = createListener(http, settings.host, settings.port);
  const become = ({ frozen, accepting, connectionLimit, down }: ServerCondition) => {
    gate.set(frozen ? 'closed' : 'open');
    admission.setAccepting(accepting);
    admission.setLimit(connectionLimit);
    if (down) {
      // First: closing the listener would end idle connections in good order.
      connections.resetAll();
      listener.down();
    } else {
      listener.up();
    }
  };
  const faults = createFaultInjector(settings.seed, { become, forget: registrations.forget });
  let stopping = false;
  const isStopping = () => stopping;
  const context: HandlerContext = { settings, registrations, traffic, witness, faults, gate, isStopping };
  const handle = createHandler(context);
  http.on('request', handle).on('checkContinue', createContinueHandler(context, handle));
  const stop = () => {
    stopping = true;
    faults.stop();
    listener.down();
    gate.set('open');
    return drain(connections, settings.timeouts.drainMs);
  };
  return { registrations, traffic, witness, connections, listener, faults, stop };
}
