import type { Distribution } from '../../faults/delay.ts';

/** Beyond this, a lognormal's tail is cut: what a timer can hold. */
const LONGEST_MS = 2 ** 31 - 1;

/** Milliseconds drawn from the distribution by two independent values in [0, 1). */
export function drawDurationMs(distribution: Distribution, value: number, other: number): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.ms;
    case 'uniform':
      return distribution.lowMs + value * (distribution.highMs - distribution.lowMs);
    case 'lognormal':
      return Math.min(LONGEST_MS, distribution.medianMs * Math.exp(distribution.sigma * normal(value, other)));
    case 'table':
      return interpolate(distribution.quantiles, value);
  }
}

/** A draw from the standard normal distribution, after Box and Muller. */
function normal(value: number, other: number): number {
  return Math.sqrt(-2 * Math.log(1 - value)) * Math.cos(2 * Math.PI * other);
}

type Quantile = { readonly share: number; readonly ms: number };

/** Linear between the quantiles; outside of them the first or last value. */
function interpolate(quantiles: readonly Quantile[], share: number): number {
  const above = quantiles.findIndex((quantile) => quantile.share >= share);
  const upper = quantiles.at(above);
  const lower = above > 0 ? quantiles[above - 1] : undefined;
  if (upper === undefined) return 0;
  if (above < 0 || lower === undefined) return upper.ms;
  return lower.ms + ((share - lower.share) / (upper.share - lower.share)) * (upper.ms - lower.ms);
}
