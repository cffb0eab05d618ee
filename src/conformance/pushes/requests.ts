import { isFailure, isMembers, membersIn } from '../../base/protocol/exact-json.ts';
import { API_KEY_SCHEME, type Endpoint } from '../../base/protocol/push.ts';
import { checkdataFaults, packagesShape, shapeFaults } from '../../base/protocol/shapes.ts';
import { casesOf, type Deviation, deviationUnless } from '../case.ts';
import { fieldOf } from './judging.ts';
import type { PushCase } from './push-case.ts';
import type { ReceivedPush } from './request.ts';

const { written, server, shipped, note } = casesOf<PushCase>();

/** A rule about the first request to an endpoint. */
const firstTo = (endpoint: Endpoint) => (expected: string, judge: (request: ReceivedPush) => Deviation) => ({
  kind: 'observation' as const,
  endpoint,
  expected,
  needs: 1,
  observe: ([first]: readonly ReceivedPush[]) => (first === undefined ? 'nothing' : judge(first)),
});

const hasField = (name: string, pattern: RegExp) => (request: ReceivedPush) => {
  const value = fieldOf(request, name) ?? `no ${name}`;
  return deviationUnless(pattern.test(value), value);
};

const ofRegistration = firstTo('register_agent');
const ofCheckdata = firstTo('submit_checkdata');
const ofPackages = firstTo('submit_package_info');
const REGISTER = { kind: 'observation', endpoint: 'register_agent', needs: 1 } as const;
const CHECKDATA = { kind: 'observation', endpoint: 'submit_checkdata', needs: 1 } as const;
const PACKAGES = { kind: 'observation', endpoint: 'submit_package_info', needs: 1 } as const;
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const FIELD_ORDER = ['Host', 'User-Agent', 'Content-Length', 'Authorization', 'Content-Type', 'Accept-Encoding'];

export const FIRST_REQUESTS: readonly PushCase[] = [
  written('request.1', 'The first request of an agent without a `password` is a POST to register_agent.json.', {
    ...REGISTER,
    expected: 'POST',
    observe: ([first], { all: [earliest] }) =>
      deviationUnless(first === earliest && first?.method === 'POST', earliest?.target),
  }),
  server('request.2', 'The API key is in `Authorization`, after `X-OITC-API` and a space.', {
    why: 'Otherwise the server answers 403, because it takes the request for one of a browser.',
    ...ofRegistration(
      `Authorization: ${API_KEY_SCHEME} and the key`,
      hasField('Authorization', new RegExp(`^${API_KEY_SCHEME}( \\S.*)?$`)),
    ),
  }),
  server('request.3', 'Content-Type is application/json.', {
    why: 'Otherwise the server does not read the body, and all members are missing.',
    ...ofRegistration('Content-Type: application/json', hasField('Content-Type', /^application\/json\b/i)),
  }),
  shipped('request.4', 'User-Agent names the agent and its version.', {
    guess: 'the HTTP library, such as Go-http-client; agents before May 2025 did that',
    ...ofRegistration(
      'User-Agent: openITCOCKPIT Agent/VERSION',
      hasField('User-Agent', /^openITCOCKPIT Agent\/\d+\.\d+\.\d+/),
    ),
  }),
  shipped('request.5', `The headers are ${FIELD_ORDER.join(', ')}, in this order; Accept is not sent.`, {
    guess: 'Accept: application/json; without it the server answers invalid JSON with an HTML page',
    ...ofRegistration(FIELD_ORDER.join(', '), ({ fields }) => {
      // What frames the body, and whether one of them is missing, is for other rules.
      const names = fields.map(([name]) => name.replace(/^transfer-encoding$/i, 'Content-Length'));
      const known = FIELD_ORDER.filter((name) => names.includes(name));
      return deviationUnless(names.join() === known.join(), names.join(', '));
    }),
  }),
  shipped('request.6', 'The body has a length; it is neither chunked nor compressed.', {
    guess: 'gzip, which would shrink check data to an eighth',
    ...ofRegistration('Content-Length', (request) => {
      if (request.isChunked) return 'chunks';
      const encoding = fieldOf(request, 'content-encoding');
      return deviationUnless(encoding === undefined, `Content-Encoding: ${encoding}`);
    }),
  }),
  server('request.7', '`agentuuid` is the same non-empty string in each request.', {
    why: 'Otherwise each request would be one of another agent.',
    ...REGISTER,
    expected: 'one agentuuid',
    observe: (_, { all: requests }) => {
      const [first = '', ...others] = new Set(
        requests.map(({ members }) => members.agentuuid).filter((one) => one !== undefined),
      );
      return deviationUnless(typeof first === 'string' && first !== '' && others.length === 0, [first, ...others]);
    },
  }),
  shipped('request.8', '`agentuuid` is a random UUID (version 4) in lowercase.', {
    ...ofRegistration('a UUID of version 4', ({ members }) =>
      deviationUnless(UUID.test(String(members.agentuuid)), members.agentuuid),
    ),
  }),
  written('request.9', 'A first registration has an empty password.', {
    ...ofRegistration('"password": ""', ({ members }) => deviationUnless(members.password === '', members.password)),
  }),
  shipped('request.10', 'A registration has `agentuuid`, `password`, `hostname` and `ipaddress`, in this order.', {
    guess: '`hostname` and `ipaddress` only if they are known; the written API calls them optional',
    ...ofRegistration('agentuuid, password, hostname, ipaddress', ({ members }) => {
      const names = Object.keys(members).join(', ');
      return deviationUnless(names === 'agentuuid, password, hostname, ipaddress', names);
    }),
  }),
  server('request.11', '`hostname` and `ipaddress` are strings of up to 255 characters.', {
    why: 'Otherwise the server rejects the registration with an object of errors.',
    ...ofRegistration('strings', ({ members: { hostname = '', ipaddress = '' } }) => {
      const isShort = (value: unknown) => typeof value === 'string' && value.length <= 255;
      return deviationUnless(isShort(hostname) && isShort(ipaddress), { hostname, ipaddress });
    }),
  }),
  shipped('request.12', 'The body is compact JSON without a final line feed.', {
    ...ofRegistration('compact JSON', ({ body }) =>
      deviationUnless(/^\{"\w+":.*\}$/s.test(body.toString()) && !/[\r\n]/.test(body.toString()), body.toString()),
    ),
  }),
];

