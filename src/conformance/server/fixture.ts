import { authorizationHeader, ENDPOINT_PATHS, ENDPOINTS, type Endpoint, USER_AGENT } from '../../base/protocol/push.ts';
import type { Expectation } from '../expectation.ts';
import type { HttpCase } from '../http-case.ts';
import type { ConformanceRequest, ReportedFixture } from '../request.ts';

export type AgentCredentials = { readonly uuid: string; readonly password: string };

/** What the cases of a push server work with. */
export type ServerFixture = {
  /** Path of the base URL, without a slash at its end. */
  readonly prefix: string;
  /** Of the header `Host`. */
  readonly host: string;
  readonly apiKey: string;
  /** UUIDs that the server does not know; each case has its own. */
  readonly fresh: readonly [string, string];
  /** Newly registered agents, for cases that need them. */
  readonly agent: AgentCredentials;
  readonly other: AgentCredentials;
  /** A registered agent that has a host, for cases that need one. */
  readonly assigned: AgentCredentials;
};

/**
 * `agent`, `other`: newly registered agents; `unassigned`: such an agent gets no host by itself; `key`: the server wants an API key; `packages`: it has
 * the endpoint for package information.
 */
export type ServerNeed = 'agent' | 'other' | 'assigned' | 'unassigned' | 'key' | 'packages';

export type ServerCase = HttpCase<ServerFixture> & { readonly needs?: readonly ServerNeed[] };

/** Cases that need these, unless they say what they need. */
export function needing(needs: readonly ServerNeed[], cases: readonly ServerCase[]): readonly ServerCase[] {
  return cases.map((one) => ({ needs, ...one }));
}

const SHOWN_FRESH = ['5d5d5d5d-0000-4000-8000-00000000000a', '5d5d5d5d-0000-4000-8000-00000000000b'] as const;

/**
 * What reports show: variables for the key, for fresh UUIDs, and for the password of the assigned agent, if that is `foreign`, not one of
 * this run.
 */
export function shownOf(fixture: ServerFixture, foreign: AgentCredentials | undefined): ReportedFixture<ServerFixture> {
  const { assigned, apiKey } = fixture;
  const [key, password] = ['K'.repeat(41), 'P'.repeat(assigned.password.length)];
  const isUpper = apiKey === apiKey.toUpperCase();
  const shownAgent = foreign === undefined ? assigned : { ...assigned, password };
  return {
    fixture: { ...fixture, fresh: SHOWN_FRESH, apiKey: apiKey && key, assigned: shownAgent },
    variables: [
      [SHOWN_FRESH[0], 'UUID'],
      [SHOWN_FRESH[1], 'UUID2'],
      [key, 'MUSTER_API_KEY'],
      [otherCase(key), isUpper ? '{MUSTER_API_KEY,,}' : '{MUSTER_API_KEY^^}'],
      ...(foreign === undefined ? [] : [[password, 'PASSWORD'] as const]),
    ],
    secrets: [apiKey, foreign?.password ?? ''].filter((secret) => secret !== ''),
  };
}

export function otherCase(text: string): string {
  return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
}

export type Members = Readonly<Record<string, unknown>>;

/** What real agents send; members of a real document, of which the server reads some. */
export const CHECK_DOCUMENT = {
  agent: {
    last_updated_timestamp: 1_790_000_000,
    system: 'debian',
    agent_version: '3.6.1',
    goos: 'linux',
    check_interval: 30,
  },
  memory: { total: 8_326_381_568, available: 6_240_141_312, percent: 25.05, used: 2_086_240_256, free: 1_411_940_352 },
  system_load: { 0: 0.25, 1: 0.5, 2: 0.75 },
  disks: [
    { disk: { device: '/dev/sda1', mountpoint: '/' }, usage: { total: 1000, used: 500, free: 500, percent: 50 } },
  ],
};

export const PACKAGE_DOCUMENT = {
  Enabled: true,
  Pending: false,
  LastUpdate: 1_790_000_000,
  Stats: {
    InstalledPackages: 1,
    UpgradablePackages: 1,
    SecurityUpdates: 0,
    RebootRequired: false,
    LastError: '',
    OperatingSystem: 'linux',
    PackageManager: 'apt',
    OsName: 'debian',
    OsVersion: '12.11',
    OsFamily: 'debian',
    AgentVersion: '3.6.1',
    Uptime: 282,
  },
  LinuxPackages: [{ Name: 'adduser', Version: '3.134', Description: 'add and remove users and groups' }],
  LinuxUpdates: [
    { Name: 'adduser', CurrentVersion: '3.134', AvailableVersion: '3.135', IsSecurityUpdate: false, IsPatch: false },
  ],
  WindowsApps: [],
  WindowsUpdates: [],
  MacosApps: [],
  MacosUpdates: [],
};

