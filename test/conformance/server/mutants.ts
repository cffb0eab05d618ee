import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { deflateSync, gzipSync } from 'node:zlib';
import {
  type Call,
  correct,
  type Handler,
  type Members,
  membersOf,
  type Reply,
  replyTo,
  type Store,
  sendReply,
} from './correct-server.ts';

/** A server with one defect, and the rule that it breaks. */
export type Mutant = {
  readonly rule: string;
  readonly handle: Handler;
  readonly early?: (request: IncomingMessage, response: ServerResponse) => void;
  /** Only cases of connections are tried, with pauses as long as they are, because others cannot tell. */
  readonly isSlow?: true;
};

type Action = 'register' | 'checkdata' | 'package_info';

function isFor(action: Action, { request }: Call): boolean {
  return (
    request.url?.includes(`_${action}`) === true ||
    (action === 'register' && request.url?.includes('/register_') === true)
  );
}

/** The correct server, whose replies of this status to this action are changed. */
function changed(
  rule: string,
  action: Action,
  status: number,
  change: (reply: Reply, call: Call) => Partial<Reply>,
): Mutant {
  return replying(rule, (call, known) => {
    const reply = replyTo(call, known);
    return isFor(action, call) && reply.status === status ? { ...reply, ...change(reply, call) } : reply;
  });
}

function replying(rule: string, reply: (call: Call, known: Store) => Reply): Mutant {
  return { rule, handle: (call, known, response) => sendReply(response, reply(call, known)) };
}

/** The correct server, but these calls are answered otherwise. */
function instead(
  rule: string,
  action: Action,
  applies: (members: Members, call: Call, known: Store) => boolean,
  reply: Reply,
): Mutant {
  return replying(rule, (call, known) =>
    isFor(action, call) && isAllowed(call) && applies(membersOf(call), call, known) ? reply : replyTo(call, known),
  );
}

function isAllowed({ request, json }: Call): boolean {
  return request.method === 'POST' && request.headers.authorization === 'X-OITC-API Key7' && json !== undefined;
}

const withMembers =
  (members: Members) =>
  ({ body }: Reply): Partial<Reply> => ({ body: { ...(body as Members), ...members } });
const REFUSAL: Reply = { status: 400, body: { error: 'no' } };
const FAILURE: Reply = { status: 500, body: { error: 'failed' } };
const PUSHED: Reply = { status: 200, body: { received_checks: 1 } };
const html = () => ({ type: 'text/html' });
const isText = (value: unknown): value is string => typeof value === 'string';
const knows = ({ agentuuid, password }: Members, known: Store) =>
  isText(agentuuid) && known.get(agentuuid) === password;
const isAgent = (members: Members, _call: Call, known: Store) => known.has(String(members.agentuuid));
const documentOf = ({ checkdata }: Members): Members =>
  typeof checkdata === 'object' && checkdata !== null ? (checkdata as Members) : {};

/** Like `correct`, with another way to send. */
function sending(rule: string, send: (response: ServerResponse, reply: Reply, call: Call) => void): Mutant {
  return { rule, handle: (call, known, response) => send(response, replyTo(call, known), call) };
}

const isKey = ({ request }: Call) => request.headers.authorization === 'X-OITC-API Key7';
const withRightKey = (call: Call): Call => ({
  ...call,
  request: Object.assign(Object.create(call.request), {
    headers: { ...call.request.headers, authorization: 'X-OITC-API Key7' },
  }),
});

/** Registers nobody twice, but looks before it waits. */
async function racing(call: Call, known: Store, response: ServerResponse): Promise<void> {
  const reply = replyTo(call, new Map(known));
  await pause(isFor('register', call) && reply.status === 201 ? 20 : 0);
  const { agentuuid, password } = membersOf({ json: reply.body });
  if (reply.status === 201) known.set(String(agentuuid), String(password));
  sendReply(response, reply);
}

function lockingOut(): Handler {
  const wrong = new Map<string, number>();
  return (call, known, response) => {
    const uuid = String(membersOf(call).agentuuid);
    const reply = replyTo(call, known);
    if (reply.status === 404) wrong.set(uuid, (wrong.get(uuid) ?? 0) + 1);
    sendReply(
      response,
      (wrong.get(uuid) ?? 0) > 2 && reply.status === 200 ? { status: 404, body: { error: 'locked' } } : reply,
    );
  };
}

