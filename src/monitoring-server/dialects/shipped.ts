import { emptyAnswer, type HttpAnswer } from '../../http/answer.ts';
import { ENDPOINT_PATHS, ERROR_TEXTS } from '../../protocol/push.ts';
import { CHECK_NAMES } from '../../protocol/shapes.ts';
import { type Envelope, textOf } from '../json/envelope.ts';
import type { MonitoringServerSettings } from '../settings.ts';
import { keyInQuery, shownApiKey } from './api-key.ts';
import { type DialectContext, findAgent, findSubmitter, hasHost, type PushRequest } from './dialect.ts';
import { judgePackages } from './package-info.ts';
import { controllerAnswer, frameworkError, malformedBody } from './shipped-answers.ts';
import { isJsonType, requestFields, validationErrors } from './shipped-fields.ts';

const CHANGING_METHODS: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];
const ACTIONS: Readonly<Record<MonitoringServerSettings['version'], readonly string[]>> = {
  '5.3': [ENDPOINT_PATHS.register_agent, ENDPOINT_PATHS.submit_checkdata],
  '5.5': Object.values(ENDPOINT_PATHS),
};
/** What the server's database column holds. */
const LARGEST_CHECKDATA_BYTES = 16_777_215;
const PASSED_OVER: readonly string[] = ['prometheus_exporters', 'users'];
/** Checks for which the server has a plugin (docs/protocol.md, "Members the monitoring server reads"). */
const EVALUATED_CHECKS: ReadonlySet<string> = new Set(CHECK_NAMES.filter((name) => !PASSED_OVER.includes(name)));

/** Answers as the released server's code does, step by step in its order (docs/protocol.md, "Push API"). */
export function answerShipped(request: PushRequest, context: DialectContext): HttpAnswer {
  return refusalBeforeAction(request, context) ?? act(request, requestFields(request), context);
}

function refusalBeforeAction(request: PushRequest, { settings }: DialectContext): HttpAnswer | undefined {
  const { method, target, headers, envelope } = request;
  const changes = CHANGING_METHODS.includes(method);
  if (changes && isJsonType(headers['content-type']) && envelope === undefined) return malformedBody(request);
  const hasScheme = headers.authorization?.includes('X-OITC-API') === true || keyInQuery(target) !== undefined;
  if (changes && !hasScheme) return frameworkError(403, 'Missing or incorrect CSRF cookie type.', request);
  if (settings.apiKey !== '' && shownApiKey(request) !== settings.apiKey) return emptyAnswer(401);
  const path = target.replace(/\?.*/s, '');
  const isAction = ACTIONS[settings.version].some((action) => action === path || action === `${path}.json`);
  if (!isAction) return frameworkError(404, 'Not Found', request);
  // An action's path without `.json` ends here too.
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
  if (password === '') return enrol(fields, context);
  return findAgent(fields, context) === undefined
    ? controllerAnswer(404, { error: ERROR_TEXTS.agentNotFound })
    : controllerAnswer(200, { success: true });
}

function enrol(fields: Envelope, { registrations }: DialectContext): HttpAnswer {
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
  const { start, end, members } = fields.checkdata ?? { start: 0, end: 0, members: new Map<string, never>() };
  if (agent !== undefined && end - start > LARGEST_CHECKDATA_BYTES) {
    return frameworkError(500, 'An Internal Error Has Occurred.', request);
  }
  if (!hasHost(agent)) return controllerAnswer(400, { error: ERROR_TEXTS.credentialsOrHost });
  const evaluated = [...members.keys()].filter((name) => EVALUATED_CHECKS.has(name)).length;
  return controllerAnswer(200, { success: true, received_checks: evaluated });
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
