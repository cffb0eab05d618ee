import type { Moment } from '../evolution/moment.ts';
import { groupsAt } from './groups.ts';
import { bootedKernel, type Inventory } from './inventory.ts';
import { type NewsBetween, newsOf, type Series } from './release-calendar.ts';
import { offerAt, type Releases, revisionAt, wavesAt } from './releases.ts';
import type { Found } from './software.ts';
import { countOf, type Tally, tallyOf } from './tally.ts';

export type FoundAt = (moment: Moment, unixMs: number) => Found;

/**
 * What a collection counts on a host at an instant (Unix ms), without going through its packages. Patches are not
 * upgradable, but count as security updates.
 */
export function foundOf(inventory: Inventory): FoundAt {
  const { groups, habits, kernel, tellsReboots, tellsSecurity } = inventory;
  const installed = tallyOf(inventory.packages);
  const upgradable = inventory.packages.filter(({ releases, kept }) => releases !== undefined && kept === undefined);
  const sources = [...Map.groupBy(upgradable, ({ releases }) => releases as Releases)].map(([releases, members]) => ({
    releases,
    tally: tallyOf(members),
  }));
  const urgent = tallyOf(upgradable.filter(({ releases }) => releases?.security));
  const fixes = newsOf(sources.filter((source): source is Series => isPeriodic(source) && source.releases.security));
  const others = newsOf(sources.filter((source): source is Series => isPeriodic(source) && !source.releases.security));
  const monthly = sources.filter((source) => !isPeriodic(source));
  const patches = newsOf(inventory.patches.map(({ releases }) => ({ releases, tally: ONE })));
  return (moment, unixMs) => {
    const mask = groupsAt(groups, moment.hostKey, unixMs);
    const waves = wavesAt(moment, unixMs, habits);
    const offer = offerAt(moment, unixMs, habits);
    const allFixes = offer.fixes > waves.fixes;
    const since = (news: NewsBetween) => news(waves.security, offer.security, mask);
    const restarts = monthly.filter(({ releases }) => revisionAt(releases, offer) > revisionAt(releases, waves));
    const restarting = (security: boolean) => {
      return restarts.reduce((sum, { releases, tally }) => {
        return releases.security === security ? sum + countOf(tally, mask) : sum;
      }, 0);
    };
    const flagged = allFixes ? countOf(urgent, mask) : since(fixes) + restarting(true);
    const rest = others(waves.all, offer.all, mask) + restarting(false);
    const announced = allFixes ? inventory.patches.length : since(patches);
    const renewed = revisionAt(kernel, waves) > bootedKernel(inventory, moment);
    return {
      installed: countOf(installed, mask),
      upgradable: flagged + rest,
      security: (tellsSecurity ? flagged : 0) + announced,
      rebootRequired: renewed && tellsReboots,
    };
  };
}

const ONE: Tally = [{ groups: 0, count: 1 }];

function isPeriodic({ releases }: { readonly releases: Releases }): boolean {
  return !('month' in releases);
}