/** The time within which an agent submits after its registration, if it does immediately. */
const AT_ONCE_MS = 500;

/** About what led to the registration. */
export const AFTER_REGISTRATION: readonly PushCase[] = [
  shipped('request.13', 'An agent without a `password` sends registrations only.', {
    ...REGISTER,
    expected: 'only registrations before a password was issued',
    needs: 2,
    observe: (registrations, { all: everything }) => {
      const other = everything.find(
        (one) => one.endpoint !== 'register_agent' && one.arrivedMs < (registrations[1]?.arrivedMs ?? 0),
      );
      return deviationUnless(other === undefined, other?.target);
    },
  }),
  shipped('register.27', 'A new agent submits its check data immediately.', {
    guess: 'at the next interval',
    ...CHECKDATA,
    expected: `check data within ${AT_ONCE_MS} ms`,
    observe: ([first], { all: requests }) => {
      const registration = requests.findLast(({ endpoint }) => endpoint === 'register_agent');
      const gapMs = (first?.arrivedMs ?? 0) - (registration?.arrivedMs ?? 0);
      return deviationUnless(gapMs <= AT_ONCE_MS, `check data after ${Math.round(gapMs)} ms`);
    },
  }),
];

/** The document of a push, if its body was kept. */
function documentOf({ members }: ReceivedPush): unknown {
  return members.checkdata;
}

export const CHECKDATA_REQUESTS: readonly PushCase[] = [
  written(
    'checkdata.1',
    'Check data is a POST to submit_checkdata.json with the UUID and the `password` of the registration.',
    {
      ...CHECKDATA,
      expected: 'a POST with the password of the registration',
      observe: ([first], { all, password }) => {
        const { agentuuid, password: own } = first?.members ?? {};
        const isIssued = own === password || !all.some(({ endpoint }) => endpoint === 'register_agent');
        return deviationUnless(
          first?.method === 'POST' && agentuuid !== undefined && isIssued,
          `${first?.method}, password ${own}`,
        );
      },
    },
  ),
  shipped('checkdata.2', 'The body has `checkdata`, `agentuuid` and `password`, in this order.', {
    guess: 'the credentials first, so that a server can refuse before it reads the rest',
    ...ofCheckdata('checkdata, agentuuid, password', ({ members }) =>
      deviationUnless(Object.keys(members).join() === 'checkdata,agentuuid,password', Object.keys(members)),
    ),
  }),
  shipped('checkdata.3', 'The API key is sent with check data, too.', {
    guess: 'not sent, because the `password` authenticates; the released server asks for both',
    ...ofCheckdata(`Authorization: ${API_KEY_SCHEME}`, (request) =>
      deviationUnless(fieldOf(request, 'authorization')?.startsWith(API_KEY_SCHEME) === true, 'no API key'),
    ),
  }),
  server('checkdata.4', '`checkdata` is an object, of which `agent` is a member unless it consists of an error.', {
    why: 'Otherwise the server offers no services for the host.',
    ...ofCheckdata('an object with agent', (request) => {
      const document = documentOf(request);
      return deviationUnless(isMembers(document) && (isMembers(document.agent) || isFailure(document)), document);
    }),
  }),
  shipped(
    'checkdata.5',
    'The document has what every agent of its version reports: custom checks, exporters, the package manager.',
    {
      guess: 'they are left out while there are none',
      ...ofCheckdata('customchecks, packagemanager and prometheus_exporters', (request) =>
        checkdataFaults(documentOf(request)).find((fault) => fault.endsWith(': missing')),
      ),
    },
  ),
  shipped(
    'checkdata.6',
    'Each known check has the members and types of its documented form, or consists of an error.',
    ofCheckdata('the documented members', (request) =>
      checkdataFaults(documentOf(request)).find((fault) => !/: (missing|unknown check)$/.test(fault)),
    ),
  ),
  shipped('checkdata.7', 'The names at the top of the document are sorted.', {
    guess: 'in the order of the checks',
    ...ofCheckdata('sorted names', (request) => {
      const names = Object.keys(membersIn(documentOf(request)));
      return deviationUnless(names.join() === [...names].sort().join(), names.join(', '));
    }),
  }),
  note('checkdata.8', 'Markup characters are escaped in JSON as \\u003c, \\u003e and \\u0026.', {
    ...ofCheckdata('no <, > or & in the body', ({ body }) =>
      deviationUnless(!/[<>&]/.test(body.toString('latin1')), 'one of them, unescaped'),
    ),
  }),
];

