import { hash32 } from '../../kernel/random.ts';
import { fixesBy } from '../incidents/effects.ts';
import { keyOf, type Moment, secondsSinceEpoch, streamLabel } from '../time/moment.ts';
import { unit } from '../time/noise.ts';

/** When new revisions of a package appear: the same days for the whole world, so for every host of every fleet. */
export type Releases = {
  readonly periodSeconds: number;
  readonly phase: number;
  /** Fixes of this package count as security updates. */
  readonly security: boolean;
};

const DAY_SECONDS = 86_400;
const HABITS = streamLabel('packages.habits');
/** The agent collects package information at its start and every hour from then. */
const COLLECTION_MS = 3_600_000;
/** A collection takes this long; until the first is complete there is no result. */
const COLLECTING_MS = 15_000;

/** How often an archive revises its packages: between so many days, more of them near the lower end. */
export type Cadence = {
  readonly fromDays: number;
  readonly toDays: number;
  /** Which share of the packages that change has security fixes. */
  readonly securityShare: number;
};

const USUAL_CADENCE: Cadence = { fromDays: 25, toDays: 255, securityShare: 0.55 };

export function releasesOf(archive: string, name: string, cadence = USUAL_CADENCE): Releases {
  const { fromDays, toDays, securityShare } = cadence;
  const random = (label: string) => hash32(0, `${archive}.${label}.${name}`) / 0x1_0000_0000;
  const periodDays = fromDays + (toDays - fromDays) * random('period') ** 2;
  const security = random('security') < securityShare;
  return { periodSeconds: periodDays * DAY_SECONDS, phase: random('phase'), security };
}

/** The newest revision published by then, from 1. */
export function published({ periodSeconds, phase }: Releases, seconds: number): number {
  return 1 + Math.max(0, Math.floor(seconds / periodSeconds + phase));
}

/** When a revision was published; seconds since the epoch of releases. */
export function publishedSeconds({ periodSeconds, phase }: Releases, revision: number): number {
  return (revision - 1 - phase) * periodSeconds;
}

/** What an archive offers to a host at an instant (Unix ms): incidents bring fixes beyond the usual releases. */
export type Offer = { readonly seconds: number; readonly fixes: number };

export function offerAt({ incidents }: Pick<Moment, 'incidents'>, unixMs: number): Offer {
  return { seconds: secondsSinceEpoch(unixMs), fixes: fixesBy(incidents, unixMs).published };
}

/** The newest revision that a host is offered. */
export function offered(releases: Releases, { seconds, fixes }: Offer): number {
  return published(releases, seconds) + (releases.security ? fixes : 0);
}

/** The newest revision that a host has installed by then, given when its waves of updates last ran. */
export function installed(releases: Releases, waves: Waves): number {
  return releases.security ? published(releases, waves.security) + waves.fixes : published(releases, waves.all);
}

/**
 * When a host last installed security updates, and last installed everything, in seconds since the epoch of releases;
 * and how many fixes of incidents it has installed.
 */
export type Waves = { readonly security: number; readonly all: number; readonly fixes: number };

/** How the hosts of a distribution are kept up to date. */
export type Habits = {
  /** Everything is installed at intervals between these, each host at its own. */
  readonly fromDays: number;
  readonly toDays: number;
  /** Which share of the hosts installs security fixes by itself in the early morning. */
  readonly unattended: number;
};

const USUAL_HABITS: Habits = { fromDays: 6, toDays: 46, unattended: 0.7 };

/** By an instant in Unix ms. */
export function wavesAt({ hostKey, incidents }: HostOfWaves, unixMs: number, habits = USUAL_HABITS): Waves {
  const { fromDays, toDays } = habits;
  const seconds = secondsSinceEpoch(unixMs);
  const key = keyOf(hostKey, HABITS);
  const everything = (fromDays + (toDays - fromDays) * unit(key, 0)) * DAY_SECONDS;
  const all = lastOf(seconds, everything, unit(key, 1) * everything);
  const unattended = unit(key, 2) < habits.unattended;
  const daily = lastOf(seconds, DAY_SECONDS, (6 + unit(key, 3)) * 3600);
  return { all, security: unattended ? Math.max(all, daily) : all, fixes: fixesBy(incidents, unixMs).installed };
}

type HostOfWaves = Pick<Moment, 'hostKey' | 'incidents'>;

/** Start of the collection whose result an agent has, in Unix ms; undefined before the first is complete. */
export function collectionBefore({ checkMs, agentStartMs }: Moment): number | undefined {
  const collections = Math.floor((checkMs - agentStartMs - COLLECTING_MS) / COLLECTION_MS);
  return collections < 0 ? undefined : agentStartMs + collections * COLLECTION_MS;
}

function lastOf(seconds: number, period: number, phase: number): number {
  return Math.floor((seconds - phase) / period) * period + phase;
}
