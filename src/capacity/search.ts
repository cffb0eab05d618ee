/** What one run at a load came to. Loads are agents, or operations per second. */
export type Trial = {
  readonly load: number;
  readonly purpose: Purpose;
  readonly outcome: TrialOutcome;
};

export type TrialOutcome =
  | 'held'
  /** The server did not meet the conditions. */
  | 'gave_way'
  /** The generator was the bottleneck: nothing is known of the server. */
  | 'generator'
  /** The sample began before the backlog of what came before was worked off: it says nothing about the load. */
  | 'undrained'
  | 'unreachable'
  | 'incomplete';

/** What the runs at one load came to, those left out that tell nothing of the server. */
export type LoadRecord = {
  readonly load: number;
  readonly runs: number;
  /** How many of them held. */
  readonly held: number;
};

/** Both sides of the knee, as far as they are known. */
export type Bracket = {
  /** The highest load that held and is below all that gave way. */
  readonly held: LoadRecord | undefined;
  /** The lowest load that gave way. */
  readonly gaveWay: LoadRecord | undefined;
};

/** How often the loads on both sides of the knee are tried; odd, so that a majority decides. */
export const SAMPLES = 3;

/** Of loads that contradict each other the lower ones count: what is below a capacity must hold, too. */
export function bracketOf(all: readonly Trial[]): Bracket {
  const trials = ofWorkingServer(all);
  const loads = [...new Set(trials.map(({ load }) => load))].sort((a, b) => a - b);
  const tried = loads.flatMap((load) => standingOf(trials.filter((trial) => trial.load === load)));
  const gaveWay = tried.find(({ holds }) => !holds)?.record;
  const below = tried.filter(({ record }) => gaveWay === undefined || record.load < gaveWay.load);
  return { held: below.at(-1)?.record, gaveWay };
}

/** The first run speaks for a load until there are enough of them for a majority; none if nothing is known. */
function standingOf(trials: readonly Trial[]): readonly { record: LoadRecord; holds: boolean }[] {
  const telling = trials.filter(({ outcome }) => outcome === 'held' || outcome === 'gave_way');
  const [first] = telling;
  if (first === undefined) return [];
  const held = telling.filter(({ outcome }) => outcome === 'held').length;
  const record = { load: first.load, runs: telling.length, held };
  return [{ record, holds: telling.length < SAMPLES ? first.outcome === 'held' : held * 2 > telling.length }];
}

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

type Purpose = 'climb' | 'bisect' | 'repeat' | 'recover';

/** What is to be tried; numbers count from 1. */
export type Attempt = { readonly number: number; readonly load: number; readonly purpose: Purpose };

/** What to do next. */
type Move =
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
  /** A load that held gives way again and again after a higher one did. */
  | 'not_recovered'
  | 'undrained'
  | 'generator'
  | 'unreachable'
  | 'incomplete';

/**
 * An invalid run may be a neighbor's doing. Two at a load without a valid one are the generator's limit; beside valid
 * ones they are the end of its repetitions.
 */
const GENERATOR_CHANCES = 2;

/** Each one comes after a longer pause. */
const DRAIN_CHANCES = 3;

/** For how long nothing is sent before the lowest load that held is tried again, each time that it gives way after a higher one did. */
export const RECOVERY_RESTS_MS = [0, 10_000, 30_000, 60_000] as const;

/**
 * What follows from the trials so far, in their order: climb by `growth` until a load gives way, halve the gap until it
 * is narrow, then repeat both sides of it. Where loads give way one after another, the lowest that held is tried, as a server
 * that a load broke would fail them all. A side that its own repetitions outvote changes sides, and the search goes on
 * from there.
 */
