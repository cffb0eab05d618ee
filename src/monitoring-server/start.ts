import { type HttpAnswer, jsonAnswer } from '../http/answer.ts';
import { addressText, createListener, type Listener } from '../http/listener.ts';
import { createHttpServer, type HttpServer } from '../http/server.ts';
import type { DialectName } from '../protocol/dialect-names.ts';
import { type AdminServer, type ServerControls, startAdminServer } from './admin/admin-server.ts';
import { pageAt } from './admin/pages.ts';
import { createTraffic } from './admin/traffic.ts';
import type { Dialect, PushRequest } from './dialects/dialect.ts';
import { answerDocumented } from './dialects/documented.ts';
import { answerShipped } from './dialects/shipped.ts';
import { createAdmission } from './injection/admission.ts';
import { createFreeze, type Freeze } from './injection/freeze.ts';
import { createFaultInjector, type ServerCondition } from './injection/injector.ts';
import { createObserver } from './observations/observer.ts';
import { DEFAULT_PORTS, type ServerPorts } from './ports.ts';
import { createRegistrations, NotStoredError } from './registrations/registrations.ts';
import { type RequestContext, serveRequest } from './serve-request.ts';
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

const DIALECTS: Readonly<Record<DialectName, Dialect>> = { documented: answerDocumented, shipped: answerShipped };

/**
 * Listens on `settings.host` and `settings.port`.
 * Throws `UserError` if that address, the admin endpoint's or the data file cannot be had.
 */
export async function startMonitoringServer(
  chosen: Partial<MonitoringServerSettings> = {},
  ports: Partial<ServerPorts> = {},
): Promise<MonitoringServer> {
  const settings = { ...DEFAULT_SETTINGS, ...chosen };
  const { listener, faults, controls, stop } = assemble(settings, { ...DEFAULT_PORTS, ...ports });
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
    const url = `http://${addressText({ host: settings.host, port })}`;
    return { ...controls, url, port, adminUrl: admin?.url, stop: stopAll };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

function assemble(settings: MonitoringServerSettings, ports: ServerPorts) {
  const registrations = createRegistrations(settings, ports);
  const traffic = createTraffic();
  const observer = createObserver(settings);
  const freeze = createFreeze();
  const http = createHttpServer<undefined>(settings.timeouts, (exchange) => void serveRequest(exchange, context));
  const { connections } = http;
  const { become, listener, isStopping, shut } = createFront(settings, http, freeze);
  const faults = createFaultInjector(settings.seed, { become, forget: registrations.forget });
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
  const respond = (push: PushRequest): HttpAnswer => {
    const page = push.endpoint === undefined && push.method === 'GET' ? pageAt(push.target, controls) : undefined;
    if (page !== undefined) return page;
    try {
      return DIALECTS[settings.dialect](push, { settings, registrations, verify: observer.verify });
    } catch (error) {
      if (!(error instanceof NotStoredError)) throw error;
      return jsonAnswer(500, { error: 'The server could not store this; its data file cannot be written' });
    }
  };
  const { bodyBytes: bodyLimitBytes } = settings.limits;
  const { report } = ports;
  const context = {
    bodyLimitBytes,
    freeze,
    traffic,
    observer,
    faults,
    respond,
    isStopping,
    report,
  } satisfies RequestContext;
  const stop = async () => {
    faults.stop();
    await shut();
    registrations.close();
  };
  return { listener, faults, controls, stop };
}

type Front = {
  readonly listener: Listener;
  readonly become: (condition: ServerCondition) => void;
  readonly isStopping: () => boolean;
  readonly shut: () => Promise<void>;
};

/** What of the server faces the network, and how it stands there. */
function createFront(settings: MonitoringServerSettings, http: HttpServer<undefined>, freeze: Freeze): Front {
  const admission = createAdmission(http);
  const listener = createListener(settings, admission.offer);
  let stopping = false;
  return {
    listener,
    become: ({ frozen, accepting, connectionLimit, down }) => {
      if (stopping) return;
      freeze.set(frozen);
      admission.setAccepting(accepting);
      admission.setLimit(connectionLimit);
      if (down) {
        listener.down();
        http.connections.resetAll();
      } else {
        listener.up();
      }
    },
    isStopping: () => stopping,
    shut: () => {
      stopping = true;
      listener.down();
      freeze.set(false);
      return http.stop(settings.timeouts.drainMs);
    },
  };
}
