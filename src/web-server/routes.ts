import type { ServedOperation } from '../protocol/operations.ts';
import type { DialectName } from '../protocol/push.ts';
import type { WebServerSetup } from './ports.ts';
import { readTarget } from './target.ts';

/** What serves a request; `query` is as sent. */
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

/** Where a request leads: to a route, or to an answer that needs no authentication. */
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

/** In the agent's order of evaluation: 301, then 404, then 405 (docs/protocol.md, "Agent web server"). */
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
