import { isIP } from 'node:net';
import { jsonIn, membersIn } from '../../base/protocol/exact-json.ts';
import type { HttpAnswer } from '../../wire/http/answer.ts';
import { isJsonType } from '../json/envelope.ts';
import { collated, isLonger, type Registrations } from '../registrations.ts';
import type { ContainerRight, MonitoringServerSettings } from '../settings.ts';
import type { HostCalls, PushRequest } from './dialect.ts';
import { controllerAnswer, frameworkError } from './framework-answers.ts';

type Fields = Readonly<Record<string, unknown>>;

type Host = {
  readonly id: number;
  readonly name: string;
  readonly address: string;
  readonly description: string;
  readonly containerId: number;
  /** Names; the server creates a service as often as it is asked to. */
  readonly services: string[];
  configId: number | undefined;
  /** The uuid of the assigned agent. */
  agent: string | undefined;
};

/** What the calls have created. Kept in memory only; assignments also take effect in the registrations. */
type Directory = {
  readonly settings: MonitoringServerSettings;
  readonly registrations: Registrations;
  readonly hosts: Map<number, Host>;
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
  [/^\/hosts\/add\.json$/, { POST: addHost, GET: () => controllerAnswer(200, {}) }],
  [/^\/hosts\/delete\/(\d+)\.json$/, { POST: deleteHost }],
  // Nothing is exported to a monitoring engine, so no host is in monitoring.
  [
    /^\/hosts\/notMonitored\.json$/,
    { GET: (directory, call) => listHosts([...directory.hosts.values()], directory, call) },
  ],
  [/^\/hosts\/(?:index|disabled)\.json$/, { GET: (directory, call) => listHosts([], directory, call) }],
  [/^\/hosts\/loadContainers\.json$/, { GET: fromPage(listContainers) }],
  [/^\/agentconnector\/push\.json$/, { GET: fromPage(listAgents) }],
  [/^\/agentconnector\/config\.json$/, { GET: showConfig, POST: configure }],
  [/^\/agentconnector\/select_agent\.json$/, { POST: assign }],
  [/^\/agentconnector\/create_services\.json$/, { GET: fromPage(offerServices), POST: fromPage(createServices) }],
  [/^\/agentconnector\/delete_push_agent\/(\d+)\.json$/, { POST: deleteAgent }],
];

/** A call that only the pages of the web interface send, which mark it with this parameter. */
function fromPage(handler: Handler): Handler {
  return (directory, call) =>
    call.query.has('angular') ? handler(directory, call) : frameworkError(405, 'Method Not Allowed', call.request);
}

