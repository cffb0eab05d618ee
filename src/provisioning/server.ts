import { Agent, request } from 'undici';
import { messageOf, UserError } from '../base/kernel/errors.ts';
import { jsonIn, membersIn, type JsonMembers as Row } from '../base/protocol/exact-json.ts';
import { authorizationHeader } from '../base/protocol/push.ts';
import { type ChangeRequest, configurationPath, type HostMark, hostMarkOf, MARK, servicesPath } from './requests.ts';

export type ServerHost = {
  readonly id: number;
  readonly name: string;
  readonly mark: HostMark | undefined;
  /** What the user of the key may do with it. `hidden`: it exists, but no list has it. */
  readonly access: 'edit' | 'read' | 'hidden';
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
  readonly url: string;
  /** IDs of the containers in which the user of the key may edit hosts. */
  readonly containers: () => Promise<readonly number[]>;
  /** Listed hosts that carry Muster's mark, of one agent or of all, in the order of their IDs. */
  readonly markedHosts: (uuid?: string) => Promise<readonly ServerHost[]>;
  /** The host with this ID, also a hidden one; `undefined` if there is none. */
  readonly host: (id: number) => Promise<ServerHost | undefined>;
  readonly pushAgents: () => Promise<readonly PushAgent[]>;
  /** Services that the server can derive from the agent's data, and that the host does not have yet. */
  readonly offeredServices: (hostId: number) => Promise<readonly object[]>;
  /** @param intent is called when the request is about to be sent. */
  readonly change: (request: ChangeRequest, intent?: () => void) => Promise<Change>;
};

export type ServerAccess = {
  /** Base URL without a trailing slash. */
  readonly url: string;
  readonly apiKey: string;
  readonly tls: { readonly verify: boolean; readonly ca: string | undefined };
  /** Resolves when the next request may start. */
  readonly awaitTurn: () => Promise<void>;
  /** Ends a request in flight that is not answered within five seconds. */
  readonly signal: AbortSignal;
};

/** Limit of a default installation for one request: creating services and deleting a host with hundreds take minutes. */
const REQUEST_TIMEOUT_MS = 300_000;

const STOP_MS = 5000;

const PAGE = 1000;

/** Lists that together have each host once: not yet in monitoring, as new ones are, in it, and disabled. */
const HOST_LISTS = ['/hosts/notMonitored.json', '/hosts/index.json', '/hosts/disabled.json'];

export function createHostServer(access: ServerAccess): HostServer {
  const { url } = access;
  const send = createSender(access);
  const { readIfAny, read, readList } = createReader(url, send);
  const hosts = async (filter: string, most = Number.POSITIVE_INFINITY): Promise<readonly ServerHost[]> => {
    const found = new Map<number, ServerHost>();
    for (const list of HOST_LISTS) {
      if (found.size >= most) break;
      const path = `${list}?angular=true&sort=Hosts.id&direction=asc&${filter}`;
      for (const host of await readList(path, 'all_hosts', listedHost)) found.set(host.id, host);
    }
    return [...found.values()].sort((one, other) => one.id - other.id);
  };
  return {
    url,
    containers: async () => {
      const { containers } = await read('/hosts/loadContainers.json?angular=true');
      return Array.isArray(containers) ? containers.map((container) => Number(membersIn(container).key)) : [];
    },
    markedHosts: async (uuid = '') =>
      (await hosts(`filter%5BHosts.description%5D=${encodeURIComponent(`${MARK}${uuid}`)}`)).filter(({ mark }) =>
        mark?.uuid.startsWith(uuid),
      ),
    host: async (id) => {
      const listed = (await hosts(`filter%5BHosts.id%5D=${id}`, 1)).find((host) => host.id === id);
      if (listed !== undefined) return listed;
      const answer = await readIfAny(configurationPath(id));
      return answer && hostOf(membersIn(answer.host), 'hidden');
    },
    pushAgents: () =>
      readList('/agentconnector/push.json?angular=true&sort=PushAgents.id&direction=asc', 'agents', pushAgentOf),
    offeredServices: async (hostId) => {
      const { services } = await read(servicesPath(hostId));
      // By kind: one service, or a list of them.
      return Object.values(membersIn(services)).flat().map(membersIn);
    },
    change: async ({ path, body }, intent) => {
      try {
        const { status, text } = await send('POST', path, { body, intent });
        assertKey(url, status);
        const answer = parsed(text);
        // The server also says with status 200 that it could not delete a host.
        if (status === 200 && answer?.success === false)
          return { kind: 'refused', status, reason: refusalText(status, answer) };
        if (status === 200 && answer !== undefined) return { kind: 'done', answer };
        const reason = refusalText(status, answer);
        return status >= 400 && status < 500 ? { kind: 'refused', status, reason } : { kind: 'unanswered', reason };
      } catch (error) {
        if (error instanceof UserError) throw error;
        return { kind: 'unanswered', reason: messageOf(error) };
      }
    },
  };
}

