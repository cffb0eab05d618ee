import {
  type CheckdataAnswer,
  type Endpoint,
  ERROR_TEXTS,
  type ErrorAnswer,
  type FrameworkAnswer,
  type PackageInfoAnswer,
  type RegisteredAnswer,
} from '../../base/protocol/push.ts';
import { emptyAnswer, type HttpAnswer, jsonAnswer } from '../../wire/http/answer.ts';
import { EMPTY_ENVELOPE, type Envelope, isJsonType, textOf } from '../json/envelope.ts';
import { COLUMN_LENGTHS, hasHost, tooLongColumn } from '../registrations.ts';
import type { Credentials } from '../settings.ts';
import { presentedApiKey } from './api-keys.ts';
import type { DialectContext, PushRequest } from './dialect.ts';
import { judgePackages } from './package-rules.ts';

/** Follows the written API. Where that is silent, follows the shipped server, without the artifacts of its framework. */
export function answerDocumented(request: PushRequest, context: DialectContext): HttpAnswer {
  const { apiKey } = context.settings;
  if (request.endpoint === undefined) return frameworkAnswer(404, 'Not Found', request);
  if (apiKey !== '' && presentedApiKey(request) !== apiKey) return emptyAnswer(401);
  if (request.method !== 'POST') return frameworkAnswer(405, 'Method Not Allowed', request);
  const type = request.headers['content-type'];
  const fields = type === undefined || isJsonType(type) ? request.envelope : EMPTY_ENVELOPE;
  if (fields === undefined) return malformed(request.endpoint);
  switch (request.endpoint) {
    case 'register_agent':
      return register(fields, context);
    case 'submit_checkdata':
      return submitCheckdata(request, fields, context);
    case 'submit_package_info':
      return submitPackageInfo(request, fields, context);
  }
}

function register(envelope: Envelope, { registrations }: DialectContext): HttpAnswer {
  const { agentuuid, password } = envelope;
  if (typeof agentuuid !== 'string' || agentuuid === '' || typeof password !== 'string') {
    return error(400, ERROR_TEXTS.fieldsMissing);
  }
  if (password !== '') {
    const agent = registrations.match(agentuuid, password);
    return agent === undefined ? error(404, ERROR_TEXTS.agentNotFound) : credentials(200, agent);
  }
  if (registrations.find(agentuuid) !== undefined) return error(403, ERROR_TEXTS.alreadyRegistered);
  const hostname = textOf(envelope.hostname);
  const ipaddress = textOf(envelope.ipaddress);
  const tooLong = tooLongColumn({ uuid: agentuuid, hostname, ipaddress });
  if (tooLong !== undefined) return error(400, `The ${tooLong} is longer than ${COLUMN_LENGTHS[tooLong]} characters`);
  const agent = registrations.add({ uuid: agentuuid, hostname, ipaddress });
  return agent === undefined ? error(503, 'The server has no room for more agents') : credentials(201, agent);
}

function submitCheckdata(request: PushRequest, envelope: Envelope, context: DialectContext): HttpAnswer {
  if (!hasHost(context.submitter(request, envelope))) return error(400, ERROR_TEXTS.credentialsOrHost);
  return jsonAnswer(200, { received_checks: envelope.checkdata?.size ?? 0 } satisfies CheckdataAnswer);
}

function submitPackageInfo(request: PushRequest, envelope: Envelope, context: DialectContext): HttpAnswer {
  const isHost = hasHost(context.submitter(request, envelope));
  const judgment = isHost ? judgePackages(request.body, envelope.checkdata) : 'refused';
  return judgment === 'accepted' || judgment === 'empty'
    ? jsonAnswer(200, { success: true, error: '' } satisfies PackageInfoAnswer)
    : jsonAnswer(400, { success: false, error: ERROR_TEXTS.packageInformation } satisfies PackageInfoAnswer);
}

function malformed(endpoint: Endpoint): HttpAnswer {
  const text = 'The request body is not valid JSON';
  return endpoint === 'submit_package_info'
    ? jsonAnswer(400, { success: false, error: text } satisfies PackageInfoAnswer)
    : error(400, text);
}

function credentials(status: 200 | 201, { uuid, password }: Credentials): HttpAnswer {
  return jsonAnswer(status, { agentuuid: uuid, password } satisfies RegisteredAnswer);
}

function error(status: number, text: string): HttpAnswer {
  return jsonAnswer(status, { error: text } satisfies ErrorAnswer);
}

function frameworkAnswer(code: number, message: string, { target }: PushRequest): HttpAnswer {
  return jsonAnswer(code, { message, url: target, code } satisfies FrameworkAnswer);
}
