import { ENDPOINTS, type Endpoint } from '../../base/protocol/push.ts';
import { type HttpAnswer, JSON_TYPE } from '../../wire/http/answer.ts';
import type { PushRequest } from './dialect.ts';

// Answers of the released server's framework, byte for byte.

const CONTROLLERS: readonly string[] = ['agentconnector', 'Agentconnector'];
export const HTML_TYPE = 'text/html; charset=UTF-8';

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

export type RoutedPath = {
  readonly isOurs: boolean;
  /** `undefined`: no action of this controller. */
  readonly endpoint: Endpoint | undefined;
  /** One of those that the framework knows, without its dot. */
  readonly extension: string | undefined;
  readonly isMatched: boolean;
};

export function routeOf({ target, endpoint }: PushRequest): RoutedPath {
  if (endpoint !== undefined) return { isOurs: true, endpoint, extension: 'json', isMatched: true };
  const path = unescaped(target.replace(/\?.*/s, '')).replace(/^\/+/, '');
  const extension = /\.(json|html|pdf|png|zip)$/.exec(path)?.[1];
  const segments = (extension === undefined ? path.replace(/\/$/, '') : path.slice(0, -extension.length - 1)).split(
    '/',
  );
  const [controller = '', action] = segments;
  const isMatched = !segments.includes('');
  const isOurs = isMatched && CONTROLLERS.includes(controller);
  return { isOurs, endpoint: isOurs ? ENDPOINTS.find((one) => one === action) : undefined, extension, isMatched };
}

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The framework's own answer: JSON if the path ends in `.json`, or has no extension and the client asks for it; otherwise a page. */
export function frameworkError(code: number, message: string, request: PushRequest): HttpAnswer {
  const { extension, isMatched } = routeOf(request);
  const url = displayTarget(request);
  if (extension === 'json' && isMatched) return controllerAnswer(code, { message, url, code });
  return extension === undefined || extension === 'json'
    ? unroutedError(code, message, request)
    : errorPage(code, message, url);
}

/** An error without a route, or before it is evaluated: only `Accept` determines the format. */
export function unroutedError(code: number, message: string, request: PushRequest): HttpAnswer {
  const url = displayTarget(request);
  return request.headers.accept?.includes(JSON_TYPE)
    ? { status: code, type: JSON_TYPE, body: phpJson({ message, url, code }) }
    : errorPage(code, message, url);
}

function errorPage(status: number, message: string, url: string): HttpAnswer {
  return htmlPage(status, `Error: ${message}`, `The request for <code>${url}</code> failed.`);
}

export function htmlPage(status: number, title: string, text: string): HttpAnswer {
  const head = `<head><meta charset="utf-8"><title>${title}</title></head>`;
  const body = `<!DOCTYPE html>\n<html>${head}\n<body><p>${text}</p></body></html>\n`;
  return { status, type: HTML_TYPE, body };
}

const NOT_IN_URLS = /[^\w.~!$&'()*+,;=:@/?%-]|%(?![\da-f]{2})/gi;

/** The request target as the framework's errors repeat it. */
function displayTarget({ target }: PushRequest): string {
  return escapeMarkup(
    target.replaceAll(NOT_IN_URLS, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`),
  );
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