/** The headers of an agent's request in its order, with some replaced or left out (`undefined`). */
function agentHeaders({ host, apiKey }: ServerFixture, replaced: Readonly<Record<string, string | undefined>> = {}) {
  const headers = {
    Host: host,
    'User-Agent': USER_AGENT,
    Authorization: authorizationHeader(apiKey),
    'Content-Type': 'application/json',
    'Accept-Encoding': 'gzip',
    ...replaced,
  };
  return Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

/** A request to an endpoint with a document, or with these bytes. */
export function pushOf(fixture: ServerFixture, endpoint: Endpoint, document: unknown): ConformanceRequest {
  return serverRequest(fixture, ENDPOINT_PATHS[endpoint], document);
}

/** A request to a path below the base URL. */
export function serverRequest(fixture: ServerFixture, path: string, document: unknown): ConformanceRequest {
  const body = Buffer.isBuffer(document) ? document : Buffer.from(JSON.stringify(document));
  return { method: 'POST', target: `${fixture.prefix}${path}`, headers: agentHeaders(fixture), body };
}

/** The first registration of a UUID that is not known, with members of its own; `undefined` leaves one out. */
export function registration(fixture: ServerFixture, members: Members = {}): ConformanceRequest {
  return pushOf(fixture, 'register_agent', registrationDocument(fixture, members));
}

/**
 * Makes what requests of a kind get, one for each of the variants; `{}`: the usual request. Such as
 * `registrationGets(status(400), { password: undefined })`.
 */
export function getsOf<Variant>(requestOf: (fixture: ServerFixture, variant: Variant) => ConformanceRequest) {
  return (expect: Expectation, ...variants: readonly Variant[]) => ({
    ask: (fixture: ServerFixture) => variants.map((variant) => requestOf(fixture, variant)),
    expect,
  });
}

export const registrationGets = getsOf(registration);

/** The text of a first registration. */
export function freshText(fixture: ServerFixture): string {
  return JSON.stringify(registrationDocument(fixture));
}

export function registrationDocument({ fresh: [uuid] }: ServerFixture, members: Members = {}) {
  return { agentuuid: uuid, password: '', hostname: 'muster-conform', ipaddress: '192.0.2.1', ...members };
}

export function authorization(fixture: ServerFixture, members: Members = {}): ConformanceRequest {
  const { uuid, password } = fixture.agent;
  return pushOf(fixture, 'register_agent', { agentuuid: uuid, password, ...members });
}

/** A push of the agent with a host. */
export function checkdata(fixture: ServerFixture, members: Members = {}): ConformanceRequest {
  // No two pushes are the same.
  const document = { ...CHECK_DOCUMENT, customchecks: { conform: { result: fixture.fresh[0], exit_code: 0 } } };
  return pushOf(fixture, 'submit_checkdata', envelope(fixture.assigned, document, members));
}

export function packages(fixture: ServerFixture, members: Members = {}): ConformanceRequest {
  return pushOf(fixture, 'submit_package_info', envelope(fixture.assigned, PACKAGE_DOCUMENT, members));
}

/** The members of a push, in the order of an agent. */
export function envelope({ uuid, password }: AgentCredentials, document: unknown, members: Members = {}): Members {
  return { checkdata: document, agentuuid: uuid, password, ...members };
}

/** A request to each endpoint, made from one to the first. */
export function toEach(fixture: ServerFixture, request: ConformanceRequest): readonly ConformanceRequest[] {
  return ENDPOINTS.map((endpoint) => ({ ...request, target: `${fixture.prefix}${ENDPOINT_PATHS[endpoint]}` }));
}

export function withHeaders(
  fixture: ServerFixture,
  request: ConformanceRequest,
  headers: Readonly<Record<string, string | undefined>>,
) {
  return { ...request, headers: agentHeaders(fixture, headers) };
}

/** A password that no agent has. */
export const WRONG = '0'.repeat(128);
