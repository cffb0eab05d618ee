import { Agent, request } from 'undici';
import { messageOf, UserError } from '../ground/kernel/errors.ts';
import { authorizationHeader } from '../ground/protocol/push.ts';
import { type ChangeRequest, MARK, markedUuid, servicesPath } from './requests.ts';

/** A host of the monitoring server. */
export type ServerHost = {
  readonly id: number;
  readonly name: string;
  /** The uuid in Muster's mark; `undefined` if the host has none. */
  readonly uuid: string | undefined;
};

/** A registered agent, and the host to which it is assigned. */
export type PushAgent = {
  readonly id: number;
  readonly uuid: string;
  readonly hostName: string;
  readonly address: string;
  readonly hostId: number | undefined;
};

/** `unanswered`: the server may or may not have done it. */
export type Change =
  | { readonly kind: 'done'; readonly answer: Row }
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }
  | { readonly kind: 'unanswered'; readonly reason: string };

/** The part of the monitoring server's API that manages hosts. All methods throw `UserError` if the server refuses the key or answers nothing usable. */
export type HostServer = {
  /** Hosts that carry Muster's mark, of one agent or of all, in the order of their IDs. */
  readonly markedHosts: (uuid?: string) => Promise<readonly ServerHost[]>;
  readonly allHosts: () => Promise<readonly ServerHost[]>;
  readonly pushAgents: () => Promise<readonly PushAgent[]>;
  /** Services that the server can derive from the agent's data, and that the host does not have yet. */
  readonly offeredServices: (hostId: number) => Promise<readonly object[]>;
  readonly change: (request: ChangeRequest) => Promise<Change>;
};

export type ServerAccess = {
  /** Base URL without a trailing slash. */
  readonly url: string;
  readonly apiKey: string;
  readonly tls: { readonly verify: boolean; readonly ca: string | undefined };
  /** Resolves when the next request may start. */
  readonly turn: () => Promise<void>;
  /** Ends a request in flight that is not answered within five seconds. */
  readonly signal: AbortSignal;
};

/** Longest time of one request: the server creates some hundred services in one. */
const REQUEST_TIMEOUT_MS = 60_000;

const STOP_MS = 5000;

const PAGE = 1000;

/** Lists that together have each host once: in monitoring, not yet in it, and disabled. */
const HOST_LISTS = ['/hosts/index.json', '/hosts/notMonitored.json', '/hosts/disabled.json'];

type Row = Readonly<Record<string, unknown>>;

export function createHostServer(access: ServerAccess): HostServer {
  const { url } = access;
  const send = createSender(access);
  const { read, readList } = createReader(url, send);
  const hosts = async (filter: string): Promise<readonly ServerHost[]> => {
    const found = new Map<number, ServerHost>();
    for (const list of HOST_LISTS) {
      for (const row of await readList(`${list}?angular=true&sort=Hosts.id&direction=asc&${filter}`, 'all_hosts')) {
        const host = hostOf(row);
        found.set(host.id, host);
      }
    }
    return [...found.values()].sort((one, other) => one.id - other.id);
  };
  return {
    markedHosts: async (uuid = '') =>
      (await hosts(`filter%5BHosts.description%5D=${encodeURIComponent(`${MARK}${uuid}`)}`)).filter(
        (host) => host.uuid !== undefined,
      ),
    allHosts: () => hosts(''),
    pushAgents: async () =>
      (await readList('/agentconnector/push.json?angular=true&sort=PushAgents.id&direction=asc', 'agents')).map(
        pushAgentOf,
      ),
    offeredServices: async (hostId) => {
      const { services } = await read(servicesPath(hostId));
      // By kind: one service, or a list of them.
      return Object.values((services ?? {}) as Readonly<Record<string, object | readonly object[]>>).flat();
    },
    change: async ({ path, body }) => {
      try {
        const { status, text } = await send('POST', path, body);
        assertAllowed(url, status);
        const answer = parsed(text);
        if (status === 200 && answer !== undefined) return { kind: 'done', answer };
        const reason = refusalText(status, answer);
        return status >= 400 && status < 500 ? { kind: 'refused', status, reason } : { kind: 'unanswered', reason };
      } catch (error) {
        if (error instanceof UserError) throw error;
        return { kind: 'unanswered', reason: reasonOf(error as NodeJS.ErrnoException) };
      }
    },
  };
}

