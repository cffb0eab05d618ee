import type { Moment } from '../time/moment.ts';
import { bootedKernel, type Inventory } from './inventory.ts';
import { ALWAYS, type Reasons, reasonsAt } from './reasons.ts';
import { newsOf, type Series } from './release-calendar.ts';
import { type Offer, offerAt, type Releases, revisionAt, type Waves, wavesAt } from './releases.ts';
import type { Found } from './software.ts';
import { countOf, type Tally, tallyOf } from './tally.ts';

export type FoundAt = (moment: Moment, unixMs: number) => Found;

/**
 * What a collection counts on a host at an instant (Unix ms), without going through its packages. Patches are not
 * upgradable, but count as security updates.
 */
export function foundOf(inventory: Inventory): FoundAt {
  const { known, habits, kernel, tellsReboots, tellsSecurity } = inventory;
  const installed = tallyOf(inventory.packages);
  const sources = upgradableSources(inventory);
  const urgent = tallyOf(upgradables(inventory).filter(({ releases }) => releases?.security));
  const fixes = newsOf(sources.filter(isPeriodic).filter(({ releases }) => releases.security));
  const others = newsOf(sources.filter(isPeriodic).filter(({ releases }) => !releases.security));
  const monthly = sources.filter((source) => !isPeriodic(source));
  const monthlyFixes = monthly.filter(({ releases }) => releases.security);
  const monthlyOthers = monthly.filter(({ releases }) => !releases.security);
  const patches = newsOf(inventory.patches.map(({ releases }) => ({ releases, tally: ONE })));
  return (moment, unixMs) => {
    const host = reasonsAt(known, moment.hostKey, unixMs);
    const waves = wavesAt(moment, unixMs, habits);
    const offer = offerAt(moment, unixMs, habits);
    const allFixes = offer.fixes > waves.fixes;
    const since = { waves, offer, host };
    const usualFixes = fixes(waves.security, offer.security, host) + behind(monthlyFixes, since);
    const flagged = allFixes ? countOf(urgent, host) : usualFixes;
    const rest = others(waves.all, offer.all, host) + behind(monthlyOthers, since);
    const announced = allFixes ? inventory.patches.length : patches(waves.security, offer.security, host);
    return {
      installed: countOf(installed, host),
      upgradable: flagged + rest,
      security: (tellsSecurity ? flagged : 0) + announced,
      rebootRequired: tellsReboots && revisionAt(kernel, waves) > bootedKernel(inventory, moment),
    };
  };
}

type Source = { readonly releases: Releases; readonly tally: Tally };

function upgradables({ packages }: Inventory): Inventory['packages'] {
  return packages.filter(({ releases, kept }) => releases !== undefined && kept === undefined);
}

function upgradableSources(inventory: Inventory): readonly Source[] {
  const bySource = Map.groupBy(upgradables(inventory), ({ releases }) => releases as Releases);
  return [...bySource].map(([releases, members]) => ({ releases, tally: tallyOf(members) }));
}

type Since = { readonly waves: Waves; readonly offer: Offer; readonly host: Reasons };

/** How many packages of a host have a newer revision on offer, of a few sources. */
function behind(sources: readonly Source[], { waves, offer, host }: Since): number {
  let sum = 0;
  for (const { releases, tally } of sources) {
    if (revisionAt(releases, offer) > revisionAt(releases, waves)) sum += countOf(tally, host);
  }
  return sum;
}

const ONE: Tally = [{ reasons: ALWAYS, count: 1 }];

function isPeriodic(source: Source): source is Series {
  return !('month' in source.releases);
}
