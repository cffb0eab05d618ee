const KEPT_AS = 'muster-token';

/** Takes the token from the address and removes it there, so that only this tab keeps it. Returns whether there was one. */
export function takeToken(): boolean {
  const parts = new URLSearchParams(location.hash.slice(1));
  const token = parts.get('token');
  if (token === null) return false;
  keepToken(token);
  parts.delete('token');
  history.replaceState(null, '', parts.size === 0 ? location.pathname : `#${decodeURIComponent(parts.toString())}`);
  return true;
}

export function keepToken(token: string) {
  sessionStorage.setItem(KEPT_AS, token);
}

/** An error answer, as one sentence. */
export class Refused extends Error {
  /** 0 without an answer. */
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Sends a request to the process that served the page. Throws `Refused`. */
async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const token = sessionStorage.getItem(KEPT_AS) ?? '';
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(init.body != null && { 'Content-Type': 'application/json' }),
  };
  const response = await fetch(path, { ...init, headers, cache: 'no-store' }).catch((error) => {
    if (init.signal?.aborted) throw error;
    throw new Refused('The process does not answer.', 0);
  });
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  throw new Refused(
    typeof body.detail === 'string' ? body.detail : `The control API answered with status ${response.status}.`,
    response.status,
  );
}

export async function requestJson<Content>(
  path: string,
  { body, ...init }: { readonly method?: string; readonly body?: unknown; readonly signal?: AbortSignal } = {},
): Promise<Content> {
  const response = await request(path, { ...init, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return response.json();
}

/** State of the connection: `waiting` for the next attempt, `locked` without a valid token. */
export type StreamState =
  | { readonly kind: 'connecting' | 'live' | 'locked' }
  | { readonly kind: 'waiting'; readonly forMs: number };

type Message = { readonly type: string; readonly data: string };

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;

/** A stream sends a keep-alive every 15 s; one that is silent for this long is dead. */
const SILENCE_MS = 40_000;

type ConnectionListeners = {
  readonly onState: (state: StreamState) => void;
  readonly onLive: () => Promise<void>;
  readonly onMessage: (message: Message) => void;
};

/** Follows changes until the stream ends or is silent for too long. Throws `Refused`. */
async function connect({ onState, onLive, onMessage }: ConnectionListeners) {
  onState({ kind: 'connecting' });
  const given = new AbortController();
  let quiet = setTimeout(() => given.abort(), SILENCE_MS);
  try {
    const response = await request('/api/v1/changes', { signal: given.signal });
    await onLive();
    onState({ kind: 'live' });
    await readStream(response.body, (message) => {
      clearTimeout(quiet);
      quiet = setTimeout(() => given.abort(), SILENCE_MS);
      onMessage(message);
    });
  } finally {
    clearTimeout(quiet);
    given.abort();
  }
}

/**
 * Follows changes forever: reconnects after each interruption, with exponential backoff. Calls `onLive` before the first message of
 * each connection.
 * @returns `again` ends the current wait
 */
export function follow(listeners: ConnectionListeners): { again: () => void } {
  const { onState } = listeners;
  let wake = () => {};
  let failures = 0;
  const pause = (state: StreamState, forMs: number | undefined) => {
    onState(state);
    return new Promise<void>((done) => {
      const timer = forMs === undefined ? undefined : setTimeout(done, forMs);
      wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  };
  const onLive = async () => {
    await listeners.onLive();
    failures = 0;
  };
  const goOn = async () => {
    for (;;) {
      const failure = await connect({ ...listeners, onLive }).then(
        () => undefined,
        (error) => error,
      );
      if (failure instanceof Refused && failure.status === 401) {
        await pause({ kind: 'locked' }, undefined);
        failures = 0;
        continue;
      }
      // Jitter, so that the pages of a restarted process do not all reconnect at the same time.
      const longestMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++);
      const forMs = longestMs * (0.5 + Math.random() / 2);
      await pause({ kind: 'waiting', forMs }, forMs);
    }
  };
  void goOn();
  return {
    again: () => {
      failures = 0;
      wake();
    },
  };
}

/** Reads server-sent events until the stream ends. `EventSource` could not send the token. */
async function readStream(stream: ReadableStream<Uint8Array> | null, take: (message: Message) => void) {
  const reader = stream?.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
    if (done) return;
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = parts.pop() ?? '';
    for (const text of parts) {
      const lines = text.split('\n');
      const field = (name: string) =>
        lines
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).replace(/^ /, ''))
          .join('\n');
      take({ type: field('event'), data: field('data') });
    }
  }
}
