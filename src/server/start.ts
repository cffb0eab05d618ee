import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { SecureContext } from 'node:tls';
import { addressText } from '../base/kernel/address.ts';
import type { DialectName } from '../base/protocol/push.ts';
import type { Family } from '../outputs/exposition/families.ts';
import { type HttpAnswer, jsonAnswer } from '../wire/http/answer.ts';
import { createBodyReader } from '../wire/http/body.ts';
import { createListener } from '../wire/http/listener.ts';
import { createHttpServer, type HttpConnection, type HttpServer } from '../wire/http/server.ts';
import { secureContextOf, secured, selfSigned, type TlsCredentials } from '../wire/http/tls.ts';
import type { AdminServer, ServerControls } from './admin/admin-server.ts';
import { pageAt } from './admin/pages.ts';
import type { Dialect, PushRequest } from './dialects/dialect.ts';
import { answerDocumented } from './dialects/documented.ts';
import { createHostCalls } from './dialects/host-calls.ts';
import { answerShipped } from './dialects/shipped.ts';
import { createFaultInjector, createFreeze, type ServerCondition } from './injection/injector.ts';
import { type Envelope, textOf } from './json/envelope.ts';
import { createObserver, type Observer } from './observations/observer.ts';
import type { ShapeFaults } from './observations/shape-deviations.ts';
import {
  createRegistrations,
  NotStoredError,
  openRegistrationFile,
  type Registration,
  type RegistrationPorts,
  type Registrations,
} from './registrations.ts';
import { noTraffic, type RequestContext, serveRequest } from './serve-request.ts';
import { DEFAULT_SETTINGS, type MonitoringServerSettings } from './settings.ts';

export type MonitoringServer = ServerControls & {
  /** Base URL without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** The certificate in PEM, for clients that should trust it; `undefined`: plain HTTP. */
  readonly certificate: string | undefined;
  /** `undefined`: no admin endpoint. */
  readonly adminUrl: string | undefined;
  readonly setHostClock: Observer['setHostClock'];
  /** Stops accepting, answers requests in flight, and closes all connections. Idempotent. */
  readonly stop: () => Promise<void>;
};

export type ServerPorts = RegistrationPorts & {
  /** Additional pages of the admin endpoint, by path; each function returns the current content as plain data. */
  readonly pages: Readonly<Record<string, () => object>>;
  readonly families: () => readonly Family[];
};

const DEFAULT_PORTS: ServerPorts = {
  report: (line) => void process.stderr.write(`${line}\n`),
  openFile: openRegistrationFile,
  pages: {},
  families: () => [],
};

const DIALECTS: Readonly<Record<DialectName, Dialect>> = { documented: answerDocumented, shipped: answerShipped };

/**
 * Listens on `settings.host` and `settings.port`.
 * @throws UserError if that address, the admin endpoint's, the data file or the certificate is not usable.
 */
