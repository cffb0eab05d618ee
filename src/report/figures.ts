import type { AddressCounts } from '../ground/protocol/exchange.ts';
import type { RaisingMachine, Summary } from '../metrics/summary/summary-schema.ts';

/** `999,999`, and `1.23M` from a million: up to seven characters below ten billion. */
export function countText(count: number): string {
  if (count < 999_999.5) return Math.round(count).toLocaleString('en-US');
  return count < 999_500_000 ? `${(count / 1_000_000).toPrecision(3)}M` : `${(count / 1_000_000_000).toPrecision(3)}G`;
}

/** Operations per second: one decimal below a hundred. */
export function rateText(perSecond: number): string {
  return perSecond < 99.95 ? perSecond.toFixed(1) : countText(perSecond);
}

/** `0.42 ms`, `12.3 ms`, `1,234 ms`, `12.3 s`: up to eight characters. */
export function latencyText(milliseconds: number): string {
  if (milliseconds < 9.995) return `${milliseconds.toFixed(2)} ms`;
  if (milliseconds < 99.95) return `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 9999.5) return `${Math.round(milliseconds).toLocaleString('en-US')} ms`;
  return milliseconds < 99_950 ? `${(milliseconds / 1000).toFixed(1)} s` : `${countText(milliseconds / 1000)} s`;
}

/** `34%`, with one decimal below ten percent, and never zero for a nonzero share. */
export function shareText(share: number): string {
  const percent = share * 100;
  if (percent === 0 || percent >= 9.95) return `${Math.round(percent)}%`;
  return percent < 0.1 ? '<0.1%' : `${percent.toFixed(1)}%`;
}

/** `timeout 3, http_503 1`: largest first; empty if there are none. */
export function tallyText(tally: Readonly<Record<string, number>>): string {
  const present = Object.entries(tally).filter(([, count]) => count > 0);
  return present
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${countText(count)}`)
    .join(', ');
}

/** `192.0.2.7:443 (mon.example)`; without the name if the base URL contains the address. */
export function countedAddressText({ host, port, address }: Pick<AddressCounts, 'host' | 'port' | 'address'>): string {
  const place = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  return host === address ? place : `${place} (${host})`;
}

/** Base URL of an effective scenario, or the first few of several; `undefined` if it has none. */
export function targetText(target: unknown, shown = (url: string): string => url): string | undefined {
  const { url, urls } = (target ?? {}) as { readonly url?: unknown; readonly urls?: readonly unknown[] };
  if (urls === undefined) return url === undefined ? undefined : shown(String(url));
  const more = urls.length > URLS_TOLD ? [`${urls.length - URLS_TOLD} more`] : [];
  return [...urls.slice(0, URLS_TOLD).map((one) => shown(String(one))), ...more].join(', ');
}

const URLS_TOLD = 4;

/** Offset of a machine's clock from the coordinator's: `+12.0 ± 0.5 ms`. */
export function clockText({ clockOffsetMs, clockErrorMs }: RaisingMachine): string {
  return `${clockOffsetMs < 0 ? '' : '+'}${clockOffsetMs.toFixed(1)} ± ${clockErrorMs.toFixed(1)} ms`;
}

export function lostFirst(machines: readonly RaisingMachine[]): readonly RaisingMachine[] {
  return machines.toSorted((a, b) => Number(a.toMs === undefined) - Number(b.toMs === undefined));
}

/** `144 times as fast, from 2026-11-12 00:00:00 UTC` */
export function hostClockText({ factor, startedAt }: NonNullable<Summary['hostClock']>): string {
  const speed = factor === 1 ? '' : `${factor} times as fast, `;
  return `${speed}from ${startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}`;
}
