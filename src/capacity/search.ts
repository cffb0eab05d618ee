import { type Bracket, bracketOf, SAMPLES, type Trial } from './trials.ts';

/** Where and how a capacity is sought. */
export type SearchPlan = {
  /** The first load that is tried. */
  readonly from: number;
  /** The highest load that may be tried; at least `from`. */
  readonly to: number;
  /** By how much the load is multiplied while it holds; above 1. */
  readonly growth: number;
  /** How wide the gap between held and not held may stay, as a share of the load that held. */
  readonly resolution: number;
  /** Loads are whole numbers. */
  readonly whole: boolean;
};

export type Purpose = 'climb' | 'bisect' | 'repeat';

/** What to do next. */
export type Move =
  | { readonly kind: 'try'; readonly load: number; readonly purpose: Purpose }
  | { readonly kind: 'over'; readonly end: SearchEnd };

/** Why a search is over of itself. */
export type SearchEnd =
  /** The gap between held and not held is as narrow as wanted, and both sides of it were repeated. */
  | 'found'
  /** The highest load that may be tried held. */
  | 'top_held'
  /** The lowest load gave way. */
  | 'nothing_held'
  | 'generator'
  | 'unreachable'
  | 'incomplete';

/**
 * An invalid run may be a neighbour's doing. Two at a load without a valid one are the generator's limit; beside valid
 * ones they are the end of its repetitions.
 */
const GENERATOR_CHANCES = 2;

/**
 * What follows from the trials so far, in their order: climb by `growth` until a load gives way, halve the gap until it
 * is narrow, then repeat both sides of it. A side that its own repetitions outvote changes sides, and the search goes on
 * from there.
 */
export function nextMove(plan: SearchPlan, trials: readonly Trial[]): Move {
  const last = trials.at(-1);
  if (last?.outcome === 'unreachable' || last?.outcome === 'incomplete') return over(last.outcome);
  const unknown = last && isUnknown(last.load, trials) ? last.load : undefined;
  if (unknown !== undefined) return chancesAt(unknown, trials) > 0 ? attempt(unknown, 'repeat') : over('generator');
  const bracket = bracketOf(trials);
  const further = furtherLoad(plan, bracket);
  if (further !== undefined) return further;
  const unsure = [bracket.gaveWay, bracket.held].find(
    (side) => side !== undefined && side.runs < SAMPLES && chancesAt(side.load, trials) > 0,
  );
  if (unsure !== undefined) return attempt(unsure.load, 'repeat');
  if (bracket.gaveWay === undefined) return over('top_held');
  return over(bracket.held === undefined ? 'nothing_held' : 'found');
}

/** A load that was not tried yet; undefined if both sides of the knee are where they can be. */
function furtherLoad(plan: SearchPlan, { held, gaveWay }: Bracket): Move | undefined {
  if (held === undefined) return gaveWay === undefined ? attempt(plan.from, 'climb') : undefined;
  if (gaveWay === undefined) return held.load < plan.to ? attempt(grown(plan, held.load), 'climb') : undefined;
  const middle = rounded(plan, (held.load + gaveWay.load) / 2);
  const isWide = gaveWay.load - held.load > plan.resolution * held.load;
  return isWide && held.load < middle && middle < gaveWay.load ? attempt(middle, 'bisect') : undefined;
}

function isUnknown(load: number, trials: readonly Trial[]): boolean {
  return trials.every((trial) => trial.load !== load || trial.outcome === 'generator');
}

function chancesAt(load: number, trials: readonly Trial[]): number {
  return GENERATOR_CHANCES - trials.filter((trial) => trial.load === load && trial.outcome === 'generator').length;
}

function attempt(load: number, purpose: Purpose): Move {
  return { kind: 'try', load, purpose };
}

function over(end: SearchEnd): Move {
  return { kind: 'over', end };
}

/** Higher by at least one where loads are whole: a small step must not end where it began. */
function grown(plan: SearchPlan, load: number): number {
  const next = rounded(plan, load * plan.growth);
  return Math.min(plan.to, plan.whole ? Math.max(load + 1, next) : next);
}

/** A load that reads well: four digits of a rate are finer than any resolution. */
function rounded({ whole }: SearchPlan, load: number): number {
  return whole ? Math.round(load) : Number(load.toPrecision(4));
}
