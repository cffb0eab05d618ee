import { type Parsed, packages, usualFleet } from '../any-machine.ts';

export const DAY_MS = 86_400_000;
/** The documents cover four months from here, so that patch days and other days have equal weight. */
const START_MS = Date.UTC(2026, 0, 3);
const SPAN_DAYS = 120;

/** Package documents of many hosts, each at a different time within four months. */
export function fleetDocuments(profile: string, count: number, payload: 'full' | 'typical' = 'full'): Parsed[] {
  const fleet = usualFleet(profile, payload);
  return Array.from({ length: count }, (_, agent) => {
    const instantMs = START_MS + Math.floor(((agent * 0.618_034) % 1) * SPAN_DAYS * DAY_MS);
    return packages({ fleet, agent, instantMs });
  });
}

export function listOf({ LinuxPackages, WindowsApps, MacosApps }: Parsed): Parsed[] {
  return [...LinuxPackages, ...WindowsApps, ...MacosApps];
}

export function updatesOf({ LinuxUpdates, WindowsUpdates, MacosUpdates }: Parsed): Parsed[] {
  return [...LinuxUpdates, ...WindowsUpdates, ...MacosUpdates];
}

export function shareOf<T>(all: readonly T[], is: (one: T) => boolean): number {
  return all.filter(is).length / all.length;
}