function oneAtATime(): Handler {
  const busy = new Set<string>();
  const pushed = new Set<string>();
  return async (call, known, response) => {
    const { agentuuid } = membersOf(call);
    if (!isFor('checkdata', call) || !isText(agentuuid)) return correct(call, known, response);
    if (busy.has(agentuuid)) return sendReply(response, { status: 409, body: { error: 'busy' } });
    busy.add(agentuuid);
    // Long enough for the other of two pushes, however busy the machine is; the first push of an agent is alone.
    if (pushed.has(agentuuid)) await pause(150);
    pushed.add(agentuuid);
    busy.delete(agentuuid);
    return correct(call, known, response);
  };
}

function rememberingBodies(): Handler {
  const seen = new Set<string>();
  return (call, known, response) => {
    const isRepeated = isFor('checkdata', call) && replyTo(call, known).status === 200 && seen.has(call.body);
    seen.add(call.body);
    return isRepeated ? sendReply(response, { status: 409, body: { error: 'again' } }) : correct(call, known, response);
  };
}

/** Answers nobody while another request is still arriving. */
function waitingForOthers(): Pick<Mutant, 'handle' | 'early'> {
  const arriving = new Set<IncomingMessage>();
  return {
    early: (request) => {
      arriving.add(request);
      request.on('end', () => arriving.delete(request)).on('close', () => arriving.delete(request));
    },
    handle: async (call, known, response) => {
      while (arriving.size > 0) await pause(20);
      await correct(call, known, response);
    },
  };
}

