import type { HttpAnswer } from '../../wire/http/answer.ts';
import { isJsonType } from '../json/envelope.ts';
import type { Registrations } from '../registrations.ts';
import type { HostCalls, PushRequest } from './dialect.ts';
import { controllerAnswer, frameworkError } from './framework-answers.ts';

type Fields = Readonly<Record<string, unknown>>;

type Host = {
  readonly id: number;
  readonly name: string;
  readonly address: string;
  readonly description: string;
  readonly services: Set<string>;
  configId: number | undefined;
  /** The uuid of the assigned agent. */
  agent: string | undefined;
};

/** What the calls have created. Kept in memory only; assignments also take effect in the registrations. */
type Directory = {
  readonly registrations: Registrations;
  readonly mostHosts: number;
  readonly hosts: Map<number, Host>;
  /** By the uuid of the assigned agent. */
  readonly hostOf: Map<string, Host>;
  /** Names of the checks in an agent's last data, by uuid. */
  readonly checksOf: Map<string, readonly string[]>;
  /** Both directions of the IDs of registrations, which get one when they are first listed. */
  readonly agentIds: Map<string, number>;
  readonly uuids: Map<number, string>;
  readonly nextId: () => number;
};

type Call = {
  readonly request: PushRequest;
  readonly query: URLSearchParams;
  readonly fields: Fields;
  /** The ID in the path, or NaN. */
  readonly id: number;
};

type Handler = (directory: Directory, call: Call) => HttpAnswer;

const HANDLERS: readonly (readonly [RegExp, Readonly<Record<string, Handler>>])[] = [
  [/^\/hosts\/add\.json$/, { POST: addHost }],
  [/^\/hosts\/delete\/(\d+)\.json$/, { POST: deleteHost }],
  // Nothing is exported to a monitoring engine, so no host is in monitoring.
  [/^\/hosts\/notMonitored\.json$/, { GET: listHosts }],
  [/^\/hosts\/(?:index|disabled)\.json$/, { GET: () => controllerAnswer(200, { all_hosts: [] }) }],
  [/^\/agentconnector\/push\.json$/, { GET: listAgents }],
  [/^\/agentconnector\/config\.json$/, { POST: configure }],
  [/^\/agentconnector\/select_agent\.json$/, { POST: assign }],
  [/^\/agentconnector\/create_services\.json$/, { GET: offerServices, POST: createServices }],
  [/^\/agentconnector\/delete_push_agent\/(\d+)\.json$/, { POST: deleteAgent }],
];

export function createHostCalls(registrations: Registrations, mostHosts: number): HostCalls {
  let lastId = 0;
  const directory: Directory = {
    ...{ registrations, mostHosts, nextId: () => ++lastId },
    ...{ hosts: new Map(), hostOf: new Map(), checksOf: new Map(), agentIds: new Map(), uuids: new Map() },
  };
  return {
    saw: (uuid, checks) => void directory.checksOf.set(uuid, checks),
    answer: (request) => {
      const [path = '', queryText = ''] = request.target.split(/\?(.*)/s);
      for (const [pattern, methods] of HANDLERS) {
        const match = pattern.exec(path);
        if (match === null) continue;
        const query = new URLSearchParams(queryText);
        const handler = methods[request.method];
        if (handler === undefined) return frameworkError(405, 'Method Not Allowed', request);
        return handler(directory, { request, query, fields: fieldsOf(request), id: Number(match[1]) });
      }
      return undefined;
    },
  };
}

function addHost({ hosts, mostHosts, nextId }: Directory, { fields, request }: Call): HttpAnswer {
  const host = recordOf(fields.Host);
  const missing = ['container_id', 'hosttemplate_id'].filter((name) => !host[name]);
  if (missing.length > 0) return controllerAnswer(400, { error: emptyFields(missing, 'empty') });
  const [name, address, description] = [textOf(host.name), textOf(host.address), textOf(host.description)];
  const blank = Object.entries({ name, address }).flatMap(([column, text]) => (text === '' ? [column] : []));
  if (blank.length > 0) return controllerAnswer(400, { error: emptyFields(blank, '_empty') });
  if (hosts.size >= mostHosts) return frameworkError(503, 'The server has no room for more hosts', request);
  const id = nextId();
  hosts.set(id, { id, name, address, description, configId: undefined, agent: undefined, services: new Set() });
  return controllerAnswer(200, { id });
}

function deleteHost(directory: Directory, { id, request }: Call): HttpAnswer {
  const host = directory.hosts.get(id);
  if (host === undefined) return frameworkError(404, 'Invalid host', request);
  release(host, directory);
  directory.hosts.delete(id);
  return controllerAnswer(200, { success: true });
}

/** Takes the agent from a host. */
function release(host: Host, { hostOf, registrations }: Directory): void {
  if (host.agent === undefined) return;
  hostOf.delete(host.agent);
  registrations.releaseHost(host.agent);
  host.agent = undefined;
}

function listHosts({ hosts }: Directory, { query }: Call): HttpAnswer {
  const description = query.get('filter[Hosts.description]') ?? '';
  const chosen = [...hosts.values()].filter((host) => host.description.includes(description));
  return controllerAnswer(200, { all_hosts: pageOf(chosen, query).map(hostRow) });
}

