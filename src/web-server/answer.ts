/** An answer as the agent's web server gives it, up to what the connection adds. */
export type Answer = {
  readonly status: number;
  /** Header fields of its own: names and values in turn, in the order of the wire. */
  readonly fields: readonly string[];
  readonly body: Buffer | string;
  /** The connection ends with it. */
  readonly closes: boolean;
  /** Once it is handed over, the agent reloads. */
  readonly reloads: boolean;
};

const PLAIN = { closes: false, reloads: false };

export function jsonAnswer(body: Buffer | string): Answer {
  return { ...PLAIN, status: 200, fields: ['Content-Type', 'application/json'], body };
}

/** A text of somebody else's, without a word on its character set. */
export function textAnswer(body: string): Answer {
  return { ...PLAIN, status: 200, fields: ['Content-Type', 'text/plain'], body };
}

export function emptyAnswer(status: number, fields: readonly string[] = []): Answer {
  return { ...PLAIN, status, fields, body: '' };
}

function errorAnswer(status: number, text: string): Answer {
  const fields = ['Content-Type', 'text/plain; charset=utf-8', 'X-Content-Type-Options', 'nosniff'];
  return { ...PLAIN, status, fields, body: `${text}\n` };
}

export const FORBIDDEN = errorAnswer(403, 'Forbidden');
export const NOT_FOUND = errorAnswer(404, '404 page not found');
export const WRONG_METHOD = emptyAnswer(405);
export const SERVER_OPTIONS = emptyAnswer(200, ['Content-Length', '0']);
export const EXPECTATION_FAILED: Answer = { ...emptyAnswer(417, ['Connection', 'close']), closes: true };
export const UPDATE_DISABLED = errorAnswer(403, 'config update is disabled');
export const INVALID_CONFIGURATION = errorAnswer(500, 'invalid json or base64 string');
export const INTERNAL_ERROR = errorAnswer(500, 'internal server error');
export const UNREADABLE_BODY: Answer = { ...errorAnswer(500, 'could not read body'), closes: true };
export const STORED: Answer = { ...emptyAnswer(200), reloads: true };
