import { SERVER_LIMITS } from '../../ground/protocol/attacks.ts';
import { CHECK_NAMES } from '../../ground/protocol/checks.ts';
import { ENDPOINT_PATHS, ERROR_TEXTS } from '../../ground/protocol/push.ts';
import { emptyAnswer, type HttpAnswer } from '../../wire/http/answer.ts';
import { COMPOSITE, EMPTY_ENVELOPE, type Envelope, type Field, textOf } from '../json/envelope.ts';
import { COLUMN_LENGTHS, isLonger, type RegistrationColumn } from '../registrations.ts';
import type { MonitoringServerSettings } from '../settings.ts';
import {
  type DialectContext,
  findAgent,
  findSubmitter,
  hasHost,
  isJsonType,
  keyInQuery,
  mediaType,
  type PushRequest,
  shownApiKey,
} from './dialect.ts';
import { controllerAnswer, frameworkError, malformedBody } from './framework-answers.ts';
import { judgePackages } from './package-info.ts';

const CHANGING_METHODS: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];
const ACTIONS: Readonly<Record<MonitoringServerSettings['version'], readonly string[]>> = {
  '5.3': [ENDPOINT_PATHS.register_agent, ENDPOINT_PATHS.submit_checkdata],
  '5.5': Object.values(ENDPOINT_PATHS),
};
const PASSED_OVER: readonly string[] = ['prometheus_exporters', 'users'];
/** Checks for which the server has a plugin (docs/reference/documents.md, "Members the monitoring server reads"). */
const EVALUATED_CHECKS = CHECK_NAMES.filter((name) => !PASSED_OVER.includes(name));

/** Answers like the released server's code, step by step in its order (docs/reference/wire.md, "Push API"). */
export function answerShipped(request: PushRequest, context: DialectContext): HttpAnswer {
  return refusalBeforeAction(request, context) ?? act(request, requestFields(request), context);
}

function refusalBeforeAction(request: PushRequest, { settings, hosts }: DialectContext): HttpAnswer | undefined {
  const { method, target, headers, envelope } = request;
  const changes = CHANGING_METHODS.includes(method);
  if (changes && isJsonType(headers['content-type']) && envelope === undefined) return malformedBody(request);
  const hasScheme = headers.authorization?.includes('X-OITC-API') === true || keyInQuery(target) !== undefined;
  if (changes && !hasScheme) return frameworkError(403, 'Missing or incorrect CSRF cookie type.', request);
  if (settings.apiKey !== '' && shownApiKey(request) !== settings.apiKey) return emptyAnswer(401);
  const path = target.replace(/\?.*/s, '');
  const isAction = ACTIONS[settings.version].some((action) => action === path || action === `${path}.json`);
  if (!isAction) return hosts.answer(request) ?? frameworkError(404, 'Not Found', request);
  // Also reached by the path of an action without `.json`.
  if (method !== 'POST' || request.endpoint === undefined) return frameworkError(405, 'Method Not Allowed', request);
  return undefined;
}

function act(request: PushRequest, fields: Envelope, context: DialectContext): HttpAnswer {
  switch (request.endpoint) {
    case 'submit_checkdata':
      return submitCheckdata(request, fields, context);
    case 'submit_package_info':
      return submitPackageInfo(request, fields, context);
    default:
      return register(fields, context);
  }
}

function register(fields: Envelope, context: DialectContext): HttpAnswer {
  const { agentuuid, password } = fields;
  if (agentuuid === undefined || agentuuid === null || password === undefined || password === null) {
    return controllerAnswer(400, { error: ERROR_TEXTS.fieldsMissing });
  }
  if (password === '') return enroll(fields, context);
  return findAgent(fields, context) === undefined
    ? controllerAnswer(404, { error: ERROR_TEXTS.agentNotFound })
    : controllerAnswer(200, { success: true });
}

function enroll(fields: Envelope, { registrations }: DialectContext): HttpAnswer {
  const uuid = textOf(fields.agentuuid);
  if (registrations.find(uuid) !== undefined) return controllerAnswer(403, { error: ERROR_TEXTS.alreadyRegistered });
  const errors = validationErrors(fields);
  if (errors !== undefined) return controllerAnswer(400, { error: errors });
  const agent = registrations.add({ uuid, hostname: textOf(fields.hostname), ipaddress: textOf(fields.ipaddress) });
  return agent === undefined
    ? controllerAnswer(503, { error: 'The server has no room for more agents' })
    : controllerAnswer(201, { agentuuid: fields.agentuuid, password: agent.password });
}

