import { CHECK_NAMES } from '../../base/protocol/checks.ts';
import { API_KEY_SCHEME, ERROR_TEXTS } from '../../base/protocol/push.ts';
import type { HttpAnswer } from '../../wire/http/answer.ts';
import {
  COMPOSITE,
  EMPTY_ENVELOPE,
  type Envelope,
  type Field,
  isJsonType,
  mediaType,
  textOf,
} from '../json/envelope.ts';
import { COLUMN_LENGTHS, collated, hasHost, isLonger } from '../registrations.ts';
import { keyInCookie, queryOf } from './api-keys.ts';
import type { DialectContext, PushRequest } from './dialect.ts';
import {
  controllerAnswer,
  frameworkError,
  HTML_TYPE,
  htmlPage,
  type RoutedPath,
  routeOf,
  unroutedError,
} from './framework-answers.ts';
import { judgePackages } from './package-rules.ts';

const CHANGING_METHODS: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];
/** Methods that the header `X-HTTP-Method-Override` may name; an empty one is none of an action's. */
const METHODS: readonly string[] = [...CHANGING_METHODS, 'GET', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT', ''];
const FAILED = 'An Internal Error Has Occurred.';
const PASSED_OVER: readonly string[] = ['prometheus_exporters', 'users'];
/** Checks for which the server has a plugin (docs/reference/documents.md, "Members the monitoring server reads"). */
const EVALUATED_CHECKS = CHECK_NAMES.filter((name) => !PASSED_OVER.includes(name));

/** Answers like the released server's code, step by step in its order (docs/reference/wire.md, "Push API"). */
export function answerShipped(sent: PushRequest, context: DialectContext): HttpAnswer {
  const request = overridden(sent);
  const route = routeOf(request);
  return (
    refusalBeforeAction(request, route, context) ??
    act({ ...request, endpoint: route.endpoint }, requestFields(request), context)
  );
}

/** The request with the method that its header or form names instead. */
function overridden(request: PushRequest): PushRequest {
  const method = request.headers['x-http-method-override'] ?? fieldsOf(request)._method;
  return typeof method === 'string' ? { ...request, method } : request;
}

function refusalBeforeAction(
  request: PushRequest,
  route: RoutedPath,
  { settings, hosts }: DialectContext,
): HttpAnswer | undefined {
  const { method, target, headers, envelope } = request;
  const changes = CHANGING_METHODS.includes(method);
  if (!METHODS.includes(method.toUpperCase())) return unroutedError(400, 'Bad Request', request);
  if (changes && isJsonType(headers['content-type']) && envelope === undefined)
    return unroutedError(400, 'Bad Request', request);
  const hasScheme = headers.authorization?.includes('X-OITC-API') === true || queryOf(target).includes('apikey');
  if (changes && !hasScheme) return frameworkError(403, 'Missing or incorrect CSRF cookie type.', request);
  return wrongKey(request, settings.apiKey) ?? refusalOfRoute(request, route, { settings, hosts });
}

function wrongKey(request: PushRequest, apiKey: string): HttpAnswer | undefined {
  if (apiKey === '') return undefined;
  const key = presentedKey(request);
  if (key === COMPOSITE) return frameworkError(500, FAILED, request);
  return collated(key) === collated(apiKey) ? undefined : { status: 401, type: HTML_TYPE, body: '' };
}

function refusalOfRoute(
  request: PushRequest,
  { isOurs, endpoint, extension }: RoutedPath,
  { settings: { version }, hosts }: Pick<DialectContext, 'settings' | 'hosts'>,
): HttpAnswer | undefined {
  // The page that loads the web interface.
  if (extension === 'html' && isOurs) return htmlPage(200, 'openITCOCKPIT', 'The web interface.');
  const isAction = endpoint !== undefined && (version !== '5.3' || endpoint !== 'submit_package_info');
  if (!isAction) return hosts.answer(request) ?? frameworkError(404, 'Not Found', request);
  if (request.method !== 'POST' || extension !== 'json') return frameworkError(405, 'Method Not Allowed', request);
  return undefined;
}

/**
 * The API key of a request. Of the header `Authorization`, a cookie of that name, and the query parameter `apikey`, the last one wins
 * (docs/developers/server.md, "Before the controller runs"). The server takes off the scheme by its length.
 */
function presentedKey({ headers, target }: PushRequest): string | typeof COMPOSITE {
  const inQuery = target.includes('apikey') ? formFields(Buffer.from(queryOf(target))).apikey : undefined;
  if (inQuery !== undefined) return inQuery === COMPOSITE ? COMPOSITE : inQuery.trim();
  return ((keyInCookie(headers.cookie) || headers.authorization) ?? '').slice(API_KEY_SCHEME.length).trim();
}

function act(request: PushRequest, fields: Envelope, context: DialectContext): HttpAnswer {
  switch (request.endpoint) {
    case 'submit_checkdata':
      return submitCheckdata(request, fields, context);
    case 'submit_package_info':
      return submitPackageInfo(request, fields, context);
    default:
      return register(request, fields, context);
  }
}

function register(request: PushRequest, fields: Envelope, context: DialectContext): HttpAnswer {
  const { agentuuid, password } = fields;
  if (agentuuid === undefined || agentuuid === null || password === undefined || password === null) {
    return controllerAnswer(400, { error: ERROR_TEXTS.fieldsMissing });
  }
  // The database compares no lists.
  if (agentuuid === COMPOSITE || password === COMPOSITE) return frameworkError(500, FAILED, request);
  if (password === '') return enroll(request, fields, context);
  return context.registrations.match(textOf(agentuuid), textOf(password)) === undefined
    ? controllerAnswer(404, { error: ERROR_TEXTS.agentNotFound })
    : controllerAnswer(200, { success: true });
}

function enroll(request: PushRequest, fields: Envelope, { registrations }: DialectContext): HttpAnswer {
  const uuid = textOf(fields.agentuuid);
  if (registrations.find(uuid) !== undefined) return controllerAnswer(403, { error: ERROR_TEXTS.alreadyRegistered });
  const errors = validationErrors(fields, request);
  if (errors !== undefined) return controllerAnswer(400, { error: errors });
  const agent = registrations.add({ uuid, hostname: textOf(fields.hostname), ipaddress: textOf(fields.ipaddress) });
  return agent === undefined
    ? controllerAnswer(503, { error: 'The server has no room for more agents' })
    : controllerAnswer(201, { agentuuid: fields.agentuuid, password: agent.password });
}

function submitCheckdata(request: PushRequest, fields: Envelope, context: DialectContext): HttpAnswer {
  if (fields.agentuuid === COMPOSITE || fields.password === COMPOSITE) return frameworkError(500, FAILED, request);
  const agent = context.submitter(request, fields);
  // The data of an agent without a host are stored, too: the wizard offers services from them.
  if (agent !== undefined && context.settings.hostAssignment.kind === 'manual') {
    const { checkdata } = fields;
    context.hosts.rememberChecks(
      agent.uuid,
      EVALUATED_CHECKS.filter((name) => checkdata?.member(name) !== undefined),
    );
  }
  if (!hasHost(agent)) return controllerAnswer(400, { error: ERROR_TEXTS.credentialsOrHost });
  // Counts the services of a host whose configuration was exported, and this server has none.
  return controllerAnswer(200, { success: true, received_checks: 0 });
}

function submitPackageInfo(request: PushRequest, fields: Envelope, context: DialectContext): HttpAnswer {
  const isHost = hasHost(context.submitter(request, fields));
  switch (isHost ? judgePackages(request.body, fields.checkdata) : 'refused') {
    case 'accepted':
    case 'empty':
      return controllerAnswer(200, { success: true, error: '' });
    case 'refused':
      return controllerAnswer(400, { success: false, error: ERROR_TEXTS.packageInformation });
    case 'type_error':
      return frameworkError(500, FAILED, request);
  }
}

/**
 * The fields of a request: JSON counts only with a JSON content type, and the fields of forms count, too
 * (docs/developers/server.md, "Before the controller runs"). Malformed JSON has already been rejected.
 */
function requestFields(request: PushRequest): Envelope {
  if (isJsonType(request.headers['content-type'])) return request.envelope ?? EMPTY_ENVELOPE;
  const { agentuuid, password, hostname, ipaddress } = fieldsOf(request);
  return { agentuuid, password, hostname, ipaddress, checkdata: undefined };
}

function fieldsOf({ headers, body }: PushRequest): FormFields {
  const type = headers['content-type'] ?? '';
  switch (mediaType(type)) {
    case 'application/x-www-form-urlencoded':
      return formFields(body);
    case 'multipart/form-data':
      return multipartFields(body, type);
    default:
      return {};
  }
}

/** Validation errors of a new agent, by column and rule; `undefined` if there are none. */
function validationErrors({ agentuuid, hostname, ipaddress }: Envelope, { headers }: PushRequest): object | undefined {
  const forwarded = headers['x-forwarded-for'];
  const columns: readonly (readonly [string, Field, number])[] = [
    ['uuid', agentuuid, COLUMN_LENGTHS.uuid],
    ['hostname', hostname, COLUMN_LENGTHS.hostname],
    ['ipaddress', ipaddress, COLUMN_LENGTHS.ipaddress],
    ['remote_address', headers['client-ip']?.toString(), COLUMN_LENGTHS.ipaddress],
    // Of repeated headers, the server reads the last one.
    ['http_x_forwarded_for', Array.isArray(forwarded) ? forwarded.at(-1) : forwarded, COLUMN_LENGTHS.ipaddress],
  ];
  const broken = columns.flatMap(([column, field, longest]) => {
    const rules = brokenRules(field, longest);
    if (column === 'uuid' && field === '') return [[column, { _empty: 'This field cannot be left empty' }] as const];
    return rules === undefined ? [] : [[column, rules] as const];
  });
  return broken.length === 0 ? undefined : Object.fromEntries(broken);
}

function brokenRules(field: Field, longest: number): Record<string, string> | undefined {
  const isComposite = field === COMPOSITE;
  if (!isComposite && !isLonger(textOf(field), longest)) return undefined;
  return {
    ...(isComposite && { scalar: 'The provided value must be scalar' }),
    maxLength: `The provided value must be at most \`${longest}\` characters long`,
  };
}

/** Fields of a form as PHP reads them; names with brackets make lists, and files are none of them. */
type FormFields = Readonly<Record<string, string | typeof COMPOSITE | undefined>>;

/** PHP reads no more fields of a form (`max_input_vars`). */
const MAX_FIELDS = 1000;
/** In escaped bytes. A longer value only needs to stay longer than any column. */
const MAX_FIELD_BYTES = 4096;

/** Reads `a=1&b=2`; the last field counts if a name is repeated. */
function formFields(body: Buffer): FormFields {
  const parts: string[] = [];
  for (let start = 0; start < body.length && parts.length < MAX_FIELDS; ) {
    const next = body.indexOf('&', start);
    const end = next < 0 ? body.length : next;
    parts.push(body.toString('utf8', start, Math.min(end, start + MAX_FIELD_BYTES)));
    start = end + 1;
  }
  return collected(new URLSearchParams(parts.join('&')));
}

function multipartFields(body: Buffer, contentType: string): FormFields {
  const boundary = /;.*\bboundary=(?:"([^"]+)"|([^;\s]+))/is.exec(contentType);
  if (boundary === null) return {};
  const delimiter = `--${boundary[1] ?? boundary[2]}`;
  const fields: (readonly [string, string | typeof COMPOSITE])[] = [];
  for (let start = body.indexOf(delimiter); start >= 0 && fields.length < MAX_FIELDS; ) {
    const next = body.indexOf(`\r\n${delimiter}`, start + delimiter.length);
    const end = next < 0 ? body.length : next;
    const part = body.toString('utf8', start + delimiter.length, Math.min(end, start + 2 * MAX_FIELD_BYTES));
    const [head = '', ...rest] = part.split('\r\n\r\n');
    const name = /\bname="([^"]*)"/i.exec(head)?.[1];
    const isFile = /\bfilename=/i.test(head);
    if (name !== undefined && rest.length > 0) fields.push([name, isFile ? COMPOSITE : rest.join('\r\n\r\n')]);
    start = next < 0 ? -1 : next + 2;
  }
  return collected(fields);
}

function collected(all: Iterable<readonly [string, string | typeof COMPOSITE]>): FormFields {
  const fields: Record<string, string | typeof COMPOSITE | undefined> = Object.create(null);
  for (const [name, value] of all) {
    const bracket = name.indexOf('[');
    if (bracket > 0) fields[name.slice(0, bracket)] = COMPOSITE;
    else fields[name] = value;
  }
  return fields;
}
