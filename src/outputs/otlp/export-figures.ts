import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ExportResultCode } from '@opentelemetry/core';
import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { defaultResource, emptyResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { messageOf } from '../../ground/kernel/errors.ts';
import { printable } from '../../ground/kernel/printable.ts';
import { formatDuration } from '../../ground/kernel/units.ts';
import { VERSION } from '../../ground/kernel/version.ts';
import type { DatedFamilies } from '../exposition/run-families.ts';
import { createMetricData } from './metric-data.ts';
import { type PostOutcome, type PostTarget, post, shownWords } from './post.ts';

/** Where and how often metrics are sent by OTLP, and how they are identified. */
export type OtlpOrder = PostTarget & {
  /** URL without user and query, for display. */
  readonly shown: string;
  readonly intervalMs: number;
  /** Limit for one request, including its answer. */
  readonly timeoutMs: number;
  readonly gzip: boolean;
  /** Resource attributes; they override Muster's own. */
  readonly attributes: Readonly<Record<string, string>>;
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
  tell: (sentence: string) => void,
): FigureExport {
  const { intervalMs, attributes } = order;
  const waits = createWaits();
  const news = createNews(order, tell);
  const hear = (outcome: PostOutcome): void => news(outcome, waits.areOn());
  const reader = new PeriodicExportingMetricReader({
    exporter: exporterOf(order, waits.signal, hear),
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: intervalMs,
    metricProducers: [producerOf(sources, hear)],
  });
  const own = { 'service.name': 'muster', 'service.version': VERSION, 'service.instance.id': crypto.randomUUID() };
  const resource = defaultResource().merge(resourceFromAttributes({ ...own, ...attributes }));
  const provider = new MeterProvider({ resource, readers: [reader] });
  return {
    flush: () => waits.during(() => provider.forceFlush()),
    close: () => waits.during(() => provider.shutdown()),
    abort: () => waits.end('interrupted'),
  };
}

type Hear = (outcome: PostOutcome) => void;

/** The SDK reports errors only to a log that no one reads. */
function producerOf(sources: () => readonly DatedFamilies[], hear: Hear): MetricProducer {
  const metricsOf = createMetricData();
  const collect = (): MetricData[] => {
    try {
      return metricsOf(sources(), Date.now());
    } catch (error) {
      hear(failed(error));
      return [];
    }
  };
  return {
    collect: async () => {
      const metrics = collect();
      const scopeMetrics = metrics.length === 0 ? [] : [{ scope: SCOPE, metrics }];
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
    },
  };
}

/**
 * The SDK's exporter has timers that keep the process alive for as long as a receiver demands, and waits forever for an
 * answer that arrives byte by byte. This exporter sends the SDK's bytes and has a time limit.
 */
function exporterOf(order: OtlpOrder, ending: () => AbortSignal, hear: Hear): PushMetricExporter {
  const send = async (metrics: ResourceMetrics): Promise<PostOutcome> => {
    const limitMs = Math.min(order.timeoutMs, order.intervalMs);
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(`no complete answer within ${formatDuration(limitMs)}`), limitMs);
    try {
      const bytes = ProtobufMetricsSerializer.serializeRequest(metrics) ?? new Uint8Array();
      const body = order.gzip ? await compressed(bytes) : bytes;
      return await post(order, body, AbortSignal.any([limit.signal, ending()]));
    } catch (error) {
      return failed(error);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    export: (metrics, done) => {
      void send(metrics).then((outcome) => {
        hear(outcome);
        done({ code: outcome.kind === 'taken' ? ExportResultCode.SUCCESS : ExportResultCode.FAILED });
      });
    },
    forceFlush: async () => {},
    shutdown: async () => {},
  };
}

const compressed = promisify(gzip);

function failed(error: unknown): PostOutcome {
  return { kind: 'failed', reason: printable(messageOf(error)) };
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
function createNews({ shown, intervalMs }: OtlpOrder, tell: (sentence: string) => void) {
  let isTold = false;
  let hasTakenSince = false;
  let isPartTold = false;
  return (outcome: PostOutcome, isLast: boolean): void => {
    if (outcome.kind === 'taken') {
      hasTakenSince = true;
      const refused = refusedPart(outcome.body);
      if (refused !== undefined && !isPartTold) tell(`${shown} rejected part of the metrics: ${refused}`);
      isPartTold ||= refused !== undefined;
      return;
    }
    if (isLast && (!isTold || hasTakenSince)) tell(`the last metrics could not be sent to ${shown}: ${outcome.reason}`);
    else if (!isTold)
      tell(
        `metrics cannot be sent to ${shown}: ${outcome.reason}; Muster continues, and tries again every ${formatDuration(intervalMs)}`,
      );
    isTold = true;
    hasTakenSince = false;
  };
}

/** What a receiver reports about rejected points; `undefined` if it accepted all of them. */
function refusedPart(body: Uint8Array): string | undefined {
  try {
    const { partialSuccess } = ProtobufMetricsSerializer.deserializeResponse(body);
    const rejected = Number(partialSuccess?.rejectedDataPoints ?? 0);
    if (rejected === 0) return undefined;
    return `${rejected} points, ${shownWords(partialSuccess?.errorMessage ?? '') || 'no reason given'}`;
  } catch {
    // Some receivers answer with text.
    return undefined;
  }
}