export const MUTANTS: readonly Mutant[] = [
  changed('register.1', 'register', 201, () => ({ status: 200 })),
  changed('register.2', 'register', 201, (_, call) => withMembers({ agentuuid: `x${membersOf(call).agentuuid}` })(_)),
  changed('register.3', 'register', 201, withMembers({ password: '' })),
  changed('register.3', 'register', 201, withMembers({ password: 7 })),
  changed('register.4', 'register', 201, html),
  changed('register.5', 'register', 201, ({ body }) => ({ body: `${JSON.stringify(body)}\nok` })),
  changed('register.6', 'register', 403, () => ({ status: 409 })),
  changed('register.7', 'register', 403, withMembers({ error: 7 })),
  changed('register.8', 'register', 403, withMembers({ error: 'Known' })),
  {
    rule: 'register.9',
    handle: (call, known, response) => {
      const reply = replyTo(call, known);
      if (reply.status === 403 && isFor('register', call)) known.set(String(membersOf(call).agentuuid), 'another');
      sendReply(response, reply);
    },
  },
  instead('register.10', 'register', ({ agentuuid, password }) => isText(agentuuid) && password === undefined, {
    status: 422,
    body: { error: 'Field uuid or password is missing in POST data' },
  }),
  instead('register.11', 'register', (members) => members.agentuuid === undefined && members.password === '', {
    ...REFUSAL,
    status: 422,
  }),
  instead('register.12', 'register', ({ agentuuid, password }) => isText(agentuuid) && password === undefined, {
    status: 400,
    body: { error: ['password'] },
  }),
  instead('register.14', 'register', ({ password }) => password === null, {
    status: 201,
    body: { agentuuid: 'a', password: 'b' },
  }),
  instead(
    'register.15',
    'register',
    ({ hostname, password, hosts }) => hostname === undefined && password === '' && hosts === undefined,
    REFUSAL,
  ),
  instead('register.16', 'register', ({ hostname }) => hostname === null, REFUSAL),
  instead('register.17', 'register', ({ hostname }) => hostname === '', REFUSAL),
  instead('register.18', 'register', ({ ipaddress }) => isText(ipaddress) && ipaddress.startsWith('['), REFUSAL),
  instead('register.19', 'register', ({ hostname }) => isText(hostname) && /[^ -~]/.test(hostname), REFUSAL),
  instead('register.20', 'register', ({ hostname }) => isText(hostname) && hostname.length === 255, REFUSAL),
  instead('register.24', 'register', ({ agentuuid }) => isText(agentuuid) && agentuuid.startsWith('web'), REFUSAL),
  instead('register.26', 'register', ({ agentuuid }) => agentuuid === '', {
    status: 201,
    body: { agentuuid: '', password: 'p' },
  }),
  instead('register.27', 'register', ({ agentuuid }) => typeof agentuuid === 'object' && agentuuid !== null, FAILURE),
  instead('register.28', 'register', ({ password }) => typeof password === 'object' && password !== null, FAILURE),
  instead('register.31', 'register', (_, { body }) => body.startsWith('{"ipaddress"'), REFUSAL),
  instead('register.32', 'register', ({ tags }) => tags !== undefined, REFUSAL),
  instead('register.33', 'register', (_, { body }) => body.startsWith('{"password":"x",'), REFUSAL),
  instead('register.34', 'register', (_, { body }) => body.includes('\\u0030') || body.includes('\\u0031'), {
    status: 201,
    body: { agentuuid: '\\u', password: 'p' },
  }),
  {
    rule: 'register.36',
    handle: (call, known, response) => {
      const reply = replyTo(call, known);
      const { agentuuid } = membersOf(call);
      if (reply.status !== 201) return sendReply(response, reply);
      known.set(String(agentuuid), 'ab'.repeat(64));
      return sendReply(response, { ...reply, body: { agentuuid, password: 'ab'.repeat(64) } });
    },
  },
  {
    rule: 'register.37',
    handle: (call, known, response) => {
      const reply = replyTo(call, known);
      const { agentuuid } = membersOf(call);
      if (reply.status !== 201) return sendReply(response, reply);
      const password = crypto.randomUUID();
      known.set(String(agentuuid), password);
      return sendReply(response, { ...reply, body: { agentuuid, password } });
    },
  },
  { rule: 'register.38', handle: racing },
  instead(
    'register.39',
    'register',
    ({ agentuuid, password }) => password === '' && isText(agentuuid) && /[A-F]/.test(agentuuid),
    { status: 403, body: { error: 'known' } },
  ),
  changed('authorize.1', 'register', 200, () => ({ status: 202 })),
  changed('authorize.2', 'register', 200, () => ({ body: { success: true } })),
  changed('authorize.3', 'register', 200, html),
  replying('authorize.4', (call, known) => {
    const reply = replyTo(call, known);
    return reply.status === 404 && known.has(String(membersOf(call).agentuuid)) ? { ...reply, status: 401 } : reply;
  }),
  instead(
    'authorize.5',
    'register',
    ({ agentuuid, password }, { request }, known) =>
      request.url === '/agentconnector/register_agent.json' &&
      isText(agentuuid) &&
      isText(password) &&
      password !== '' &&
      !known.has(agentuuid),
    { status: 401, body: { error: 'No Agent found for given UUID and password' } },
  ),
  replying('authorize.6', (call, known) => {
    const reply = replyTo(call, known);
    return reply.status === 404 && isText(membersOf(call).password) && membersOf(call).password !== ''
      ? { ...reply, body: { error: { password: 'wrong' } } }
      : reply;
  }),
  {
    rule: 'authorize.8',
    handle: (call, known, response) => {
      const reply = replyTo(call, known);
      if (reply.status === 200 && isFor('register', call)) known.set(String(membersOf(call).agentuuid), 'next');
      sendReply(response, reply);
    },
  },
  { rule: 'authorize.9', handle: lockingOut() },
  instead(
    'authorize.10',
    'register',
    (members, _, known) =>
      known.has(String(members.agentuuid)) &&
      !knows(members, known) &&
      [...known.values()].includes(String(members.password)),
    { status: 200, body: {} },
  ),
  instead(
    'authorize.11',
    'register',
    ({ agentuuid, password }, _, known) =>
      isText(password) && /[A-F]/.test(password) && known.get(String(agentuuid)) === password.toLowerCase(),
    { status: 200, body: {} },
  ),
  instead(
    'authorize.12',
    'register',
    ({ agentuuid, password }, _, known) => isText(password) && password.endsWith(' ') && known.has(String(agentuuid)),
    { status: 200, body: {} },
  ),
  changed('checkdata.1', 'checkdata', 200, () => ({ status: 202 })),
  changed('checkdata.2', 'checkdata', 200, () => ({ body: { success: true } })),
  changed('checkdata.3', 'checkdata', 200, withMembers({ received_checks: '5' })),
  changed('checkdata.3', 'checkdata', 200, () => ({ body: '{"received_checks":5.0}' })),
  changed('checkdata.4', 'checkdata', 200, withMembers({ received_checks: -1 })),
  changed('checkdata.5', 'checkdata', 200, html),
  changed('checkdata.6', 'checkdata', 200, ({ body }) => ({ body: `${JSON.stringify(body)};` })),
  instead(
    'checkdata.7',
    'checkdata',
    (members, _, known) =>
      isAgent(members, _, known) && !knows(members, known) && /^0+$/.test(String(members.password)),
    { ...REFUSAL, status: 401 },
  ),
  instead('checkdata.8', 'checkdata', ({ agentuuid }, _, known) => isText(agentuuid) && !known.has(agentuuid), {
    status: 404,
    body: { error: 'Invalid credentials or host not found' },
  }),
  instead('checkdata.9', 'checkdata', (members, _, known) => isText(members.agentuuid) && !isAgent(members, _, known), {
    status: 400,
    body: { message: 'no' },
  }),
  instead('checkdata.12', 'checkdata', ({ password }) => password === undefined, { ...REFUSAL, status: 403 }),
  instead(
    'checkdata.13',
    'checkdata',
    ({ agentuuid, password }, _, known) => isText(agentuuid) && [...known.values()].includes(String(password)),
    PUSHED,
  ),
  instead('checkdata.14', 'checkdata', ({ password }) => password === '', PUSHED),
  instead('checkdata.15', 'checkdata', (_, { body }) => body.startsWith('{"password"') && body.endsWith('}}'), REFUSAL),
  instead(
    'checkdata.16',
    'checkdata',
    (members) => Object.keys(documentOf(members)).some((name) => /\W/.test(name)),
    REFUSAL,
  ),
  instead('checkdata.17', 'checkdata', (members) => documentOf(members).processes === null, REFUSAL),
  instead('checkdata.18', 'checkdata', (_, { body }) => body.includes('18446744073709551615'), FAILURE),
  instead('checkdata.19', 'checkdata', (_, { body }) => body.includes('\\u0000'), FAILURE),
  instead('checkdata.20', 'checkdata', (_, { body }) => body.includes('1e-7'), REFUSAL),
  instead('checkdata.21', 'checkdata', (_, { body }) => body.length > 600_000 && body.length < 2 ** 21, {
    ...REFUSAL,
    status: 413,
  }),
  instead(
    'checkdata.24',
    'checkdata',
    (_, { body }) => body.includes('{"a":'.repeat(60)) && !body.includes('{"a":'.repeat(120)),
    REFUSAL,
  ),
  instead('checkdata.26', 'checkdata', ({ checkdata, password }) => isText(password) && checkdata === null, REFUSAL),
  instead('checkdata.27', 'checkdata', ({ checkdata }) => checkdata === 7, REFUSAL),
  { rule: 'checkdata.29', handle: rememberingBodies() },
  { rule: 'checkdata.30', handle: oneAtATime() },
  instead('checkdata.31', 'checkdata', ({ password }) => typeof password === 'object' && password !== null, FAILURE),
  instead(
    'checkdata.35',
    'checkdata',
    (_, { body }) => body.startsWith('{"password":"000') && body.includes('"checkdata"'),
    REFUSAL,
  ),
  changed('packages.1', 'package_info', 200, () => ({ status: 201 })),
  changed('packages.2', 'package_info', 200, () => ({ body: { error: '' } })),
  changed('packages.3', 'package_info', 200, withMembers({ success: 'true' })),
  changed('packages.4', 'package_info', 200, withMembers({ success: false })),
  changed('packages.5', 'package_info', 200, withMembers({ error: null })),
  changed('packages.6', 'package_info', 200, html),
  changed('packages.9', 'package_info', 400, withMembers({ success: true })),
  instead('packages.7', 'package_info', (members, _, known) => isAgent(members, _, known) && !knows(members, known), {
    status: 401,
    body: { success: false, error: 'no' },
  }),
  instead('packages.15', 'package_info', (_, { body }) => body.includes('"OperatingSystem":"macos"'), REFUSAL),
  instead('packages.16', 'package_info', (_, { body }) => body.length > 100_000, { ...REFUSAL, status: 413 }),
  replying('key.1', (call, known) =>
    isFor('register', call) &&
    call.request.headers.authorization === 'X-OITC-API wrong' &&
    isText(membersOf(call).hostname)
      ? { status: 302, body: undefined }
      : replyTo(call, known),
  ),
  replying('key.16', (call, known) =>
    isFor('checkdata', call) ? replyTo(withRightKey(call), known) : replyTo(call, known),
  ),
  replying('key.6', (call, known) =>
    call.request.headers.authorization === 'X-OITC-API' ? { status: 200, body: {} } : replyTo(call, known),
  ),
  {
    rule: 'key.7',
    handle: (call, known, response) => {
      if (!isKey(call) && call.request.headers.authorization === 'X-OITC-API wrong') replyTo(withRightKey(call), known);
      return correct(call, known, response);
    },
  },
  replying('method.1', (call, known) =>
    isKey(call) && call.request.method === 'GET' && isFor('checkdata', call)
      ? { status: 404, body: {} }
      : replyTo(call, known),
  ),
  replying('method.2', (call, known) =>
    isKey(call) && call.request.method === 'PUT' ? { status: 200, body: {} } : replyTo(call, known),
  ),
  changed('method.3', 'register', 405, withMembers({ message: 'No' })),
  changed('method.4', 'register', 405, ({ body }) => ({
    body: { ...(body as Members), url: String((body as Members).url).replace('/agent', '/x/agent') },
  })),
  changed('method.5', 'register', 405, withMembers({ code: '405' })),
  changed('method.6', 'register', 405, html),
  {
    rule: 'method.13',
    handle: (call, known, response) => {
      const { agentuuid } = membersOf(call);
      if (call.request.method === 'GET' && isText(agentuuid)) known.set(agentuuid, 'x');
      return correct(call, known, response);
    },
  },
  replying('path.1', (call, known) =>
    call.request.url?.includes('?site=') ? { status: 404, body: {} } : replyTo(call, known),
  ),
  replying('body.1', (call, known) =>
    isKey(call) && call.json === undefined && isFor('checkdata', call) && call.request.method === 'POST'
      ? FAILURE
      : replyTo(call, known),
  ),
  replying('body.6', (call, known) => (/^\s/.test(call.body) ? REFUSAL : replyTo(call, known))),
  replying('type.1', (call, known) =>
    call.request.headers['content-type']?.includes('charset') ? { ...REFUSAL, status: 415 } : replyTo(call, known),
  ),
  replying('connection.11', (call, known) =>
    call.request.headers['user-agent']?.startsWith('Go') ? { ...REFUSAL, status: 403 } : replyTo(call, known),
  ),
  sending('connection.1', (response, { status, body }) => {
    response.removeHeader('Transfer-Encoding');
    response.useChunkedEncodingByDefault = false;
    response.shouldKeepAlive = false;
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(body === undefined ? '' : JSON.stringify(body));
  }),
  sending('connection.7', (response, reply, { request }) => {
    if (request.headers['accept-encoding'] !== undefined) return sendReply(response, reply);
    response.writeHead(reply.status, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
    return response.end(gzipSync(JSON.stringify(reply.body ?? '')));
  }),
  sending('connection.8', (response, reply, { body, request }) => {
    const isOurs = body.includes('muster-conform') && isText(membersOf({ json: reply.body }).password);
    if (!isOurs || request.headers['accept-encoding'] === undefined) return sendReply(response, reply);
    response.writeHead(reply.status, { 'Content-Type': 'application/json', 'Content-Encoding': 'deflate' });
    return response.end(deflateSync(JSON.stringify(reply.body)));
  }),
  sending('connection.2', (response, reply) => {
    response.shouldKeepAlive = false;
    sendReply(response, reply);
  }),
  sending('connection.9', (response, reply, { request }) => {
    sendReply(response, reply);
    if (request.method !== 'HEAD') response.socket?.write('\r\n\r\n');
  }),
  sending('connection.12', (response, reply, { request }) => {
    if (request.httpVersion === '1.1') {
      response.shouldKeepAlive = true;
      response.setHeader('Connection', 'keep-alive');
    }
    sendReply(response, reply);
  }),
  {
    rule: 'connection.14',
    handle: (call, known, response) =>
      sendReply(
        response,
        call.request.headers['transfer-encoding'] === undefined ? replyTo(call, known) : { ...REFUSAL, status: 411 },
      ),
  },
  {
    rule: 'connection.4',
    isSlow: true,
    handle: correct,
    early: (request, response) => {
      const timer = setTimeout(() => sendReply(response, REFUSAL), 500);
      request.on('end', () => clearTimeout(timer)).on('close', () => clearTimeout(timer));
    },
  },
  {
    rule: 'connection.10',
    isSlow: true,
    handle: (call, known, response) => {
      if (
        call.request.headers['user-agent']?.startsWith('openITCOCKPIT') &&
        call.request.headers.connection === undefined
      ) {
        response.socket?.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
      }
      return correct(call, known, response);
    },
  },
  {
    rule: 'connection.6',
    isSlow: true,
    ...waitingForOthers(),
  },
];
