import type { MeasuredOperation } from '../base/protocol/operations.ts';
import type { Evidence } from '../metrics/recording/schema.ts';

/** What a scenario says about the target and the passwords of its agents. */
export type Circumstances = {
  /** An API key is set. */
  readonly hasKey: boolean;
  /** `fleet.identities` keeps the passwords in a file. */
  readonly isKept: boolean;
};

/** A failure that has a usual cause, and what a user can do about it. The page lists rows in this order; the first that fits counts. */
export type Remedy = {
  /** Outcomes, in which `N` stands for any digit. */
  readonly outcomes: readonly string[];
  /** Left out: all operations. */
  readonly operations?: readonly MeasuredOperation[];
  /** The evidence contains one of these texts, in any case. Left out: whatever it contains. */
  readonly evidence?: readonly string[];
  readonly when?: Partial<Circumstances>;
  /** `{target}` stands for the base URL. */
  readonly cause: string;
  readonly remedy: string;
};

const PUSHES: readonly MeasuredOperation[] = ['checkdata', 'packages'];
const SERVED: readonly MeasuredOperation[] = ['serve-checkdata', 'serve-packages', 'serve-config', 'serve-autotls'];
const PULLED: readonly MeasuredOperation[] = ['exchange', 'configure', 'poll', 'poll-packages'];
const PAGE = ['<!doctype', '<html'];
const PLAIN_HTTP = ['plain http request', 'http request to an https', 'ssl-enabled server port'];
const SET_KEY = 'set --api-key, MUSTER_API_KEY or target.apiKey';
const EXEMPT = 'exempt POST /agentconnector/ from that';