export function createHostCalls(registrations: Registrations, settings: MonitoringServerSettings): HostCalls {
  let lastId = 0;
  const directory: Directory = {
    registrations,
    settings,
    nextId: () => ++lastId,
    hosts: new Map(),
    hostOf: new Map(),
    checksOf: new Map(),
    agentIds: new Map(),
    uuids: new Map(),
  };
  return {
    rememberChecks: (uuid, checks) => void directory.checksOf.set(uuid, checks),
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

/** Containers and host templates have the IDs from 1. */
const LAST_ID = 99;
const ALL_IDS = Array.from({ length: LAST_ID }, (_, index) => index + 1);

function rightIn(containerId: number, { settings: { restricted } }: Directory): ContainerRight | 'write' {
  if (containerId > LAST_ID) return 'none';
  return restricted.find(({ id }) => id === containerId)?.right ?? 'write';
}

/** An administrator may also change what belongs to a container that does not exist. */
function mayChange({ containerId }: Host, directory: Directory): boolean {
  return directory.settings.restricted.length === 0 || rightIn(containerId, directory) === 'write';
}

function forbidden({ query, request }: Call): HttpAnswer {
  return query.has('angular')
    ? controllerAnswer(403, { status: 403, statusText: 'Forbidden' })
    : frameworkError(403, '403 Forbidden', request);
}

/** In characters. */
const MAX_COLUMN_CHARACTERS = 255;

function addHost({ hosts, settings, nextId }: Directory, { fields, request }: Call): HttpAnswer {
  const host = membersIn(fields.Host);
  const missing = ['container_id', 'hosttemplate_id'].filter((name) => !host[name]);
  if (missing.length > 0) return controllerAnswer(400, { error: emptyFields(missing, 'empty') });
  if (!ALL_IDS.includes(Number(textOf(host.hosttemplate_id))))
    return frameworkError(404, 'Invalid host template', request);
  const [name, address, tags] = [textOf(host.name), textOf(host.address), textOf(host.tags)];
  const blank = Object.entries({ name, address }).flatMap(([column, text]) => (text === '' ? [column] : []));
  const long = Object.entries({ name, address, tags }).filter(([, text]) => isLonger(text, MAX_COLUMN_CHARACTERS));
  const maxLength = `The provided value must be at most \`${MAX_COLUMN_CHARACTERS}\` characters long`;
  // It need not exist.
  const containerId = Number(textOf(host.container_id));
  const isContainer = Number.isInteger(containerId) && containerId > 0;
  const error = {
    ...(!isContainer && { container_id: { integer: 'The provided value must be an integer' } }),
    ...emptyFields(blank, '_empty'),
    ...Object.fromEntries(long.map(([column]) => [column, { maxLength }])),
  };
  if (Object.keys(error).length > 0) return controllerAnswer(400, { error });
  if (hosts.size >= settings.limits.agents)
    return frameworkError(503, 'The server has no room for more hosts', request);
  const id = nextId();
  // The description is cut in silence.
  const description = [...textOf(host.description)].slice(0, MAX_COLUMN_CHARACTERS).join('');
  hosts.set(id, {
    id,
    name,
    address,
    description,
    containerId,
    configId: undefined,
    agent: undefined,
    services: [],
  });
  return controllerAnswer(200, { id });
}

function deleteHost(directory: Directory, call: Call): HttpAnswer {
  const host = directory.hosts.get(call.id);
  if (host === undefined) return frameworkError(404, 'Invalid host', call.request);
  if (!mayChange(host, directory)) return forbidden(call);
  release(host, directory);
  directory.hosts.delete(call.id);
  return controllerAnswer(200, { success: true });
}

function release(host: Host, { hostOf, registrations }: Directory): void {
  if (host.agent === undefined) return;
  hostOf.delete(host.agent);
  registrations.releaseHost(host.agent);
  host.agent = undefined;
}

/** A page after the last is empty, and no limit is too large. What the database cannot compare or sort by is an internal error. */
function listHosts(hosts: readonly Host[], directory: Directory, { query, request }: Call): HttpAnswer {
  const [id, text] = [query.get('filter[Hosts.id]'), query.get('filter[Hosts.description]') ?? ''];
  const sort = query.get('sort') || 'Hosts.id';
  const column = SORTED_BY.find((name) => sort === `Hosts.${name}`);
  const isNumber = (text: string | null) => !text || /^\d+$/.test(text);
  if (column === undefined || !isNumber(id) || !isNumber(query.get('page')))
    return frameworkError(500, 'An Internal Error Has Occurred.', request);
  const chosen = hosts.filter(
    (host) =>
      rightIn(host.containerId, directory) !== 'none' &&
      (!id || host.id === Number(id)) &&
      collated(host.description).includes(collated(text)),
  );
  const sign = query.get('direction') === 'desc' ? -1 : 1;
  const order = (one: Host, other: Host) =>
    sign * (one[column] < other[column] ? -1 : one[column] > other[column] ? 1 : 0);
  const page = pageOf(chosen.sort(order), query);
  return controllerAnswer(200, { all_hosts: page.map((host) => hostRow(host, directory)) });
}

/** Other columns of the released server are unknown here. */
const SORTED_BY = ['id', 'name', 'address', 'description'] as const;

function hostRow(host: Host, directory: Directory): object {
  const { id, name, address, description } = host;
  const Host = { id, name, hostname: name, address, description, allow_edit: mayChange(host, directory) };
  return { Host, Hoststatus: { isInMonitoring: false, currentState: -1 } };
}

/** Those in which the user may edit hosts. */
function listContainers(directory: Directory): HttpAnswer {
  const containers = ALL_IDS.filter((id) => rightIn(id, directory) === 'write');
  return controllerAnswer(200, { containers: containers.map((key) => ({ key, value: `/root/${key}` })) });
}

/** Without the registrations that are assigned to a host in none of the user's containers. */
function listAgents(directory: Directory, { query }: Call): HttpAnswer {
  const { registrations, hostOf, agentIds, uuids, nextId } = directory;
  const isShown = (host: Host | undefined) =>
    host === undefined || mayChange(host, directory) || rightIn(host.containerId, directory) === 'read';
  const shown = [...registrations.all()].filter(({ uuid }) => isShown(hostOf.get(uuid)));
  const rows = pageOf(shown, query).map(({ uuid, hostname, ipaddress }) => {
    const id = agentIds.get(uuid) ?? nextId();
    agentIds.set(uuid, id);
    uuids.set(id, uuid);
    const { name = null, id: hostId = null } = hostOf.get(uuid) ?? {};
    // The released server also says so where deleting gets 403.
    return { id, uuid, hostname, ipaddress, Hosts: { name, id: hostId }, allow_edit: true };
  });
  return controllerAnswer(200, { agents: rows });
}

/** Shows each host that exists, without asking for rights. */
function showConfig({ hosts }: Directory, { query, request }: Call): HttpAnswer {
  const host = hosts.get(Number(query.get('hostId')));
  if (host === undefined) return frameworkError(404, 'Not Found', request);
  const { id, name, address, description, containerId, configId } = host;
  const row = { id, name, address, description, container_id: containerId };
  return controllerAnswer(200, { config: {}, host: row, isNewConfig: configId === undefined, satellite: null });
}

function configure({ hosts, nextId }: Directory, { fields, request }: Call): HttpAnswer {
  const host = hosts.get(Number(textOf(fields.hostId)));
  if (host === undefined) return frameworkError(404, 'Not Found', request);
  const config = membersIn(fields.config);
  const [string, bool, int] = [membersIn(config.string), membersIn(config.bool), membersIn(config.int)];
  const required = [
    ...(bool.enable_push_mode ? ['push_oitc_server_url', 'push_oitc_api_key'] : []),
    ...(bool.use_http_basic_auth ? ['username', 'password'] : []),
    ...(bool.use_https ? ['ssl_certfile', 'ssl_keyfile'] : []),
  ];
  const blank = ['bind_address', ...required].filter((name) => !string[name]);
  if (blank.length > 0) return controllerAnswer(400, { error: emptyFields(blank, '_empty') });
  if (isIP(textOf(string.bind_address)) === 0)
    return controllerAnswer(400, { error: { bind_address: { ip: 'The provided value must be an IP address' } } });
  if (textOf(int.bind_port) === '') return controllerAnswer(400, { error: [] });
  const outside = Object.entries(INT_RANGES).flatMap(([name, most]) => {
    const value = Number(textOf(int[name]) || 1);
    const range = `This value has to be in range from 1 to ${most}`;
    return Number.isInteger(value) && value >= 1 && value <= most ? [] : [[name, { range }]];
  });
  if (outside.length > 0) return controllerAnswer(400, { error: Object.fromEntries(outside) });
  host.configId ??= nextId();
  return controllerAnswer(200, { id: host.configId });
}

/** The highest values of an agent's configuration; each begins at 1. */
const INT_RANGES: Readonly<Record<string, number>> = { bind_port: 65_535, check_interval: 7200, push_timeout: 40 };

function assign(directory: Directory, { fields, request }: Call): HttpAnswer {
  const { hosts, hostOf, uuids, registrations } = directory;
  const chosen = membersIn(fields.pushagent);
  const host = hosts.get(Number(textOf(chosen.host_id)));
  const uuid = uuids.get(Number(textOf(chosen.id))) ?? '';
  if (host?.configId === undefined || registrations.find(uuid) === undefined)
    return frameworkError(404, 'Not Found', request);
  if (host.agent !== uuid) release(host, directory);
  // The host before keeps its configuration.
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
  const offered = (checksOf.get(host.agent ?? '') ?? []).filter((check) => !host.services.includes(check));
  const service = { host_id: host.id, servicetemplate_id: 1, servicecommandargumentvalues: [] };
  return controllerAnswer(200, { services: Object.fromEntries(offered.map((name) => [name, { ...service, name }])) });
}

/** Of one host, so that no client fills the memory. */
const MAX_SERVICES = 10_000;

/** Each goes to the host that it names itself, whatever the address says, and as often as it is asked for. */
function createServices({ hosts }: Directory, { query, fields, request }: Call): HttpAnswer {
  const host = hosts.get(Number(query.get('hostId')));
  if (host?.configId === undefined) return frameworkError(404, 'Not Found', request);
  const created = Object.values(membersIn(fields.services)).map((service) => {
    const { host_id: named, name } = membersIn(service);
    const { services } = hosts.get(Number(textOf(named))) ?? {};
    return services !== undefined && services.length < MAX_SERVICES ? services.push(textOf(name)) : undefined;
  });
  // Those before and after one without a host are created all the same.
  return created.includes(undefined)
    ? controllerAnswer(400, { error: [{ host_id: { _existsIn: 'This value does not exist' } }], success: false })
    : controllerAnswer(200, { services: { _ids: created }, success: true });
}

function deleteAgent(directory: Directory, call: Call): HttpAnswer {
  const { hostOf, uuids, registrations } = directory;
  const uuid = uuids.get(call.id);
  const host = uuid === undefined ? undefined : hostOf.get(uuid);
  if (host !== undefined && !mayChange(host, directory)) return forbidden(call);
  if (uuid === undefined || registrations.forget((known) => known === uuid) === 0)
    return frameworkError(404, 'Push Agent config not found', call.request);
  // The released server deletes the configuration, too, and keeps the host.
  if (host !== undefined) Object.assign(host, { configId: undefined, agent: undefined });
  for (const known of [hostOf, directory.agentIds, directory.checksOf]) known.delete(uuid);
  uuids.delete(call.id);
  return controllerAnswer(200, { success: true });
}

/** The members of a JSON body; none for any other body. */
function fieldsOf({ body, headers }: PushRequest): Fields {
  if (body.length === 0 || !isJsonType(headers['content-type'])) return {};
  return membersIn(jsonIn(body.toString()));
}

/** In characters; several times the size of the column of a name. */
const MAX_TEXT_CHARACTERS = 4096;

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, MAX_TEXT_CHARACTERS) : '';
}

function emptyFields(names: readonly string[], rule: string): object {
  return Object.fromEntries(names.map((name) => [name, { [rule]: 'This field cannot be left empty' }]));
}

const PAGE = 25;

function pageOf<T>(rows: readonly T[], query: URLSearchParams): readonly T[] {
  const requested = Number(query.get('limit'));
  const limit = requested >= 1 ? requested : PAGE;
  const page = Number(query.get('page')) || 1;
  return rows.slice((page - 1) * limit, page * limit);
}
