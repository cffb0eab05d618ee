import { type Parsed, packages, usualFleet } from '../any-machine.ts';

export const DAY_MS = 86_400_000;
/** Four months from here, so that days of patches and those between count alike. */
const START_MS = Date.UTC(2026, 0, 3);
const SPAN_DAYS = 120;

/** Package documents of many hosts, each at an instant of its own within four months. */
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
