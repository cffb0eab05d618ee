import type { InferredOptionTypes, Options } from 'yargs';
import { METRICS, TEXT_FLAG } from './common.ts';

export const OTLP_FLAGS = {
  otlp: {
    ...TEXT_FLAG,
    ...METRICS,
    describe:
      'Send metrics by OTLP to this URL, such as http://127.0.0.1:4318; it may be any host [OTEL_EXPORTER_OTLP_ENDPOINT]',
  },
} as const satisfies Record<string, Options>;

export const FIGURE_FLAGS = {
  'metrics-address': {
    ...TEXT_FLAG,
    ...METRICS,
    describe:
      'Serve Prometheus metrics on this address, such as 127.0.0.1:9464; beyond loopback only with MUSTER_METRICS_TOKEN [MUSTER_METRICS_ADDRESS]',
  },
  ...OTLP_FLAGS,
} as const satisfies Record<string, Options>;

export type OtlpFlags = InferredOptionTypes<typeof OTLP_FLAGS>;
export type FigureFlags = InferredOptionTypes<typeof FIGURE_FLAGS>;
