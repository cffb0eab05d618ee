import { z } from 'zod';
import {
  DAY_MS,
  DURATION_PATTERN,
  formatDuration,
  formatPercent,
  millisecondsIn,
  parsePercent,
} from '../../base/kernel/units.ts';
import { percent, shortDuration } from '../../base/notation/quantities.ts';
import { section } from '../../base/notation/section.ts';

/** A delay in milliseconds, drawn for each request. */
export type Delay =
  | { readonly kind: 'constant'; readonly ms: number }
  | { readonly kind: 'uniform'; readonly lowMs: number; readonly highMs: number }
  /** Half of the draws are below the median; `sigma` is the standard deviation of the logarithm. */
  | { readonly kind: 'lognormal'; readonly medianMs: number; readonly sigma: number }
  /** Ascending shares of all draws, each with an upper bound of its values; values in between are interpolated. */
  | { readonly kind: 'table'; readonly quantiles: readonly { readonly share: number; readonly ms: number }[] };

const DELAY =
  'a time such as 20ms, a range 10ms..30ms, { median: 20ms, sigma: 0.5 }, or a table { "50%": 10ms, "99%": 200ms }';
const RANGE = 'an ascending range of at most one day, such as 10ms..30ms';
const RANGE_PATTERN = new RegExp(String.raw`^${DURATION_PATTERN}\.\.${DURATION_PATTERN}$`);
const SIGMA = 'a number from 0 to 10';
const TABLE = 'a table of percentages with ascending times, such as { "50%": 10ms, "99%": 200ms }';

/** A delay of one kind, which encodes as that kind only. */
function ofKind<Kind extends Delay['kind']>(kind: Kind) {
  return z.custom<Extract<Delay, { readonly kind: Kind }>>((delay) => (delay as Delay).kind === kind);
}

const constant = z
  .codec(shortDuration, ofKind('constant'), {
    decode: (ms) => ({ kind: 'constant' as const, ms }),
    encode: ({ ms }) => ms,
  })
  .meta({ description: 'Constant, at most `1d`.', examples: ['20ms'] });

const range = z
  .codec(z.string(RANGE).regex(RANGE_PATTERN, RANGE), ofKind('uniform'), {
    decode: uniformOf,
    encode: ({ lowMs, highMs }) => `${formatDuration(lowMs)}..${formatDuration(highMs)}`,
  })
  .refine(({ lowMs, highMs }) => lowMs <= highMs && highMs <= DAY_MS, RANGE)
  .meta({ description: 'Uniform between two times.', examples: ['10ms..30ms'] });

const medianAndSigma = section({
  median: shortDuration.meta({ description: 'Median of the distribution.', examples: ['20ms'] }),
  sigma: z
    .number(SIGMA)
    .min(0, SIGMA)
    .max(10, SIGMA)
    .meta({
      description: 'Standard deviation of the logarithm, without a unit; larger values give a longer tail.',
      examples: [0.5],
    }),
});

const lognormal = z
  .codec(medianAndSigma, ofKind('lognormal'), {
    decode: ({ median, sigma }) => ({ kind: 'lognormal' as const, medianMs: median, sigma }),
    encode: ({ medianMs, sigma }) => ({ median: medianMs, sigma }),
  })
  .meta({
    description: 'Lognormal: median, and standard deviation of the logarithm, from 0 to 10.',
    examples: [{ median: '20ms', sigma: 0.5 }],
  });

const table = z
  .codec(
    z.record(percent, shortDuration.describe('This share of answers takes at most this time.'), TABLE),
    ofKind('table'),
    {
      decode: tableOf,
      encode: ({ quantiles }) => Object.fromEntries(quantiles.map(({ share, ms }) => [formatPercent(share), ms])),
    },
  )
  .refine(({ quantiles }) => isTable(quantiles), TABLE)
  .meta({
    description: 'Percentiles, interpolated.',
    examples: [{ '50%': '10ms', '99%': '200ms' }],
  });

export const delay = z.union([constant, range, lognormal, table], DELAY).meta({
  title: 'delay',
  description: 'Drawn for each request.',
  examples: ['20ms', '10ms..30ms', { median: '20ms', sigma: 0.5 }, { '50%': '10ms', '99%': '200ms' }],
});

function uniformOf(text: string): Extract<Delay, { kind: 'uniform' }> {
  const [lowMs = 0, highMs = 0] = text.split('..').map(millisecondsIn);
  return { kind: 'uniform', lowMs, highMs };
}

type Table = Extract<Delay, { kind: 'table' }>;

function tableOf(times: Readonly<Record<string, number>>): Table {
  const quantiles = Object.entries(times).map(([text, ms]) => ({ share: parsePercent(text), ms }));
  return { kind: 'table', quantiles: quantiles.sort((a, b) => a.share - b.share) };
}

function isTable(quantiles: Table['quantiles']): boolean {
  const last = quantiles.at(-1);
  return (
    last !== undefined &&
    last.share <= 1 &&
    quantiles.every(({ share, ms }, index) => {
      const before = quantiles[index - 1];
      return before === undefined || (share > before.share && ms >= before.ms);
    })
  );
}
