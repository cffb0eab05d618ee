import { cleanPath, escapedPath, unescaped } from '../../base/protocol/go.ts';
import type { ServedOperation } from '../../base/protocol/operations.ts';
import type { DialectName } from '../../base/protocol/push.ts';
import type { WebServerSetup } from './ports.ts';

/** The route of a request; `query` is as sent. */
export type Route = {
  readonly kind: 'route';
  readonly name: RouteName;
  readonly operation: ServedOperation;
  readonly query: string;
};

export type RouteName =
  | 'checkdata'
  | 'packages'
  | 'prometheus'
  | 'read-config'
  | 'push-config'
  | 'signing-request'
  | 'certificates';

/** The result of routing: a route, or an answer that needs no authentication. */
export type Destination =
  | Route
  | { readonly kind: 'moved'; readonly location: string }
  | { readonly kind: 'not_found' | 'wrong_method' | 'malformed' | 'server_options' };

type PathRoutes = {
  readonly operation: ServedOperation;
  readonly methods: Readonly<Record<string, RouteName>>;
};

const PATHS: ReadonlyMap<string, PathRoutes> = new Map([
  ['/', { operation: 'serve-checkdata', methods: { GET: 'checkdata' } }],
  ['/packages', { operation: 'serve-packages', methods: { GET: 'packages' } }],
  ['/prometheus', { operation: 'serve-prometheus', methods: { GET: 'prometheus' } }],
  ['/config', { operation: 'serve-config', methods: { GET: 'read-config', POST: 'push-config' } }],
  ['/autotls', { operation: 'serve-autotls', methods: { GET: 'signing-request', POST: 'certificates' } }],
]);

/** Routes in the agent's order of evaluation: 301, then 404, then 405 (docs/reference/agent-web-server.md, "Agent web server"). */
export function findRoute(
  { method, target }: { readonly method: string; readonly target: string },
  dialect: DialectName,
  { autoTls }: Pick<WebServerSetup, 'autoTls'>,
): Destination {
  if (target === '*' && method === 'OPTIONS') return { kind: 'server_options' };
  const read = readTarget(target);
  if (read.kind === 'malformed') return read;
  if (read.kind === 'unclean') return { kind: 'moved', location: read.location };
  const routes = PATHS.get(read.path);
  const hidden = dialect === 'documented' && !autoTls && routes?.operation === 'serve-autotls';
  if (routes === undefined || hidden) return { kind: 'not_found' };
  const name = Object.hasOwn(routes.methods, method) ? routes.methods[method] : undefined;
  if (name === undefined) return { kind: 'wrong_method' };
  return { kind: 'route', name, operation: routes.operation, query: read.query };
}

/**
 * The target of a request. Paths are byte strings: one character from 0 to 255 per byte, with percent escapes decoded.
 * `unclean`: the client is redirected, as by Go's routers. `malformed`: the target is invalid.
 */
type RequestTarget =
  | { readonly kind: 'path'; readonly path: string; readonly query: string }
  | { readonly kind: 'unclean'; readonly location: string }
  | { readonly kind: 'malformed' };

const MALFORMED: RequestTarget = { kind: 'malformed' };
const ABSOLUTE = /^([a-z][a-z0-9+.-]*):\/\/([^/?]*)(.*)$/is;
/** Escapes in a host name are for non-ASCII bytes only. */
const AUTHORITY =
  /^(?:[\w\-.:~!$&'()*+,;=%@]*@)?(?:\[[\da-f:.%]*\]|(?:[\w\-.~!$&'()*+,;=<>"\x80-\xff]|%[89a-f][\da-f])*)(?::\d*)?$/i;
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i;

/** Parses the target of a request line, whose characters are its bytes (docs/reference/agent-web-server.md, "Agent web server"). */
function readTarget(text: string): RequestTarget {
  // Fast path: nearly every request has a plain path.
  if (/^\/[a-z]*$/.test(text)) return { kind: 'path', path: text, query: '' };
  const [, scheme = '', authority = '', local = text] = ABSOLUTE.exec(text) ?? [];
  if (scheme === '' && !local.startsWith('/') && local !== '*') return MALFORMED;
  const question = local.indexOf('?');
  const escaped = question < 0 ? local : local.slice(0, question);
  const query = question < 0 ? '' : local.slice(question + 1);
  if (BROKEN_ESCAPE.test(escaped) || !AUTHORITY.test(authority)) return MALFORMED;
  const path = unescaped(escaped);
  const cleaned = cleanPath(path);
  const clean = path.endsWith('/') && cleaned !== '/' ? `${cleaned}/` : cleaned;
  if (clean === path) return { kind: 'path', path, query };
  const origin = scheme === '' ? '' : `${scheme.toLowerCase()}://${authority}`;
  return { kind: 'unclean', location: `${origin}${escapedPath(clean)}${question < 0 ? '' : `?${query}`}` };
}

/** Returns the first value of a query parameter, decoded; empty if it is missing. Malformed pairs are ignored. */
export function queryValue(query: string, parameter: string): string {
  for (const pair of query.split('&')) {
    if (pair.includes(';') || BROKEN_ESCAPE.test(pair)) continue;
    const equals = pair.indexOf('=');
    const name = equals < 0 ? pair : pair.slice(0, equals);
    if (unescapeQuery(name) === parameter) return equals < 0 ? '' : unescapeQuery(pair.slice(equals + 1));
  }
  return '';
}

function unescapeQuery(text: string): string {
  return Buffer.from(unescaped(text.replaceAll('+', ' ')), 'latin1').toString();
}
