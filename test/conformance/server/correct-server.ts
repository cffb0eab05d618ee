import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request with its body. `json`: the parsed body; `undefined` if it is none. */
export type Call = { readonly request: IncomingMessage; readonly body: string; readonly json: unknown };

export type Reply = { readonly status: number; readonly type?: string; readonly body: unknown };

export type Members = Readonly<Record<string, unknown>>;

/** Passwords by UUID. */
export type Store = Map<string, string>;

export function membersOf({ json }: Pick<Call, 'json'>): Members {
  return typeof json === 'object' && json !== null ? (json as Members) : {};
}

const isPassword = (value: unknown) => typeof value === 'string' && value !== '';
const random = () => crypto.randomUUID().replaceAll('-', '');

/** A push server of forty lines, as its author would write it after reading the API. It gives each agent a host. */
export function replyTo(call: Call, known: Store): Reply {
  const [path = ''] = (call.request.url ?? '').split('?');
  const action = /^\/agentconnector\/(register_agent|submit_checkdata|submit_package_info)\.json$/.exec(path)?.[1];
  if (call.request.headers.authorization !== 'X-OITC-API Key7') return { status: 401, body: undefined };
  if (action === undefined) return { status: 404, body: { error: 'Not Found' } };
  const notAllowed = { message: 'Method Not Allowed', url: call.request.url, code: 405 };
  if (call.request.method !== 'POST') return { status: 405, body: notAllowed };
  if (call.json === undefined) return { status: 400, body: { error: 'The body is not JSON' } };
  const { agentuuid: uuid, password, checkdata } = membersOf(call);
  const isRight = typeof uuid === 'string' && isPassword(password) && known.get(uuid) === password;
  if (action === 'submit_checkdata') {
    if (!isRight) return { status: 400, body: { error: 'Invalid credentials or host not found' } };
    return { status: 200, body: { received_checks: Object.keys(checkdata ?? {}).length } };
  }
  if (action === 'submit_package_info') {
    const error = 'Error while processing package information';
    return isRight
      ? { status: 200, body: { success: true, error: '' } }
      : { status: 400, body: { success: false, error } };
  }
  return isRight ? { status: 200, body: { agentuuid: uuid, password } } : register(membersOf(call), known);
}

function register({ agentuuid: uuid, password }: Members, known: Store): Reply {
  if (typeof uuid !== 'string' || typeof password !== 'string' || uuid === '')
    return { status: 400, body: { error: 'Field uuid or password is missing in POST data' } };
  if (password !== '') return { status: 404, body: { error: 'No Agent found for given UUID and password' } };
  if (known.has(uuid)) return { status: 403, body: { error: 'The given UUID is already registed with a password!' } };
  const issued = random() + random() + random() + random();
  known.set(uuid, issued);
  return { status: 201, body: { agentuuid: uuid, password: issued } };
}

/** Sends a reply; a body that is not a string becomes JSON. */
export function sendReply(response: ServerResponse, { status, type = 'application/json', body }: Reply): void {
  const content = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(content) });
  response.end(content);
}

export type Handler = (call: Call, known: Store, response: ServerResponse) => void | Promise<void>;

export const correct: Handler = (call, known, response) => sendReply(response, replyTo(call, known));

/** Starts a server with this handler of whole requests. Returns its URL and what stops it. */
export async function serveCalls(
  handle: Handler,
  early: (request: IncomingMessage, response: ServerResponse) => void = () => {},
) {
  const known: Store = new Map();
  const server = createServer({ keepAliveTimeout: 65_000 }, async (request, response) => {
    early(request, response);
    const body = await text(request).catch(() => undefined);
    if (body !== undefined && !response.writableEnded)
      await handle({ request, body, json: jsonOf(body) }, known, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, server, stop };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
