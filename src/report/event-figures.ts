import { formatDuration } from '../base/kernel/units.ts';
import { ATTACK_ENDINGS } from '../base/protocol/attacks.ts';
import { tallySum } from '../metrics/recording/tally.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import { tallyText } from './figures.ts';
import { countText, latencyText } from './page/figures.ts';

type Misbehavior = NonNullable<Summary['misbehavior']>[number];

export const MISBEHAVIOR_HEADINGS = ['how', 'attacks', ...ATTACK_ENDINGS, 'p50', 'max'] as const;

/** One row per kind of attack, for tables that exclude healthy agents. */
export function misbehaviorRow({ how, endings, latencyMs }: Misbehavior): readonly string[] {
  const times = [latencyMs?.p50, latencyMs?.max].map((time) => (time === undefined ? '-' : latencyText(time)));
  return [how, countText(tallySum(endings)), ...ATTACK_ENDINGS.map((ending) => countText(endings[ending])), ...times];
}

/** `broken-json 120: refused 120 (400)`: number of attacks of one kind, and how they ended. */
export function misbehaviorText({ how, endings, statuses }: Misbehavior): string {
  const answers = Object.keys(statuses).join(', ');
  return `${how} ${countText(tallySum(endings))}: ${tallyText(endings)}${answers === '' ? '' : ` (${answers})`}`;
}

/** `cable: recovered after 4s, herd 2.1 times`: how the target recovered from an event. */
export function recoveryText({ event, timeMs, herd, unobserved }: NonNullable<Summary['recoveries']>[number]): string {
  const time =
    timeMs === undefined ? (unobserved ?? 'not recovered') : `recovered after ${formatDuration(Math.round(timeMs))}`;
  return `${event}: ${time}${herd === undefined ? '' : `, herd ${Number(herd.toPrecision(3))} times`}`;
}
