import { DAY_SECONDS } from '../../kernel/units.ts';
import { secondsSinceEpoch } from './moment.ts';
import { unit } from './noise.ts';

/** A service fails once in so many seconds at most, and in most of such spells not at all. */
const SPELL_SECONDS = 9 * DAY_SECONDS;
const LIKELY = 0.3;
const SHORTEST_SECONDS = 120;
const LONGEST_SECONDS = 900;
/** Nothing fails right after a boot. */
const SETTLED_SECONDS = 600;
/** Restarts are told apart up to this number; hosts that nobody restarts run for months. */
const RESTARTS = 5;

/** A service at an instant: down, or up after no restart since boot (0) or after the last of several (1 to `RESTARTS`). */
export type ServiceState = number;
export const DOWN: ServiceState = -1;

/** How a service fares; a closed function, so that it looks back over the spells since boot for the last failure. */
export function serviceState(key: number, { checkMs, bootMs }: { checkMs: number; bootMs: number }): ServiceState {
  const now = secondsSinceEpoch(checkMs);
  const settled = secondsSinceEpoch(bootMs) + SETTLED_SECONDS;
  const phase = unit(key, -1) * SPELL_SECONDS;
  for (let spell = Math.floor((now + phase) / SPELL_SECONDS); ; spell--) {
    const spellStart = spell * SPELL_SECONDS - phase;
    if (spellStart + SPELL_SECONDS < settled) return 0;
    if (unit(key, spell) >= LIKELY) continue;
    const start = spellStart + unit(key + 1, spell) * (SPELL_SECONDS - LONGEST_SECONDS);
    if (start < settled || start > now) continue;
    const length = SHORTEST_SECONDS + (LONGEST_SECONDS - SHORTEST_SECONDS) * unit(key + 2, spell) ** 2;
    return now < start + length ? DOWN : 1 + (((spell % RESTARTS) + RESTARTS) % RESTARTS);
  }
}