function submitCheckdata(request: PushRequest, fields: Envelope, context: DialectContext): HttpAnswer {
  const agent = findSubmitter(request, fields, context);
  const { checkdata } = fields;
  if (agent !== undefined && checkdata !== undefined && checkdata.end - checkdata.start > SERVER_LIMITS.documentBytes) {
    return frameworkError(500, 'An Internal Error Has Occurred.', request);
  }
  const isHost = hasHost(agent);
  const isKept = agent !== undefined && context.settings.hostAssignment.kind === 'manual';
  const evaluated =
    isHost || isKept ? EVALUATED_CHECKS.filter((name) => checkdata?.member(name) !== undefined) : undefined;
  // The data of an agent without a host are stored, too: the wizard offers services from them.
  if (isKept && evaluated !== undefined) context.hosts.saw(agent.uuid, evaluated);
  if (!isHost || evaluated === undefined) return controllerAnswer(400, { error: ERROR_TEXTS.credentialsOrHost });
  return controllerAnswer(200, { success: true, received_checks: evaluated.length });
}

function submitPackageInfo(request: PushRequest, fields: Envelope, context: DialectContext): HttpAnswer {
  const isHost = hasHost(findSubmitter(request, fields, context));
  switch (isHost ? judgePackages(request.body, fields.checkdata) : 'refused') {
    case 'accepted':
    case 'empty':
      return controllerAnswer(200, { success: true, error: '' });
    case 'refused':
      return controllerAnswer(400, { success: false, error: ERROR_TEXTS.packageInformation });
    case 'type_error':
      return frameworkError(500, 'An Internal Error Has Occurred.', request);
  }
}

/**
 * The fields of a request. JSON counts only with a JSON content type; fields of a form count, too
 * (docs/reference/wire.md, "Before the controller runs"). Malformed JSON has already been rejected.
 */
function requestFields({ headers, body, envelope }: PushRequest): Envelope {
  if (isJsonType(headers['content-type'])) return envelope ?? EMPTY_ENVELOPE;
  if (mediaType(headers['content-type']) !== 'application/x-www-form-urlencoded') return EMPTY_ENVELOPE;
  const form = new URLSearchParams(formText(body));
  const field = (name: string) => form.get(name) ?? undefined;
  return {
    agentuuid: field('agentuuid'),
    password: field('password'),
    hostname: field('hostname'),
    ipaddress: field('ipaddress'),
    checkdata: undefined,
  };
}

/** PHP reads no more fields of a form (`max_input_vars`). */
const MOST_FORM_FIELDS = 1000;
/** In escaped bytes. A longer value only needs to stay longer than any column. */
const LONGEST_FORM_FIELD = 4096;

function formText(body: Buffer): string {
  const fields: string[] = [];
  for (let start = 0; start < body.length && fields.length < MOST_FORM_FIELDS; ) {
    const next = body.indexOf('&', start);
    const end = next < 0 ? body.length : next;
    fields.push(body.toString('utf8', start, Math.min(end, start + LONGEST_FORM_FIELD)));
    start = end + 1;
  }
  return fields.join('&');
}

/** Validation errors of a new agent, by column and rule; `undefined` if there are none. */
function validationErrors({ agentuuid, hostname, ipaddress }: Envelope): object | undefined {
  const columns: readonly (readonly [RegistrationColumn, Field])[] = [
    ['uuid', agentuuid],
    ['hostname', hostname],
    ['ipaddress', ipaddress],
  ];
  const broken = columns.flatMap(([column, field]) => {
    const rule = brokenRule(column, field);
    return rule === undefined ? [] : [[column, rule] as const];
  });
  return broken.length === 0 ? undefined : Object.fromEntries(broken);
}

function brokenRule(column: RegistrationColumn, field: Field): Record<string, string> | undefined {
  if (column === 'uuid' && field === '') return { _empty: 'This field cannot be left empty' };
  if (field === COMPOSITE) return { scalar: 'The provided value must be scalar' };
  const longest = COLUMN_LENGTHS[column];
  return isLonger(textOf(field), longest)
    ? { maxLength: `The provided value must be at most \`${longest}\` characters long` }
    : undefined;
}