export function nextMove(plan: SearchPlan, trials: readonly Trial[]): Move {
  const last = trials.at(-1);
  if (last?.outcome === 'unreachable' || last?.outcome === 'incomplete') return over(last.outcome);
  const doubtful = doubtfulMove(trials);
  if (doubtful !== undefined) return doubtful;
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

/** What follows from a backlog in the sample, or from loads that fail one after another; undefined if neither is there. */
function doubtfulMove(trials: readonly Trial[]): Move | undefined {
  const broken = brokenSince(trials);
  if (broken !== undefined && broken.again >= RECOVERY_RESTS_MS.length) return over('not_recovered');
  const last = trials.at(-1);
  if (last?.outcome === 'undrained') {
    const tried = trials.filter(({ load, outcome }) => load === last.load && outcome === 'undrained').length;
    if (tried < DRAIN_CHANCES) return attempt(last.load, 'repeat');
    if (broken === undefined || last.load === broken.load) return over('undrained');
  }
  return broken && attempt(broken.load, 'recover');
}

/** What fails since the last load that held: there is a doubt whether the server came back from the first of it. */
function brokenSince(trials: readonly Trial[]): { readonly load: number; readonly again: number } | undefined {
  const heldLoads = trials.filter(({ outcome }) => outcome === 'held').map(({ load }) => load);
  const failing = sinceHeld(trials).filter(({ outcome }) => outcome === 'gave_way' || outcome === 'undrained');
  const [lowest, highest] = [Math.min(...heldLoads), Math.max(...heldLoads)];
  const loads = new Set(failing.map(({ load }) => load));
  const isDoubtful = loads.size > 1 && failing.some(({ load }) => load > highest);
  if (heldLoads.length === 0 || !isDoubtful) return undefined;
  return {
    load: lowest,
    again: failing.filter(({ load, outcome }) => load === lowest && outcome === 'gave_way').length,
  };
}

/**
 * Without what a broken server failed: all behind the load that broke it, if the lowest load that had held gave way, too, when
 * it was to tell whether the server came back.
 */
function ofWorkingServer(trials: readonly Trial[]): readonly Trial[] {
  const kept: Trial[] = [];
  let failing: Trial[] = [];
  for (const trial of trials) {
    if (trial.outcome !== 'held') failing.push(trial);
    else {
      kept.push(...workingPart(failing), trial);
      failing = [];
    }
  }
  return [...kept, ...workingPart(failing)];
}

/** Of trials that failed one after another. */
function workingPart(failing: readonly Trial[]): readonly Trial[] {
  return failing.some(({ purpose }) => purpose === 'recover') ? failing.slice(0, 1) : failing;
}

/** What failed since a load last held, the one that may have broken the server first. */
export function sinceHeld<Tried extends Trial>(trials: readonly Tried[]): readonly Tried[] {
  return trials.slice(trials.findLastIndex(({ outcome }) => outcome === 'held') + 1);
}

/** What was tried until a server broke, with the load that broke it. */
export function untilBroken<Tried extends Trial>(trials: readonly Tried[]): readonly Tried[] {
  return trials.slice(0, trials.length - sinceHeld(trials).length + 1);
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

/** The trials of a search at a server whose capacity is known and sharp. */
export function rehearse(plan: SearchPlan, capacity: number): readonly Trial[] {
  const trials: Trial[] = [];
  for (;;) {
    const move = nextMove(plan, trials);
    if (move.kind === 'over') return trials;
    trials.push({ load: move.load, purpose: move.purpose, outcome: move.load <= capacity ? 'held' : 'gave_way' });
  }
}

/** A short search that finds a capacity, and a long one: the server gives way at the second load, or only at the highest. */
export function rehearsals(plan: SearchPlan): readonly [readonly Trial[], readonly Trial[]] {
  const climb = rehearse(plan, plan.to).slice(0, 1 - SAMPLES);
  return [rehearse(plan, plan.from), rehearse(plan, climb.at(-2)?.load ?? plan.to)];
}

/**
 * Most trials of a search: as many as the longest search needs, and half as many
 * again for a server with varying results.
 */
export function mostTrials(plan: SearchPlan): number {
  return Math.ceil(1.5 * Math.max(...rehearsals(plan).map(({ length }) => length)));
}
