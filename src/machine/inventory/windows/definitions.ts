import { HOUR_SECONDS } from '../../../kernel/units.ts';
import { keyOf, secondsSinceEpoch, streamLabel } from '../../time/moment.ts';
import { unit } from '../../time/noise.ts';

const DEFINITIONS = streamLabel('packages.definitions');
const PUBLISHED_SECONDS = 8 * 3600;

/** The newest descriptions of threats that are published by an instant (Unix ms): three times a day. */
export function publishedDefinitions(unixMs: number): number {
  return Math.floor(secondsSinceEpoch(unixMs) / PUBLISHED_SECONDS);
}

/** Those that a host has at an instant (Unix ms): it asks for new ones every few hours. */
export function installedDefinitions({
  hostKey,
  unixMs,
}: {
  readonly hostKey: number;
  readonly unixMs: number;
}): number {
  const key = keyOf(hostKey, DEFINITIONS);
  const everySeconds = (2 + 4 * unit(key, 0)) * HOUR_SECONDS;
  const phase = unit(key, 1);
  const asked = (Math.floor(secondsSinceEpoch(unixMs) / everySeconds + phase) - phase) * everySeconds;
  return Math.floor(asked / PUBLISHED_SECONDS);
}
