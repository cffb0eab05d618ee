import type { ServerResponse } from 'node:http';

/** What goes back to a client. An empty `type` means no body. */
export type HttpAnswer = { readonly status: number; readonly type: string; readonly body: string };

export const JSON_TYPE = 'application/json';

export function jsonAnswer(status: number, value: object): HttpAnswer {
  return { status, type: JSON_TYPE, body: JSON.stringify(value) };
}

export function emptyAnswer(status: number): HttpAnswer {
  return { status, type: '', body: '' };
}

/** Sets status and headers; the body has to follow. */
export function writeAnswerHead(response: ServerResponse, { status, type, body }: HttpAnswer): void {
  const length = Buffer.byteLength(body);
  response.writeHead(
    status,
    type === '' ? { 'Content-Length': length } : { 'Content-Type': type, 'Content-Length': length },
  );
}
