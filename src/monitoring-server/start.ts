import { trackConnections } from '../http/connections.ts';
import { createListener } from '../http/listener.ts';
import { createHttpServer, drain } from '../http/server.ts';
import { type AdminServer, startAdminServer } from './admin/admin-server.ts';
import type { ServerControls } from './admin/controls.ts';
import { createTraffic } from './admin/traffic.ts';
import { createContinueHandler, createHandler } from './handle-request.ts';
import { controlAdmission } from './injection/admission.ts';
import { createGate } from './injection/gate.ts';
import { createFaultInjector, type ServerCondition } from './injection/injector.ts';
import { createObserver } from './observations/observer.ts';
import { createRegistrations } from './registrations/registrations.ts';
import { DEFAULT_SETTINGS, type MonitoringServerSettings } from './settings.ts';

/** A running monitoring server. */
export type MonitoringServer = ServerControls & {
  /** Base URL without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Undefined: there is no admin endpoint. */
  readonly adminUrl: string | undefined;
  /** Accepts no more, answers what is under way, closes every connection. May be called again. */
  readonly stop: () => Promise<void>;
};

/**
 * Listens on `settings.host` and `settings.port`.
 * Throws `UserError` if that address, the admin endpoint's or the data file cannot be had.
 */
export async function startMonitoringServer(chosen: Partial<MonitoringServerSettings> = {}): Promise<MonitoringServer> {
  const settings = { ...DEFAULT_SETTINGS, ...chosen };
  const { listener, faults, controls, stop } = assemble(settings);
  let admin: AdminServer | undefined;
  let stopped: Promise<void> | undefined;
  const stopAll = () => {
    admin?.stop();
    stopped ??= stop();
    return stopped;
  };
  try {
    admin = settings.admin && (await startAdminServer(settings.admin, controls));
    const port = await listener.open();
    faults.set(settings.faults);
    const url = `http://${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`;
    return { ...controls, url, port, adminUrl: admin?.url, stop: stopAll };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

function assemble(settings: MonitoringServerSettings) {
  const registrations = createRegistrations(settings);
  const traffic = createTraffic();
  const observer = createObserver(settings);
  const gate = createGate();
  const http = createHttpServer(settings.timeouts);
  const admission = controlAdmission(http, () => connections.open());
  const connections = trackConnections(http);
  const listener = createListener(http, settings.host, settings.port);
  let stopping = false;
  const become = ({ frozen, accepting, connectionLimit, down }: ServerCondition) => {
    if (stopping) return;
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
  const isStopping = () => stopping;
  const controls: ServerControls = {
    counts: () => ({
      registrations: registrations.size(),
      openConnections: connections.open(),
      requestsUnderWay: connections.requestsUnderWay(),
      ...traffic.counts(),
    }),
    observations: observer.observations,
    arrivals: observer.arrivals,
    faults: faults.current,
    setFaults: faults.set,
    assignHosts: registrations.assignHosts,
  };
  const context = { settings, registrations, traffic, observer, faults, gate, isStopping, pages: controls };
  const handle = createHandler(context);
  http.on('request', handle).on('checkContinue', createContinueHandler(context, handle));
  const stop = () => {
    stopping = true;
    faults.stop();
    listener.down();
    gate.set('open');
    return drain(connections, settings.timeouts.drainMs).finally(registrations.close);
  };
  return { listener, faults, controls, stop };
}
