import { type HttpAnswer, JSON_TYPE } from '../../http/answer.ts';
import type { PushRequest } from './dialect.ts';
import { phpJson } from './php-json.ts';

/** A controller's JSON answer: every one carries the framework's token, which is null for requests with an API key. */
export function controllerAnswer(status: number, members: object): HttpAnswer {
  return { status, type: JSON_TYPE, body: phpJson({ ...members, _csrfToken: null }) };
}

/** The framework's own answer: JSON where the path ends in `.json`, a page elsewhere. */
export function frameworkError(code: number, message: string, request: PushRequest): HttpAnswer {
  const url = escapeMarkup(request.target);
  const isJson = request.target.replace(/\?.*/s, '').endsWith('.json');
  return isJson ? controllerAnswer(code, { message, url, code }) : errorPage(code, message, url);
}

/** A body that is not JSON fails before the path's extension counts: only `Accept` decides how that is told. */
export function malformedBody({ target, headers }: PushRequest): HttpAnswer {
  const url = escapeMarkup(target);
  return headers.accept?.includes(JSON_TYPE)
    ? { status: 400, type: JSON_TYPE, body: phpJson({ message: 'Bad Request', url, code: 400 }) }
    : errorPage(400, 'Bad Request', url);
}

function errorPage(status: number, message: string, url: string): HttpAnswer {
  const lines = [
    '<!DOCTYPE html>',
    `<html><head><meta charset="utf-8"><title>Error: ${message}</title></head>`,
    `<body><h1>${message}</h1><p>The request for <code>${url}</code> failed.</p></body></html>`,
  ];
  return { status, type: 'text/html; charset=UTF-8', body: `${lines.join('\n')}\n` };
}

function escapeMarkup(text: string): string {
  const names: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#039' };
  return text.replaceAll(/[&<>"']/g, (character) => `&${names[character]};`);
}