/** Sources: docs/reference/wire.md, the servers of openITCOCKPIT, and what proxies answer in their place. */
export const REMEDIES: readonly Remedy[] = [
  {
    outcomes: ['connection_refused'],
    cause: 'nothing listens at {target}, or a firewall rejects it',
    remedy: 'start the server, or correct --target; curl -v {target} must connect',
  },
  {
    outcomes: ['name_not_resolved'],
    evidence: ['and not allowed'],
    cause: 'the name now leads to another machine',
    remedy: 'use --allow HOST if you may test it',
  },
  {
    outcomes: ['name_not_resolved'],
    cause: 'the name in {target} has no address',
    remedy: 'correct --target, or DNS; getent hosts NAME must find it',
  },
  {
    outcomes: ['connection_failed'],
    evidence: ['EACCES', 'EPERM'],
    cause: 'this machine forbids the connection',
    remedy: 'change its firewall or sandbox',
  },
  {
    outcomes: ['connection_failed'],
    cause: 'this machine has no way to {target}',
    remedy: 'check network and VPN; curl -v {target} must connect',
  },
  {
    outcomes: ['tls_failed'],
    evidence: ['wrong version number', 'packet length too long', 'http request', 'record layer'],
    cause: 'the port of {target} speaks no TLS',
    remedy: 'use http://, or the port for HTTPS',
  },
  {
    outcomes: ['tls_failed'],
    evidence: ['alert certificate required', 'alert bad certificate'],
    cause: 'the server requires a client certificate, which agents do not have',
    remedy: EXEMPT,
  },
  {
    outcomes: ['tls_failed'],
    evidence: ['alert'],
    cause: 'the server ended the TLS handshake',
    remedy: 'read its log; agents offer TLS 1.2 and 1.3',
  },
  {
    outcomes: ['tls_failed'],
    evidence: ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'],
    cause: 'a certificate is out of date, or the clock here is wrong',
    remedy: 'renew it, or set the clock',
  },
  {
    outcomes: ['tls_failed'],
    evidence: ['NAME_MISMATCH'],
    cause: 'the certificate belongs to another name',
    remedy: 'use its name in target.url, or issue one for this name',
  },
  {
    outcomes: ['tls_failed'],
    evidence: ['SELF_SIGNED', 'UNABLE_TO_'],
    cause: 'agents do not trust the certificate',
    remedy: 'set target.tls.ca to its CA, or --set target.tls.verify=false',
  },
  {
    outcomes: ['tls_failed'],
    evidence: ['RSA_KEY_SIZE', 'WEAK_SIGNATURE', 'INVALID_PURPOSE', 'INVALID_CA', 'certificate'],
    cause: 'agents refuse this certificate',
    remedy: 'issue one for servers, with SHA-256 and RSA 2048 or ECDSA',
  },
  {
    outcomes: ['tls_failed'],
    cause: 'the TLS handshake failed',
    remedy: 'try openssl s_client -connect HOST:PORT',
  },
  {
    outcomes: ['proxy_failed'],
    evidence: ['HTTP/1.1 407', 'HTTP/1.0 407', 'authentication methods', 'refused user and password'],
    cause: 'the proxy does not accept user and password',
    remedy: 'correct them in target.proxy',
  },
  {
    outcomes: ['proxy_failed'],
    evidence: ['HTTP/1.1 403', 'HTTP/1.0 403', 'HTTP/1.1 405', 'HTTP/1.0 405', 'not allowed by ruleset'],
    cause: 'the proxy does not permit CONNECT to this host and port',
    remedy: 'permit it there, or remove target.proxy',
  },
  {
    outcomes: ['proxy_failed'],
    evidence: ['HTTP/1.1 5', 'HTTP/1.0 5', 'the SOCKS proxy answered'],
    cause: 'the proxy does not reach {target}',
    remedy: 'check what the proxy resolves, or remove target.proxy',
  },
  {
    outcomes: ['proxy_failed'],
    cause: 'the proxy is down, or is none',
    remedy: 'correct or remove target.proxy; curl -v --proxy PROXY {target} must connect',
  },
  {
    outcomes: ['http_407'],
    cause: 'the proxy asks for user and password',
    remedy: 'set target.proxy to http://USER:PASSWORD@HOST:PORT',
  },
  {
    outcomes: ['timeout'],
    evidence: ['the TLS handshake did not complete'],
    cause: '{target} accepts connections, but completes no TLS handshake',
    remedy: 'use http:// if it speaks no TLS; else it is overloaded',
  },
  {
    outcomes: ['timeout'],
    evidence: ['did not open a tunnel'],
    cause: 'the proxy opened no tunnel in time',
    remedy: 'read its log, or remove target.proxy',
  },
  {
    outcomes: ['timeout'],
    evidence: ['never connected'],
    cause: '{target} accepts no connection in time',
    remedy: 'look for a firewall that drops packets, or a full backlog; try curl -v {target}',
  },
  {
    outcomes: ['timeout'],
    evidence: ['of the request were not accepted'],
    cause: 'the server does not read requests',
    remedy: 'look for blocked workers; try a lower rate',
  },
  {
    outcomes: ['timeout'],
    evidence: ['cut after'],
    cause: 'answers stop in the middle',
    remedy: 'look for blocked workers, or a proxy that buffers',
  },
  {
    outcomes: ['timeout'],
    cause: 'the server did not answer within target.timeout',
    remedy: 'lower the rate, or see what it waits for; muster capacity finds what it carries',
  },
  {
    outcomes: ['connection_reset'],
    evidence: ['cut after'],
    cause: 'the connection ended in the middle of an answer',
    remedy: 'read the logs of server and proxy',
  },
  {
    outcomes: ['connection_reset'],
    evidence: ['handshake', 'before secure TLS'],
    cause: '{target} ends connections during the TLS handshake',
    remedy: 'use http:// if it speaks no TLS; else read its log',
  },
  {
    outcomes: ['connection_reset'],
    cause: 'the server, or a proxy, closed the connection without an answer',
    remedy: 'use https:// if it expects TLS; else check its log, idle timeout and connection limit',
  },
  {
    outcomes: ['no_file_descriptor'],
    cause: 'this machine has no file descriptor left',
    remedy: 'use fewer agents, or do what muster doctor says',
  },
  {
    outcomes: ['no_local_port'],
    cause: 'this machine has no port left for {target}',
    remedy: 'use fewer agents, or fleet.sourceAddresses',
  },
  {
    outcomes: ['http_400'],
    evidence: PLAIN_HTTP,
    cause: 'the port of {target} expects TLS',
    remedy: 'use https://',
  },
  {
    outcomes: ['http_400', 'http_496'],
    evidence: ['ssl certificate'],
    cause: 'a proxy requires a client certificate, which agents do not have',
    remedy: EXEMPT,
  },
  {
    outcomes: ['http_400', 'http_421'],
    evidence: ['invalid host', 'misdirected', 'disallowedhost'],
    cause: 'the server does not know the host name in {target}',
    remedy: 'use a name that it is configured for',
  },
  {
    outcomes: ['http_400', 'http_431'],
    evidence: ['too large', 'too long', 'too big'],
    cause: 'request heads are too large for the server, or a proxy',
    remedy: 'raise it (nginx: large_client_header_buffers)',
  },
  {
    outcomes: ['http_NNN', 'malformed_answer'],
    operations: ['register', 'authorize', 'checkdata', 'packages'],
    evidence: ['www-authenticate: basic', 'www-authenticate: digest', 'www-authenticate: negotiate'],
    cause: 'a proxy asks for a login, which agents do not have',
    remedy: EXEMPT,
  },
  {
    outcomes: ['http_401'],
    operations: ['register', 'authorize', ...PUSHES],
    when: { hasKey: false },
    cause: 'the server requires an API key',
    remedy: SET_KEY,
  },
  {
    outcomes: ['http_401'],
    operations: ['register', 'authorize', ...PUSHES],
    cause: 'the server does not accept the API key',
    remedy: `create one in a user profile of the server, and ${SET_KEY}`,
  },
  {
    outcomes: ['http_401', 'http_403'],
    operations: [...SERVED, ...PULLED],
    cause: 'agent and server have different credentials',
    remedy: 'set webServer.basicAuth to those of the server',
  },
  {
    outcomes: ['http_403'],
    evidence: ['csrf cookie', 'csrf token'],
    when: { hasKey: true },
    cause: 'the API key did not arrive at the server',
    remedy: 'let the proxy in front pass on the header Authorization',
  },
  {
    outcomes: ['http_403'],
    evidence: ['csrf cookie', 'csrf token'],
    cause: 'the server expects an API key',
    remedy: SET_KEY,
  },
  {
    outcomes: ['http_403'],
    evidence: [...PAGE, 'cloudflare', 'modsecurity'],
    cause: 'a proxy or firewall forbids the request',
    remedy: 'permit POST /agentconnector/ from this machine',
  },
  {
    outcomes: ['http_403'],
    operations: ['register'],
    when: { isKept: true },
    cause: 'the server knows these agents, but the identity file lacks their passwords',
    remedy: 'use another --seed, or delete the agents on the server',
  },
  {
    outcomes: ['http_403'],
    operations: ['register'],
    cause: 'the server already knows these agents from an earlier run',
    remedy: 'use another --seed, with fleet.identities for hosts that return, or delete the agents on the server',
  },
  {
    outcomes: ['http_403'],
    cause: 'the server, or a proxy, forbids the request',
    remedy: 'check the rights of the API key, and the proxy',
  },
  {
    outcomes: ['http_404'],
    operations: ['authorize'],
    cause: 'the server has forgotten these agents, as after muster cleanup',
    remedy: 'remove the file of fleet.identities and run again; a running fleet needs muster ctl do register-again',
  },
  {
    outcomes: ['http_400'],
    operations: PUSHES,
    when: { isKept: true },
    cause: 'no host is assigned to these agents, or their passwords are forgotten',
    remedy: 'muster provision FILE with this --seed assigns hosts, and says who registers again',
  },
  {
    outcomes: ['http_400'],
    operations: PUSHES,
    cause: 'released servers answer 400 until a host is assigned to the agent',
    remedy: 'set fleet.identities and another fleet.seed, run, then muster provision FILE, and run again',
  },
  {
    outcomes: ['http_400'],
    operations: ['register', 'authorize'],
    cause: 'the server rejects the registration',
    remedy: 'the evidence says why; fields may be too long, also X-Forwarded-For',
  },
  {
    outcomes: ['http_404'],
    operations: ['packages'],
    cause: 'servers before openITCOCKPIT 5.5 take no packages',
    remedy: 'remove packages from the phases',
  },
  {
    outcomes: ['http_404', 'http_410'],
    cause: 'the server has nothing at this path',
    remedy: 'check target.url, to which agents add /agentconnector/…',
  },
  {
    outcomes: ['http_405'],
    cause: 'the server takes no POST here, often after a redirect',
    remedy: 'set target.url to the final address, such as https://…',
  },
  {
    outcomes: ['http_408'],
    cause: 'the request arrived too slowly for the server',
    remedy: 'check the network',
  },
  {
    outcomes: ['http_413'],
    cause: 'the server, or a proxy, limits the size of requests',
    remedy: 'raise the limit (nginx: client_max_body_size), or use a smaller fleet.payload',
  },
  {
    outcomes: ['http_429'],
    cause: 'the server, or a proxy, limits the rate of requests',
    remedy: 'raise the limit (nginx: limit_req), or lower the rate',
  },
  {
    outcomes: ['http_4NN', 'http_1NN'],
    cause: 'the server rejects the request',
    remedy: 'read its log; --debug --agent 0 shows every request of one agent',
  },
  {
    outcomes: ['http_502'],
    cause: 'a proxy got no valid answer from the server behind it',
    remedy: 'start that server, or add workers (PHP-FPM: pm.max_children)',
  },
  {
    outcomes: ['http_503'],
    cause: 'the server, or a proxy, is overloaded, in maintenance, or limits requests',
    remedy: 'lower the rate, or raise the limit (nginx: limit_req, limit_conn)',
  },
  {
    outcomes: ['http_504'],
    cause: 'the server takes longer than a proxy waits',
    remedy: 'see what it waits for, or raise the timeout (nginx: fastcgi_read_timeout)',
  },
  {
    outcomes: ['http_507'],
    cause: 'the server has no space left',
    remedy: 'free some space there',
  },
  {
    outcomes: ['http_52N'],
    cause: 'a content delivery network does not reach the server',
    remedy: 'test the server at its own address',
  },
  {
    outcomes: ['http_5NN'],
    cause: 'the server failed',
    remedy: 'read its log at the time of the evidence',
  },
  {
    outcomes: ['http_2NN'],
    cause: 'agents take status 200 only, and 201 for a registration',
    remedy: 'correct the server, or --target',
  },
  {
    outcomes: ['http_3NN'],
    cause: 'the server redirects, but to nowhere',
    remedy: 'set target.url to the final address',
  },
  {
    outcomes: ['malformed_answer'],
    evidence: PAGE,
    cause: 'the answer is an HTML page, such as a login page',
    remedy: 'check target.url and target.proxy; curl -v {target} shows redirects',
  },
  {
    outcomes: ['malformed_answer'],
    evidence: [String.raw`\u0015\u0003`],
    cause: 'the port of {target} expects TLS',
    remedy: 'use https://',
  },
  {
    outcomes: ['malformed_answer'],
    evidence: ['HTTP/'],
    cause: 'the body is not what agents expect',
    remedy: 'another application may answer; compare it with docs/how-to/own-server.md',
  },
  {
    outcomes: ['malformed_answer'],
    cause: 'what answers at {target} is no web server',
    remedy: 'correct the port',
  },
  {
    outcomes: ['unexpected_body'],
    cause: 'the answer contradicts its status, or is for another agent',
    remedy: 'compare it with docs/how-to/own-server.md; look for a proxy that caches answers',
  },
  {
    outcomes: ['ok'],
    evidence: ['error'],
    cause: 'status 200 with an error, which agents ignore',
    remedy: 'read the log; the threshold unexpected_rate == 0% lets such a run fail',
  },
  {
    outcomes: ['ok'],
    cause: 'status 200 without a confirmation',
    remedy: 'check the address; the threshold unexpected_rate == 0% lets such a run fail',
  },
  {
    outcomes: ['client_gone'],
    cause: 'the client left before the answer was complete',
    remedy: 'compare its timeout with the response times',
  },
];

type Failure = Pick<Evidence, 'operation' | 'reason' | 'head' | 'body'> & { readonly outcome: string };

/** What usually helps against a failure; `undefined` if nothing is to be done. */
export function remedyOf(
  { operation, outcome, reason = '', head = '', body = '' }: Failure,
  circumstances: Circumstances,
): Remedy | undefined {
  const seen = [reason, head, body].join('\n').toLowerCase();
  return REMEDIES.find(
    ({ outcomes, operations, evidence, when = {} }) =>
      outcomes.some((pattern) => isLike(outcome, pattern)) &&
      (operations?.includes(operation) ?? true) &&
      (evidence?.some((text) => seen.includes(text.toLowerCase())) ?? true) &&
      Object.entries(when).every(([name, value]) => circumstances[name as keyof Circumstances] === value),
  );
}

/** A cause or remedy for this target. */
export function atTarget(text: string, target: string): string {
  return text.replaceAll('{target}', target);
}

function isLike(outcome: string, pattern: string): boolean {
  const isDigit = (place: number): boolean => pattern[place] === 'N' && /\d/.test(outcome[place] ?? '');
  return (
    outcome.length === pattern.length && [...outcome].every((one, place) => one === pattern[place] || isDigit(place))
  );
}