export async function startMonitoringServer(
  chosen: Partial<MonitoringServerSettings> = {},
  ports: Partial<ServerPorts> = {},
): Promise<MonitoringServer> {
  const settings = { ...DEFAULT_SETTINGS, ...chosen };
  const credentials = await credentialsOf(settings);
  const secureContext = credentials && secureContextOf(credentials);
  // Loaded only if needed, like the admin endpoint: schemas take a third of the time that a server's thread needs to start.
  const { createShapeFaults } = settings.verify ? await import('./observations/shape-deviations.ts') : {};
  const shapeFaults = createShapeFaults?.();
  const allPorts = { ...DEFAULT_PORTS, ...ports };
  const { listener, faults, controls, setHostClock, stop } = assemble(
    settings,
    { secureContext, shapeFaults },
    allPorts,
  );
  let admin: AdminServer | undefined;
  let stopped: Promise<void> | undefined;
  const stopAll = () => {
    admin?.stop();
    stopped ??= stop();
    return stopped;
  };
  try {
    if (settings.admin !== undefined) {
      const { startAdminServer } = await import('./admin/admin-server.ts');
      admin = await startAdminServer(settings.admin, controls, allPorts.pages);
    }
    const port = await listener.open();
    faults.set(settings.faults);
    const url = `${credentials === undefined ? 'http' : 'https'}://${addressText({ host: settings.host, port })}`;
    const certificate = credentials?.certificate;
    return { ...controls, url, port, certificate, adminUrl: admin?.url, setHostClock, stop: stopAll };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function credentialsOf({ tls, host }: MonitoringServerSettings): Promise<TlsCredentials | undefined> {
  if (tls?.kind !== 'self_signed') return tls;
  return selfSigned([...new Set(['localhost', '127.0.0.1', '::1', host])]);
}

type Loaded = { readonly secureContext: SecureContext | undefined; readonly shapeFaults: ShapeFaults | undefined };

function assemble(settings: MonitoringServerSettings, { secureContext, shapeFaults }: Loaded, ports: ServerPorts) {
  const registrations = createRegistrations(settings, ports);
  const traffic = noTraffic();
  const observer = createObserver(settings, shapeFaults);
  const http = createHttpServer<undefined>(settings.timeouts, (exchange) => void serveRequest(exchange, context));
  const { connections } = http;
  const { become, freeze, listener, isStopping, shut } = createFront({ settings, secureContext, http });
  const faults = createFaultInjector(settings.seed, { become, forget: registrations.forget });
  const controls: ServerControls = {
    counts: () => ({
      registrations: registrations.size(),
      openConnections: connections.open(),
      requestsInFlight: connections.requestsInFlight(),
      ...structuredClone(traffic),
    }),
    observations: observer.observations,
    families: ports.families,
    arrivals: observer.arrivals,
    faults: faults.current,
    setFaults: faults.set,
    assignHosts: registrations.assignHosts,
  };
  const hosts = createHostCalls(registrations, settings);
  const submitter = (push: PushRequest, { agentuuid, password }: Envelope): Registration | undefined => {
    const agent = registrations.match(textOf(agentuuid), textOf(password));
    if (agent !== undefined) shapeFaults?.add(push);
    return agent;
  };
  const dialectContext = { settings, registrations, hosts, submitter };
  const respond = (push: PushRequest, admits: boolean): HttpAnswer => {
    try {
      return DIALECTS[settings.dialect](
        push,
        admits ? dialectContext : { ...dialectContext, registrations: closed(registrations) },
      );
    } catch (error) {
      if (!(error instanceof NotStoredError)) throw error;
      return jsonAnswer(500, { error: 'The server could not store this; its data file cannot be written' });
    }
  };
  const { limits } = settings;
  const bodies = createBodyReader(limits);
  const { report } = ports;
  const context = {
    limits,
    bodies,
    freeze,
    traffic,
    observer,
    faults,
    respond,
    isStopping,
    report,
    pageFor: ({ endpoint, method, target, headers }: PushRequest) =>
      endpoint === undefined && method === 'GET' ? pageAt(target, headers.accept, controls) : undefined,
  } satisfies RequestContext;
  const stop = async () => {
    faults.stop();
    await shut();
    registrations.close();
  };
  return { listener, faults, controls, setHostClock: observer.setHostClock, stop };
}

/** Registers no agents: an agent that asks gets an empty password and must ask again. */
function closed(registrations: Registrations): Registrations {
  return { ...registrations, add: (agent) => ({ ...agent, password: '', hostSinceMs: Number.POSITIVE_INFINITY }) };
}

type FrontParts = {
  readonly settings: MonitoringServerSettings;
  readonly secureContext: SecureContext | undefined;
  readonly http: HttpServer<undefined>;
};

function createFront({ settings, secureContext, http }: FrontParts) {
  const admission = createAdmission(http, secureContext);
  const freeze = createFreeze();
  const listener = createListener(settings, admission.accept);
  let stopping = false;
  return {
    listener,
    freeze,
    become: ({ frozen, accepting, connectionLimit, down }: ServerCondition) => {
      if (stopping) return;
      freeze.set(frozen);
      http.suspendTimeouts(frozen);
      admission.setAccepting(accepting);
      admission.setLimit(connectionLimit);
      if (down) {
        listener.down();
        http.connections.resetAll();
      } else {
        listener.up();
      }
    },
    isStopping: (): boolean => stopping,
    /** Answers the requests received so far, closes all connections, and stops listening. */
    shut: async (): Promise<void> => {
      stopping = true;
      freeze.set(false);
      // Unread data may be in two places: connections in the listener's queue, then requests in the sockets.
      await turnOfTheLoop();
      listener.down();
      await turnOfTheLoop();
      await http.stop(settings.timeouts.drainMs);
    },
  };
}

/** Resolves when every readable socket has been read: the loop polls them all between two immediates. */
async function turnOfTheLoop(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Decides which new connections reach the server. */
function createAdmission(http: HttpServer<undefined>, secureContext: SecureContext | undefined) {
  const { connections } = http;
  const serve = (connection: HttpConnection<undefined>) => {
    const { socket } = connection;
    http.serve(connection, secureContext === undefined ? socket : secured(socket, secureContext));
  };
  let limit = Number.POSITIVE_INFINITY;
  let accepting = true;
  let held: HttpConnection<undefined>[] = [];
  return {
    accept: (socket: Socket) => {
      if (connections.open() >= limit) {
        socket.resetAndDestroy();
        return;
      }
      const connection = connections.add(socket, undefined);
      if (accepting) {
        serve(connection);
        return;
      }
      // Errors of a connection before its first request do not matter.
      socket.on('error', () => {});
      held.push(connection);
    },
    /** New connections above this number are reset. */
    setLimit: (value: number) => {
      limit = value;
    },
    /** While false, new connections are held: established, but not read. */
    setAccepting: (value: boolean) => {
      accepting = value;
      if (!accepting) return;
      const released = held.filter(({ socket }) => !socket.destroyed);
      held = [];
      for (const connection of released) serve(connection);
    },
  };
}
