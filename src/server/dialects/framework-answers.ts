import { type HttpAnswer, JSON_TYPE } from '../../wire/http/answer.ts';
import type { PushRequest } from './dialect.ts';

// Answers of the released server's framework, byte for byte.

/** Escapes of PHP in addition to those of `JSON.stringify`. */
const ESCAPES: Readonly<Record<string, string>> = {
  '\\"': '\\u0022',
  '/': '\\/',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  "'": '\\u0027',
};

/** A controller's JSON answer. Each contains the framework's token, which is null for requests with an API key. */
export function controllerAnswer(status: number, members: object): HttpAnswer {
  return { status, type: JSON_TYPE, body: phpJson({ ...members, _csrfToken: null }) };
}

/** The framework's own answer: JSON if the path ends in `.json`, otherwise a page. */
export function frameworkError(code: number, message: string, request: PushRequest): HttpAnswer {
  const url = escapeMarkup(request.target);
  const isJson = request.target.replace(/\?.*/s, '').endsWith('.json');
  return isJson ? controllerAnswer(code, { message, url, code }) : errorPage(code, message, url);
}

/** A body that is not JSON fails before the path's extension is evaluated, so only `Accept` determines the format. */
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

/** JSON as written by the shipped server's encoder, which escapes slashes, markup, quotes and non-ASCII characters. */
export function phpJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/\\.|[/<>&']|[^\0-\x7f]/g, (found) => {
    const isEscape = found.startsWith('\\');
    return ESCAPES[found] ?? (isEscape ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
  });
}
