import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import type { Dispatcher } from 'undici';
import { messageOf } from '../../base/kernel/errors.ts';
import { printable } from '../../base/kernel/printable.ts';
import { formatDuration } from '../../base/kernel/units.ts';
import { VERSION } from '../../base/kernel/version.ts';
import type { DatedFamilies } from '../exposition/run-families.ts';
import { post, type Receiver } from '../post.ts';
import { createMetricData } from './metric-data.ts';

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
export type FigureExport = ReturnType<typeof exportFigures>;

/** Maximum time that the end of a run waits for a receiver. */
export const MAX_FINAL_WAIT_MS = 5000;

const SCOPE = { name: 'muster', version: VERSION };

/**
 * Sends metrics every `intervalMs` from now on. Reports a failure once, and again if the last metrics fail after others succeeded in
 * between. Later metrics include earlier ones, so nothing is sent again.
 */
export function exportFigures(
  order: OtlpOrder,
  sources: () => readonly DatedFamilies[],
  warn: (sentence: string) => void,
) {
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
      report({ kind: 'failed', reason: printable(messageOf(error)) }, waits.areOn());
    }
  };
  const timer = setInterval(() => void send(), intervalMs).unref();
  return {
    /** Sends the current metrics, and waits up to `MAX_FINAL_WAIT_MS`. */
    flush: () => waits.during(send),
    /** Like `flush`, but sends for the last time. */
    close: () => {
      clearInterval(timer);
      return waits.during(send);
    },
    /** Cancels the request that a flush waits for. */
    abort: () => waits.end('interrupted'),
  };
}

/**
 * The SDK's reader and exporter have timers that keep the process alive for as long as a receiver demands, and wait forever for an
 * answer that arrives byte by byte. This has a time limit.
 */
async function outcomeWithin(order: OtlpOrder, bytes: Uint8Array, signal: AbortSignal): Promise<Outcome> {
  const body = order.gzip ? await compressed(bytes) : bytes;
  const limitMs = Math.min(order.timeoutMs, order.intervalMs);
  const posted = await post(order, body, { limitMs, signal, read: outcomeOf });
  return 'result' in posted ? posted.result : { kind: 'failed', reason: posted.failure };
}

const compressed = promisify(gzip);

/** Limits waits at the end of a run to `MAX_FINAL_WAIT_MS`. */
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
      const reason = `no complete answer within ${formatDuration(MAX_FINAL_WAIT_MS)}`;
      const timer = setTimeout(() => ending.abort(reason), MAX_FINAL_WAIT_MS);
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

const MAX_CHARACTERS = 200;

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
  return printable((message.trim().split('\n')[0] ?? '').trim().slice(0, MAX_CHARACTERS));
}
