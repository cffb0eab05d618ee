import { Agent, type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import type { Endpoint } from '../../../src/base/protocol/push.ts';

type Members = Readonly<Record<string, unknown>>;
type Fields = readonly (readonly [string, string])[];
type Answer = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly body: Buffer };

/** What a correct agent does; a mutated one replaces parts of it. */
export type PushBehavior = {
  readonly uuid: (endpoint: Endpoint) => string;
  readonly fields: (fields: Fields, endpoint: Endpoint) => Fields;
  readonly members: (members: Members, endpoint: Endpoint) => Members;
  readonly packages: Members;
  readonly isChunked: boolean;
  /** What it does after an answer to check data or packages. */
  readonly after: (status: number, endpoint: Endpoint) => 'nothing' | 'repeat' | 'register';
  readonly follows: (status: number) => 'GET' | 'POST' | undefined;
  readonly keepsKey: boolean;
  readonly sendsReferer: boolean;
  readonly hasCookies: boolean;
  readonly submitsAtOnce: boolean;
  readonly gapMs: (pushes: number) => number;
  readonly keepsConnections: boolean;
  readonly mostRequests: number;
  readonly tls: { readonly ALPNProtocols?: string[] };
  readonly passwordIn: (answer: Answer, uuid: string) => string | undefined;
  /** Packages are sent beside check data. */
  readonly isOverlapping: boolean;
};

const GET_AGAIN = [301, 302, 303];
const POST_AGAIN = [307, 308];

export const CORRECT: PushBehavior = {
  uuid: () => '3f1d8a52-6a5e-4b52-9c5e-0f6a9d1c7e42',
  fields: (fields) => fields,
  members: (members) => members,
  packages: { Enabled: true, Pending: false, LastUpdate: 1_700_000_000, Stats: statsOf('linux'), ...lists() },
  isChunked: false,
  after: () => 'nothing',
  follows: (status) => (GET_AGAIN.includes(status) ? 'GET' : POST_AGAIN.includes(status) ? 'POST' : undefined),
  keepsKey: true,
  sendsReferer: true,
  hasCookies: false,
  submitsAtOnce: true,
  gapMs: () => 1000,
  keepsConnections: true,
  mostRequests: 10,
  tls: {},
  passwordIn: ({ status, body }, uuid) => {
    if (status !== 201) return undefined;
    const { agentuuid, password } = membersOf(body);
    return agentuuid === uuid && typeof password === 'string' && password !== '' ? password : undefined;
  },
  isOverlapping: false,
};

export function statsOf(OperatingSystem: string) {
  const counts = {
    InstalledPackages: 0,
    UpgradablePackages: 0,
    SecurityUpdates: 0,
    RebootRequired: false,
    LastError: '',
  };
  const system = { OperatingSystem, PackageManager: 'apt', OsName: 'debian', OsVersion: '12', OsFamily: 'debian' };
  return { ...counts, ...system, AgentVersion: '3.6.1', Uptime: 1 };
}

function lists() {
  const names = ['LinuxPackages', 'LinuxUpdates', 'WindowsApps', 'WindowsUpdates', 'MacosApps', 'MacosUpdates'];
  return Object.fromEntries(names.map((name) => [name, []]));
}

const CHECKDATA = {
  agent: {
    last_updated: '2026-01-31 15:04:05.1 +0100 CET m=+19.945268128',
    last_updated_timestamp: 1_769_868_245,
    system: 'debian',
    system_uptime: 5,
    kernel_version: '6',
    mac_version: '12',
    windows_release_id: '',
    windows_current_build: '',
    family: 'debian',
    agent_version: '3.6.1',
    temperature_unit: 'C',
    goos: 'linux',
    goarch: 'amd64',
    goversion: 'go1.26.8',
    check_interval: 1,
  },
  customchecks: {},
  packagemanager: { enabled: false, pending: false },
  prometheus_exporters: [],
};

/** A real time limit; the virtual one is just below an interval. */
const TIMEOUT_MS = 3000;
const BREATH_MS = 4;
/** Pushes of check data before the first of packages. */
const PACKAGES_AT = 12;