type Send = (
  method: 'GET' | 'POST',
  path: string,
  body?: object,
) => Promise<{ readonly status: number; readonly text: string }>;

function createSender({ url, apiKey, tls, turn, signal: stop }: ServerAccess): Send {
  const dispatcher = new Agent({
    connect: { rejectUnauthorized: tls.verify, ...(tls.ca !== undefined && { ca: tls.ca }) },
    headersTimeout: REQUEST_TIMEOUT_MS,
    bodyTimeout: REQUEST_TIMEOUT_MS,
  });
  return async (method, path, body) => {
    await turn();
    const headers = {
      authorization: authorizationHeader(apiKey),
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const message = { method, headers, dispatcher, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return withinStop(stop, async (signal) => {
      const answer = await request(`${url}${path}`, { ...message, signal });
      return { status: answer.statusCode, text: await answer.body.text() };
    });
  };
}

/** Reads JSON, and all pages of a list. */
function createReader(url: string, send: Send) {
  const read = async (path: string): Promise<Row> => {
    const { status, text } = await send('GET', path).catch((error: NodeJS.ErrnoException) => {
      throw new UserError(`Nothing answers at ${url}: ${reasonOf(error)}; check the URL and that the server is up.`);
    });
    assertAllowed(url, status);
    const answer = status === 200 ? parsed(text) : undefined;
    if (answer === undefined) throw new UserError(strangeAnswer(url, path, status));
    return answer;
  };
  const readList = async (path: string, member: string): Promise<readonly Row[]> => {
    const rows: Row[] = [];
    for (let page = 1; ; page++) {
      const found = (await read(`${path}&limit=${PAGE}&page=${page}`))[member];
      if (!Array.isArray(found)) throw new UserError(strangeAnswer(url, path, 200));
      rows.push(...found);
      if (found.length < PAGE) return rows;
    }
  };
  return { read, readList };
}

/** Aborts the request five seconds after the stop, or after its start if that is later. */
async function withinStop<T>(stop: AbortSignal, request: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    timer = setTimeout(() => late.abort(new Error(`no answer within ${STOP_MS / 1000} s after the stop`)), STOP_MS);
  };
  stop.addEventListener('abort', wait, { once: true });
  if (stop.aborted) wait();
  try {
    return await request(late.signal);
  } finally {
    stop.removeEventListener('abort', wait);
    clearTimeout(timer);
  }
}

/** The error of a host with several addresses has no message. */
function reasonOf(error: NodeJS.ErrnoException): string {
  return messageOf(error) || error.code || 'the connection failed';
}

function hostOf(row: Row): ServerHost {
  const { id, name, description } = row.Host as {
    readonly id: number;
    readonly name: string;
    readonly description: string | null;
  };
  return { id: Number(id), name, uuid: markedUuid(description) };
}

function pushAgentOf(row: Row): PushAgent {
  const { id, uuid, hostname, ipaddress, Hosts } = row as {
    readonly id: number;
    readonly uuid: string;
    readonly hostname: string | null;
    readonly ipaddress: string | null;
    readonly Hosts: { readonly id: number | null } | null;
  };
  return {
    ...{ id: Number(id), uuid: uuid.toLowerCase(), hostName: hostname ?? '', address: ipaddress ?? '' },
    hostId: Hosts?.id == null ? undefined : Number(Hosts.id),
  };
}

function assertAllowed(url: string, status: number): void {
  if (status === 401)
    throw new UserError(`The server at ${url} refuses the API key: set --api-key, MUSTER_API_KEY or target.apiKey.`);
  if (status === 403)
    throw new UserError(
      `The user of the API key has no permission at ${url}: expected write access to hosts and agents in the container of the hosts.`,
    );
}

function strangeAnswer(url: string, path: string, status: number): string {
  return `${url} answers ${path.replace(/\?.*/s, '')} with status ${status}: expected a monitoring server that manages hosts; muster serve does with --dialect shipped.`;
}

function parsed(text: string): Row | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null ? (answer as Row) : undefined;
  } catch {
    return undefined;
  }
}

const LONGEST_REASON = 300;

function refusalText(status: number, answer: Row | undefined): string {
  const { error, message, usedBy } = answer ?? {};
  const detail = [error, message, usedBy].filter((part) => part !== undefined && part !== null);
  const text = detail.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' ');
  return `status ${status}${text === '' ? '' : `: ${text.slice(0, LONGEST_REASON)}`}`;
}
