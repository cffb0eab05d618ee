import type { SecureContextOptions } from 'node:tls';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { messageOf } from '../../base/kernel/errors.ts';
import { printable } from '../../base/kernel/printable.ts';
import { formatDuration } from '../../base/kernel/units.ts';
import { VERSION } from '../../base/kernel/version.ts';
import type { DatedFamilies } from '../exposition/run-families.ts';
import { createMetricData } from './metric-data.ts';

/** Address of a receiver, with its headers and TLS settings. */
type Receiver = {
  /** Includes the user, if there is one. */
  readonly url: string;
  /** May contain credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** Trusted authorities and client certificate, in PEM. If empty, Node's authorities and no client certificate. */
  readonly tls: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>;
  /** As in the environment variables `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`; empty if not set. */
  readonly proxies: { readonly httpProxy: string; readonly httpsProxy: string; readonly noProxy: string };
};

/** Where and how often metrics are sent by OTLP, and how they are identified. */
export type OtlpOrder = Receiver & {
  /** URL without user and query, for display. */
  readonly shown: string;
  readonly intervalMs: number;
  /** Limit for one request, including its answer. */
  readonly timeoutMs: number;
  readonly gzip: boolean;
  /** Resource attributes; they override Muster's own. */
  readonly attributes: Readonly<Record<string, string>>;
  /** What Muster cannot do of what was asked for, in whole sentences. */
  readonly warnings: readonly string[];
};

/** Export of metrics to a receiver. It never throws or rejects. */
export type FigureExport = {
  /** Sends the current metrics, and waits up to `LONGEST_WAIT_MS`. */
  flush(): Promise<void>;
  /** Like `flush`, but sends for the last time. */
  close(): Promise<void>;
  /** Cancels the request that a flush waits for. */
  abort(): void;
};

/** Maximum time that the end of a run waits for a receiver. */
export const LONGEST_WAIT_MS = 5000;

const SCOPE = { name: 'muster', version: VERSION };

/**
 * Sends metrics every `intervalMs` from now on. Reports a failure once, and again if the last metrics fail after others succeeded in
 * between. Later metrics include earlier ones, so nothing is sent again.
 */
export function exportFigures(
  order: OtlpOrder,
  sources: () => readonly DatedFamilies[],
  warn: (sentence: string) => void,
): FigureExport {
  const { intervalMs, attributes } = order;
  const waits = createWaits();
  const report = createReport(order, warn);
  const metricsOf = createMetricData();
  const own = { 'service.name': 'muster', 'service.version': VERSION, 'service.instance.id': crypto.randomUUID() };
  const resource = defaultResource().merge(resourceFromAttributes({ ...own, ...attributes }));
  const send = async (): Promise<void> => {
    try {
      const metrics = metricsOf(sources(), Date.now());
      if (metrics.length === 0) return;
      const request = { resource, scopeMetrics: [{ scope: SCOPE, metrics }] };
      const bytes = ProtobufMetricsSerializer.serializeRequest(request) ?? new Uint8Array();
      report(await outcomeWithin(order, bytes, waits.signal()), waits.areOn());
    } catch (error) {
      report(failed(error), waits.areOn());
    }
  };
  const timer = setInterval(() => void send(), intervalMs).unref();
  return {
    flush: () => waits.during(send),
    close: () => {
      clearInterval(timer);
      return waits.during(send);
    },
    abort: () => waits.end('interrupted'),
  };
}

/**
 * The SDK's reader and exporter have timers that keep the process alive for as long as a receiver demands, and wait forever for an
 * answer that arrives byte by byte. This has a time limit.
 */
async function outcomeWithin(order: OtlpOrder, bytes: Uint8Array, ending: AbortSignal): Promise<Outcome> {
  const limitMs = Math.min(order.timeoutMs, order.intervalMs);
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(`no complete answer within ${formatDuration(limitMs)}`), limitMs);
  const signal = AbortSignal.any([limit.signal, ending]);
  try {
    return await post(order, order.gzip ? await compressed(bytes) : bytes, signal);
  } catch (error) {
    return failed(signal.aborted ? signal.reason : error);
  } finally {
    clearTimeout(timer);
  }
}

const compressed = promisify(gzip);

function failed(error: unknown): Outcome {
  return { kind: 'failed', reason: printable(reasonOf(error as NodeJS.ErrnoException)) };
}

/** Limits waits at the end of a run to `LONGEST_WAIT_MS`. */
function createWaits() {
  let ending = new AbortController();
  let isOn = false;
  return {
    signal: () => ending.signal,
    areOn: () => isOn,
    end: (reason: string) => {
      if (isOn) ending.abort(reason);
    },
    during: async (act: () => Promise<void>): Promise<void> => {
      isOn = true;
      const reason = `no complete answer within ${formatDuration(LONGEST_WAIT_MS)}`;
      const timer = setTimeout(() => ending.abort(reason), LONGEST_WAIT_MS);
      await act();
      clearTimeout(timer);
      isOn = false;
      if (ending.signal.aborted) ending = new AbortController();
    },
  };
}