type Send = (
  method: 'GET' | 'POST',
  path: string,
  change?: { readonly body: object; readonly intent: (() => void) | undefined },
) => Promise<{ readonly status: number; readonly text: string }>;

function createSender({ url, apiKey, tls, awaitTurn, signal: stop }: ServerAccess): Send {
  const dispatcher = new Agent({
    connect: { rejectUnauthorized: tls.verify, ...(tls.ca !== undefined && { ca: tls.ca }) },
    headersTimeout: REQUEST_TIMEOUT_MS,
    bodyTimeout: REQUEST_TIMEOUT_MS,
  });
  return async (method, path, change) => {
    await awaitTurn();
    change?.intent?.();
    const body = change?.body;
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

function createReader(url: string, send: Send) {
  /** `undefined`: 404. */
  const readIfAny = async (path: string): Promise<Row | undefined> => {
    const { status, text } = await send('GET', path).catch((error: unknown) => {
      throw new UserError(`Nothing answers at ${url}: ${messageOf(error)}; check the URL and that the server is up.`);
    });
    if (status === 404) return undefined;
    assertKey(url, status);
    if (status === 403)
      throw new UserError(
        `The user of the API key may not read ${pathText(path)} at ${url}: expected a role with the permissions for hosts and agents.`,
      );
    const answer = status === 200 ? parsed(text) : undefined;
    if (answer === undefined) throw new UserError(unexpectedAnswer(url, path, status));
    return answer;
  };
  const read = async (path: string): Promise<Row> => {
    const answer = await readIfAny(path);
    if (answer === undefined) throw new UserError(unexpectedAnswer(url, path, 404));
    return answer;
  };
  /** Up to a page without anything new, whatever number of rows a page has. */
  const readList = async <T extends { readonly id: number }>(path: string, member: string, parse: (row: Row) => T) => {
    const found = new Map<number, T>();
    for (let page = 1; ; page++) {
      const rows = (await read(`${path}&limit=${PAGE}&page=${page}`))[member];
      if (!Array.isArray(rows)) throw new UserError(unexpectedAnswer(url, path, 200));
      const before = found.size;
      for (const entry of rows.map((row) => parse(membersIn(row)))) found.set(entry.id, entry);
      if (found.size === before) return [...found.values()];
    }
  };
  return { readIfAny, read, readList };
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

function listedHost({ Host }: Row): ServerHost {
  const row = membersIn(Host);
  return hostOf(row, row.allow_edit === false ? 'read' : 'edit');
}

function hostOf({ id, name, description }: Row, access: ServerHost['access']): ServerHost {
  return { id: Number(id), name: String(name), mark: hostMarkOf(description as string | null), access };
}

function pushAgentOf({ id, uuid, hostname, ipaddress, Hosts }: Row): PushAgent {
  const hostId = membersIn(Hosts).id ?? undefined;
  return {
    id: Number(id),
    uuid: String(uuid).toLowerCase(),
    hostName: String(hostname ?? ''),
    address: String(ipaddress ?? ''),
    hostId: hostId === undefined ? undefined : Number(hostId),
  };
}

function assertKey(url: string, status: number): void {
  if (status === 401)
    throw new UserError(`The server at ${url} refuses the API key: set --api-key, MUSTER_API_KEY or target.apiKey.`);
}

function unexpectedAnswer(url: string, path: string, status: number): string {
  return `${url} answers ${pathText(path)} with status ${status}: expected a monitoring server that manages hosts; muster serve does with --dialect shipped.`;
}

function pathText(path: string): string {
  return path.replace(/\?.*/s, '');
}

function parsed(text: string): Row | undefined {
  const answer = jsonIn(text);
  return answer === membersIn(answer) ? membersIn(answer) : undefined;
}

const MAX_REASON_CHARACTERS = 300;

function refusalText(status: number, answer: Row | undefined): string {
  const { error, message, usedBy } = answer ?? {};
  const detail = [error, message, usedBy].filter((part) => part !== undefined && part !== null);
  const rights = status === 403 ? ['the user of the API key has no write access'] : [];
  const text = [...rights, ...detail].map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' ');
  return `status ${status}${text === '' ? '' : `: ${text.slice(0, MAX_REASON_CHARACTERS)}`}`;
}