/** How far from their grid requests may be, because check runs take different times. */
const GRID_TOLERANCE_MS = 500;
const GRID_TOLERANCE_SHARE = 0.25;
const GRID_REQUESTS = 5;

export const LATER_REQUESTS: readonly PushCase[] = [
  written('packages.1', 'Package information is a POST to submit_package_info.json with the UUID and the password.', {
    ...ofPackages('a POST with agentuuid and password', ({ method, members: { agentuuid, password } }) =>
      deviationUnless(
        method === 'POST' && typeof agentuuid === 'string' && typeof password === 'string' && password !== '',
        { method },
      ),
    ),
  }),
  shipped('packages.2', 'The document is in `checkdata`, before `agentuuid` and password.', {
    guess: 'a member packages',
    ...ofPackages('checkdata, agentuuid, password', ({ members }) =>
      deviationUnless(Object.keys(members).join() === 'checkdata,agentuuid,password', Object.keys(members)),
    ),
  }),
  server('packages.3', 'Package information is not pushed while it is pending.', {
    source: 'server 5.5.1',
    why: 'Otherwise the server answers 400.',
    ...ofPackages('"Pending": false', (request) =>
      deviationUnless(membersIn(documentOf(request)).Pending === false, membersIn(documentOf(request)).Pending),
    ),
  }),
  server('packages.4', 'Stats.OperatingSystem is linux, windows or macos.', {
    source: 'server 5.5.1',
    why: 'Otherwise the server answers 400.',
    guess: 'darwin on macOS, as in check data',
    ...ofPackages('linux, windows or macos', (request) => {
      const system = membersIn(membersIn(documentOf(request)).Stats).OperatingSystem;
      return deviationUnless(['linux', 'windows', 'macos'].includes(String(system)), system);
    }),
  }),
  shipped('packages.5', 'The document has the documented members and types; lists of other systems are empty.', {
    guess: 'lists of other systems are left out',
    ...ofPackages('the documented members', (request) =>
      shapeFaults(packagesShape, documentOf(request), 'checkdata').find((fault) => !fault.includes('OperatingSystem')),
    ),
  }),
  shipped('packages.6', 'A refused push of packages is not repeated before the next collection.', {
    guess: 'repeated with the next check data',
    ...PACKAGES,
    expected: 'check data next',
    observe: ([first], { all: requests }) => {
      const next = first && requests[requests.indexOf(first) + 1];
      return deviationUnless(next?.endpoint !== 'submit_package_info', 'package information again');
    },
  }),
  shipped('cadence.1', 'Check data comes at a fixed interval, without jitter.', {
    guess: 'with jitter, so that a fleet spreads',
    ...CHECKDATA,
    expected: 'times that differ by whole intervals',
    needs: GRID_REQUESTS,
    observe: (requests) => offGrid(requests.slice(1, GRID_REQUESTS).map(({ arrivedMs }) => arrivedMs)),
  }),
  shipped('cadence.2', 'Requests of an agent never overlap.', {
    guess: 'packages are sent beside check data',
    ...CHECKDATA,
    expected: 'one request at a time',
    observe: (_, { all }) =>
      deviationUnless(!all.some(({ overlaps }) => overlaps), 'a request before the last one was answered'),
  }),
];

function offGrid(times: readonly number[]): Deviation {
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  const shortest = Math.min(...gaps);
  const toleranceMs = Math.min(GRID_TOLERANCE_MS, GRID_TOLERANCE_SHARE * shortest);
  const off = gaps.find((gap) => Math.abs(gap - Math.round(gap / shortest) * shortest) > toleranceMs);
  return off === undefined ? undefined : `intervals of ${gaps.map(Math.round).join(', ')} ms`;
}