/** Reports in one sentence what did not arrive. */
function createReport({ shown, intervalMs }: OtlpOrder, warn: (sentence: string) => void) {
  let isFailureReported = false;
  let hasSucceededSince = false;
  let isRejectionReported = false;
  return (outcome: Outcome, isLast: boolean): void => {
    if (outcome.kind === 'accepted') {
      hasSucceededSince = true;
      const rejected = rejectedPart(outcome.body);
      if (rejected !== undefined && !isRejectionReported) warn(`${shown} rejected part of the metrics: ${rejected}`);
      isRejectionReported ||= rejected !== undefined;
      return;
    }
    if (isLast && (!isFailureReported || hasSucceededSince))
      warn(`the last metrics could not be sent to ${shown}: ${outcome.reason}`);
    else if (!isFailureReported)
      warn(
        `metrics cannot be sent to ${shown}: ${outcome.reason}; Muster continues, and tries again every ${formatDuration(intervalMs)}`,
      );
    isFailureReported = true;
    hasSucceededSince = false;
  };
}

/** What a receiver reports about rejected points; `undefined` if it accepted all of them. */
function rejectedPart(body: Uint8Array): string | undefined {
  try {
    const { partialSuccess } = ProtobufMetricsSerializer.deserializeResponse(body);
    const rejected = Number(partialSuccess?.rejectedDataPoints ?? 0);
    if (rejected === 0) return undefined;
    return `${rejected} points, ${redactedMessage(partialSuccess?.errorMessage ?? '') || 'no reason given'}`;
  } catch {
    // Some receivers answer with text.
    return undefined;
  }
}

/** Result of a request; `reason` is for display. */
type Outcome =
  | { readonly kind: 'accepted'; readonly body: Uint8Array }
  | { readonly kind: 'failed'; readonly reason: string };

// An answer needs only a few bytes to report rejected points; anything larger, such as a web page, is not an answer.
const MOST_ANSWER_BYTES = 65_536;
const MOST_CHARACTERS = 200;

/**
 * Sends one request over its own connection, as receivers close idle ones between two intervals. It follows no redirects, so that
 * credentials only reach their intended destination. Only the signal limits its time.
 */
async function post({ url, headers, tls, proxies }: Receiver, body: Uint8Array, signal: AbortSignal): Promise<Outcome> {
  const { origin, pathname, search, username, password } = new URL(url);
  const user = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const hasCredentials = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const limits = { headersTimeout: 0, bodyTimeout: 0, maxResponseSize: MOST_ANSWER_BYTES };
  const connect = { ...tls, timeout: 0 };
  const agent = new EnvHttpProxyAgent({
    ...limits,
    ...proxies,
    connect,
    requestTls: connect,
    allowH2: false,
    // Many proxies tunnel to port 443 only.
    proxyTunnel: false,
  });
  try {
    const answer = await agent.request({
      origin,
      method: 'POST',
      path: `${pathname}${search}`,
      body,
      signal,
      reset: true,
      headers: { ...(username !== '' && !hasCredentials && { authorization: `Basic ${user}` }), ...headers },
    });
    return await outcomeOf(answer);
  } finally {
    void agent.destroy();
  }
}

async function outcomeOf({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Outcome> {
  const type = String(headers['content-type']);
  if (statusCode >= 200 && statusCode < 300) {
    if (!type.startsWith('text/html')) return { kind: 'accepted', body: await body.bytes() };
    return { kind: 'failed', reason: `status ${statusCode} with a web page instead of an OTLP response` };
  }
  // The body may be cut, or too long.
  const words = type.startsWith('text/plain') ? redactedMessage(await body.text().catch(() => '')) : '';
  return { kind: 'failed', reason: `status ${statusCode}${words && `, ${words}`}` };
}

/** The start of the first line of a receiver's message. */
function redactedMessage(message: string): string {
  return printable((message.trim().split('\n')[0] ?? '').trim().slice(0, MOST_CHARACTERS));
}

const CLOSED = 'the connection closed before the end of the answer';

/** Messages instead of those of undici, by its messages and error codes. */
const REASONS: Readonly<Record<string, string>> = {
  'bad upgrade': 'status 101',
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: CLOSED,
  UND_ERR_RES_EXCEEDED_MAX_SIZE: `an answer of more than ${MOST_ANSWER_BYTES / 1024} KB instead of an OTLP response`,
};

function reasonOf(error: NodeJS.ErrnoException): string {
  const { code = '' } = error;
  const message = messageOf(error);
  // OpenSSL adds its source file and line.
  const [, inHandshake] = /:SSL routines:[^:]*:([^:]+)/.exec(message) ?? [];
  if (inHandshake !== undefined) return `the TLS handshake failed: ${inHandshake}`;
  // A host with several addresses fails with several errors, and without a message.
  return REASONS[message] ?? REASONS[code] ?? (message || code || 'the connection failed');
}
