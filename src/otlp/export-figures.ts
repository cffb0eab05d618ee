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
import type { DatedFamilies } from '../exposition/run-families.ts';
import { messageOf } from '../kernel/errors.ts';
import { printable } from '../kernel/printable.ts';
import { formatDuration } from '../kernel/units.ts';
import { VERSION } from '../kernel/version.ts';
import { createMetricData } from './metric-data.ts';
import { type PostOutcome, type PostTarget, post } from './post.ts';

/** Where figures are sent by OTLP, how often, and as whose. */
export type OtlpOrder = PostTarget & {
  /** The URL as it may be shown: without a user and a query. */
  readonly shown: string;
  readonly intervalMs: number;
  /** For one request, its answer included. */
  readonly timeoutMs: number;
  readonly gzip: boolean;
  /** Of the resource; they win over ours. */
  readonly attributes: Readonly<Record<string, string>>;
};

/** Figures on their way to a receiver. Nothing of it throws or rejects. */
export type FigureExport = {
  /** Sends what there is now, and waits `LONGEST_WAIT_MS` at most. */
  flush(): Promise<void>;
  /** As `flush`, for the last time. */
  close(): Promise<void>;
  /** Gives up what a flush waits for. */
  abort(): void;
};

/** So long the end of a run waits for a receiver at most. */
export const LONGEST_WAIT_MS = 5000;

const SCOPE = { name: 'muster', version: VERSION };

/**
 * Sends figures every `intervalMs`, from now on. A receiver that does not take them is told of once, and once more if it has taken some
 * since and does not take the last ones. What is sent later holds what was sent before, so nothing is sent again.
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

/** The SDK leaves what goes wrong to a log that nobody reads. */
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
 * The SDK's exporter has timers that keep the process alive for as long as a receiver says, and waits forever for an
 * answer that arrives byte by byte. This one sends the SDK's bytes and has a time limit.
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

/** What is waited for at the end of a run, and no longer than `LONGEST_WAIT_MS`. */
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

/** Says in one sentence what did not arrive. */
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

/** What a receiver says of points that it left out; undefined: it took all. */
function refusedPart(body: Uint8Array): string | undefined {
  try {
    const { partialSuccess } = ProtobufMetricsSerializer.deserializeResponse(body);
    const rejected = Number(partialSuccess?.rejectedDataPoints ?? 0);
    if (rejected === 0) return undefined;
    return printable(`${rejected} points, ${partialSuccess?.errorMessage || 'no reason given'}`);
  } catch {
    // Some answer with words of their own.
    return undefined;
  }
}