function hostRow({ id, name, address, description }: Host): object {
  return { Host: { id, name, hostname: name, address, description }, Hoststatus: { isInMonitoring: false } };
}

function listAgents({ registrations, hostOf, agentIds, uuids, nextId }: Directory, { query }: Call): HttpAnswer {
  const rows = pageOf([...registrations.all()], query).map(({ uuid, hostname, ipaddress }) => {
    const id = agentIds.get(uuid) ?? nextId();
    agentIds.set(uuid, id);
    uuids.set(id, uuid);
    const host = hostOf.get(uuid);
    return { id, uuid, hostname, ipaddress, Hosts: { name: host?.name ?? null, id: host?.id ?? null } };
  });
  return controllerAnswer(200, { agents: rows });
}

function configure({ hosts, nextId }: Directory, { fields, request }: Call): HttpAnswer {
  const host = hosts.get(Number(textOf(fields.hostId)));
  if (host === undefined) return frameworkError(404, 'Not Found', request);
  const config = recordOf(fields.config);
  const [string, bool] = [recordOf(config.string), recordOf(config.bool)];
  const required = bool.enable_push_mode ? ['push_oitc_server_url', 'push_oitc_api_key'] : [];
  const blank = ['bind_address', ...required].filter((name) => !string[name]);
  if (blank.length > 0) return controllerAnswer(400, { error: emptyFields(blank, '_empty') });
  host.configId ??= nextId();
  return controllerAnswer(200, { id: host.configId });
}

function assign(directory: Directory, { fields, request }: Call): HttpAnswer {
  const { hosts, hostOf, uuids, registrations } = directory;
  const chosen = recordOf(fields.pushagent);
  const host = hosts.get(Number(textOf(chosen.host_id)));
  const uuid = uuids.get(Number(textOf(chosen.id))) ?? '';
  if (host?.configId === undefined || registrations.find(uuid) === undefined)
    return frameworkError(404, 'Not Found', request);
  if (host.agent !== uuid) release(host, directory);
  const before = hostOf.get(uuid);
  if (before !== undefined) before.agent = undefined;
  host.agent = uuid;
  hostOf.set(uuid, host);
  registrations.assignHosts([uuid]);
  return controllerAnswer(200, { success: true });
}

/** One service per check in the agent's data; the released server finds many more. */
function offerServices({ hosts, checksOf }: Directory, { query, request }: Call): HttpAnswer {
  const host = hosts.get(Number(query.get('hostId')));
  if (host?.configId === undefined) return frameworkError(404, 'Not Found', request);
  const offered = (checksOf.get(host.agent ?? '') ?? []).filter((check) => !host.services.has(check));
  const service = { host_id: host.id, servicetemplate_id: 1, servicecommandargumentvalues: [] };
  return controllerAnswer(200, { services: Object.fromEntries(offered.map((name) => [name, { ...service, name }])) });
}

function createServices({ hosts, checksOf }: Directory, { query, fields, request }: Call): HttpAnswer {
  const host = hosts.get(Number(query.get('hostId')));
  if (host?.configId === undefined) return frameworkError(404, 'Not Found', request);
  const names = Object.values(recordOf(fields.services)).map((service) => textOf(recordOf(service).name));
  const known = (checksOf.get(host.agent ?? '') ?? []).filter((check) => names.includes(check));
  const created = known.map((name) => host.services.add(name).size);
  return controllerAnswer(200, { success: true, services: { _ids: created } });
}

function deleteAgent({ hostOf, uuids, registrations, ...directory }: Directory, { id, request }: Call): HttpAnswer {
  const uuid = uuids.get(id);
  if (uuid === undefined || registrations.forget((known) => known === uuid) === 0)
    return frameworkError(404, 'Push Agent config not found', request);
  // The released server deletes the configuration, too, and keeps the host.
  const host = hostOf.get(uuid);
  if (host !== undefined) Object.assign(host, { configId: undefined, agent: undefined });
  for (const known of [hostOf, directory.agentIds, directory.checksOf]) known.delete(uuid);
  uuids.delete(id);
  return controllerAnswer(200, { success: true });
}

/** The members of a JSON body; none for any other body. */
function fieldsOf({ body, headers }: PushRequest): Fields {
  if (body.length === 0 || !isJsonType(headers['content-type'])) return {};
  try {
    return recordOf(JSON.parse(body.toString()));
  } catch {
    return {};
  }
}

function recordOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** In characters; several times the size of the column of a name. */
const LONGEST_TEXT = 4096;

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, LONGEST_TEXT) : '';
}

function emptyFields(names: readonly string[], rule: string): object {
  return Object.fromEntries(names.map((name) => [name, { [rule]: 'This field cannot be left empty' }]));
}

const PAGE = 25;

function pageOf<T>(rows: readonly T[], query: URLSearchParams): readonly T[] {
  const limit = Number(query.get('limit')) || PAGE;
  const page = Number(query.get('page')) || 1;
  return rows.slice((page - 1) * limit, page * limit);
}
