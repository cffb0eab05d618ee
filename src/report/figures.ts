import { addressText } from '../base/kernel/address.ts';
import { firstFew } from '../base/kernel/units.ts';
import type { AddressCounts } from '../base/protocol/exchange.ts';
import type { OperationSummary, Summary } from '../metrics/summary/summary-schema.ts';
import { countText, latencyText, rateText, utcText } from './page/figures.ts';

/** `timeout 3, http_503 1`: largest first; empty if there are none. */
export function tallyText(tally: Readonly<Record<string, number>>): string {
  const present = Object.entries(tally).filter(([, count]) => count > 0);
  return present
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${countText(count)}`)
    .join(', ');
}

/** Agents by state, in the order of their life. Agents that listen but are not registered may be there only to be polled. */
export function statesText(agents: Readonly<Record<string, number>>, listening: number): string {
  return Object.entries(agents)
    .filter(([state, count]) => count > 0 && !(listening > 0 && state === 'unregistered'))
    .map(([state, count]) => `${countText(count)} ${state}`)
    .join(', ');
}

/** `192.0.2.7:443 (mon.example)`; without the name if the base URL contains the address. */
export function countedAddressText({ host, port, address }: Pick<AddressCounts, 'host' | 'port' | 'address'>): string {
  const text = addressText({ host: address, port });
  return host === address ? text : `${text} (${host})`;
}

/** Base URL of an effective scenario, or the first few of several; `undefined` if it has none. */
export function targetText(target: unknown, display = (url: string): string => url): string | undefined {
  const { url, urls } = (target ?? {}) as { readonly url?: unknown; readonly urls?: readonly unknown[] };
  if (urls === undefined) return url === undefined ? undefined : display(String(url));
  return firstFew(urls.map((one) => display(String(one))));
}

/** Hides the query of a URL, which may contain a key. */
export function withoutQuery(url: string): string {
  return url.replace(/\?.*$/s, '?…');
}

export const OPERATION_HEADINGS = ['planned', 'ok', 'failed', 'dropped', 'ok/s', 'p50', 'p95', 'p99', 'max'] as const;

/** A cell for each heading. */
export function operationCells(entry: OperationSummary): readonly string[] {
  const { planned, succeeded, failed, dropped, succeededPerSecond, latencyMs } = entry;
  const { p50, p95, p99, max } = latencyMs.response ?? {};
  return [
    ...[planned, succeeded, failed, dropped].map(countText),
    rateText(succeededPerSecond),
    ...[p50, p95, p99, max].map((time) => (time === undefined ? '-' : latencyText(time))),
  ];
}

/** `144 times as fast, from 2026-11-12 00:00:00 UTC` */
export function hostClockText({ factor, startedAt }: NonNullable<Summary['hostClock']>): string {
  const speed = factor === 1 ? '' : `${factor} times as fast, `;
  return `${speed}from ${utcText(startedAt)}`;
}