/** Pushes to the URL until the signal. Time is virtual: each interval moves the clock. */
export async function pushUntil(
  url: string,
  behavior: PushBehavior,
  { clock, signal }: { clock: { nowMs: number }; signal: AbortSignal },
) {
  const agent = new Agent({ keepAlive: behavior.keepsConnections, maxSockets: behavior.isOverlapping ? 2 : 1 });
  signal.addEventListener('abort', () => agent.destroy());
  let password = '';
  let cookie = '';
  const post = async (endpoint: Endpoint): Promise<Answer | undefined> => {
    const uuid = behavior.uuid(endpoint);
    const own = { agentuuid: uuid, password };
    const document = endpoint === 'submit_checkdata' ? CHECKDATA : behavior.packages;
    const members =
      endpoint === 'register_agent'
        ? { ...own, hostname: 'host', ipaddress: '10.0.0.1' }
        : { checkdata: document, ...own };
    const body = Buffer.from(JSON.stringify(behavior.members(members, endpoint)));
    const answer = await follow(new URL(`/agentconnector/${endpoint}.json`, url), endpoint, body);
    if (behavior.hasCookies) cookie = answer?.headers['set-cookie']?.[0]?.split(';', 1).join() ?? cookie;
    return answer;
  };
  const follow = async (first: URL, endpoint: Endpoint, body: Buffer): Promise<Answer | undefined> => {
    let [at, method, referer]: [URL, 'GET' | 'POST', string] = [first, 'POST', ''];
    for (let requests = 1; ; requests++) {
      const answer = await send(at, {
        method,
        referer,
        endpoint,
        body,
        hasKey: behavior.keepsKey || at.port === first.port,
      });
      const next = answer && behavior.follows(answer.status);
      if (next === undefined || answer?.headers.location === undefined || requests >= behavior.mostRequests)
        return answer;
      referer = at.href;
      at = new URL(answer.headers.location, at);
      method = method === 'GET' ? 'GET' : next;
    }
  };
  const send = (at: URL, hop: Hop): Promise<Answer | undefined> => {
    const { hostname: host, port, pathname: path } = at;
    const dial = () => connectTls({ host, port: Number(port), rejectUnauthorized: false, ...behavior.tls });
    const over = at.protocol === 'https:' ? { createConnection: dial } : { agent };
    const call = startRequest({ host, port, path, method: hop.method, ...over, setHost: false });
    const fields = [...fieldsOf(at, hop, behavior), ...(cookie === '' ? [] : [['Cookie', cookie] as const])];
    for (const [name, value] of behavior.fields(fields, hop.endpoint)) call.setHeader(name, value);
    call.removeHeader('Connection');
    call.end(hop.method === 'POST' ? hop.body : undefined);
    return answerOf(call, clock);
  };
  const push = async (endpoint: Endpoint): Promise<void> => {
    const answer = await post(endpoint);
    const then = answer === undefined ? 'nothing' : behavior.after(answer.status, endpoint);
    if (then === 'register') password = '';
    if (then === 'repeat') await post(endpoint);
  };
  const register = async (): Promise<void> => {
    const answer = await post('register_agent');
    password = (answer && behavior.passwordIn(answer, behavior.uuid('register_agent'))) ?? '';
    if (password !== '' && behavior.submitsAtOnce) await push('submit_checkdata');
  };
  const submit = async (withPackages: boolean): Promise<void> => {
    const checks = push('submit_checkdata');
    if (!behavior.isOverlapping) await checks;
    if (withPackages) await push('submit_package_info');
    await checks;
  };
  for (let pushes = 1; !signal.aborted; pushes++) {
    if (password === '') await register();
    else await submit(pushes % PACKAGES_AT === 0);
    clock.nowMs += behavior.gapMs(pushes);
    await new Promise((resolve) => setTimeout(resolve, BREATH_MS));
  }
}

type Hop = { method: 'GET' | 'POST'; referer: string; endpoint: Endpoint; body: Buffer; hasKey: boolean };

function fieldsOf(at: URL, { method, referer, endpoint, body, hasKey }: Hop, behavior: PushBehavior): Fields {
  const isChunked = behavior.isChunked && endpoint === 'register_agent';
  const framing = isChunked
    ? (['Transfer-Encoding', 'chunked'] as const)
    : (['Content-Length', `${body.length}`] as const);
  const all: Fields = [
    ['Host', at.host],
    ['User-Agent', 'openITCOCKPIT Agent/3.6.1'],
    framing,
    ['Authorization', hasKey ? 'X-OITC-API KEY' : ''],
    ['Content-Type', 'application/json'],
    ['Referer', behavior.sendsReferer ? referer : ''],
    ['Accept-Encoding', 'gzip'],
  ];
  const ofBody = ['Content-Length', 'Transfer-Encoding', 'Content-Type'];
  return all.filter(([name, value]) => value !== '' && (method === 'POST' || !ofBody.includes(name)));
}

/** `undefined` if there is none in time. */
function answerOf(call: ClientRequest, clock: { nowMs: number }): Promise<Answer | undefined> {
  const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
  const giveUp = setTimeout(() => {
    clock.nowMs += 900;
    call.destroy();
  }, TIMEOUT_MS);
  call.on('error', () => resolve(undefined));
  call.on('close', () => clearTimeout(giveUp));
  call.on('response', (response) => {
    const { headers, statusCode: status = 0 } = response;
    const unpacked = (bytes: Buffer) => (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes);
    buffer(response).then(
      (bytes) => resolve({ status, headers, body: unpacked(bytes) }),
      () => resolve(undefined),
    );
  });
  return promise;
}

function membersOf(body: Buffer): Members {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null ? (value as Members) : {};
  } catch {
    return {};
  }
}
