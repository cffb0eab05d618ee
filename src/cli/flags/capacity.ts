import type { RaisedKind } from '../../capacity/raised-load.ts';
import { UserError } from '../../kernel/errors.ts';
import { parseDuration, parseRate, wholeMicroseconds } from '../../kernel/units.ts';
import { onlyOne } from './common.ts';

/** The flags of `muster capacity` besides those of scenarios. */
export type CapacityFlags = {
  readonly until: string | undefined;
  readonly raise: RaisedKind | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly growth: string;
  readonly resolution: string;
  readonly step: string;
  readonly settle: string;
  readonly workers: string | undefined;
  readonly out: string | undefined;
  readonly html: string | undefined;
  readonly json: boolean;
};

const LEAST_GROWTH = 1.05;
const MOST_GROWTH = 10;

/** A load in the notation of what is raised; undefined if the flag was not given. Throws a `UserError`. */
export function loadOf(flag: 'from' | 'to', given: string | undefined, raised: RaisedKind): number | undefined {
  const text = onlyOne(flag, given);
  if (text === undefined) return undefined;
  if (raised === 'agents' && /^[1-9]\d{0,7}$/.test(text)) return Number(text);
  const rate = raised === 'rate' ? parseRate(text) : undefined;
  if (rate !== undefined && rate > 0) return rate;
  const expected = raised === 'agents' ? 'a number of agents such as 500' : 'a rate above zero such as 200/s';
  throw unexpected(flag, expected, text);
}

/** By how much the load is multiplied at each step. Throws a `UserError`. */
export function growthOf(given: string): number {
  const text = onlyOne('growth', given);
  const growth = /^\d{1,2}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (growth >= LEAST_GROWTH && growth <= MOST_GROWTH) return growth;
  throw unexpected('growth', `a factor from ${LEAST_GROWTH} to ${MOST_GROWTH} such as 1.5`, text);
}

/** Milliseconds. Throws a `UserError`. */
export function timeOf(flag: 'step' | 'settle', given: string): number {
  const text = onlyOne(flag, given);
  const milliseconds = wholeMicroseconds(parseDuration(text) ?? -1);
  if (flag === 'settle' ? milliseconds >= 0 : milliseconds > 0) return milliseconds;
  throw unexpected(flag, flag === 'settle' ? 'a duration such as 5s or 0s' : 'a duration such as 15s', text);
}

export function unexpected(flag: string, expected: string, found: string): UserError {
  return new UserError(`--${flag}: expected ${expected}, found ${JSON.stringify(found)}`);
}
