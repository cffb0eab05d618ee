/** Result of one run at a load. Loads are numbers of agents, or operations per second. */
export type Trial = {
  readonly load: number;
  readonly purpose: Purpose;
  readonly outcome: TrialOutcome;
  /** Whether what came before the load went as well as before the loads that held: then the server was not broken before it. */
  readonly isSound?: boolean;
  /** The part of the load that the server completed in the sample. */
  readonly completed?: number;
};

export type TrialOutcome =
  | 'held'
  /** The server did not meet the conditions. */
  | 'gave_way'
  /** The generator was the bottleneck, so the run does not describe the server. */
  | 'generator'
  /** The sample started before the previous backlog was processed, so the run does not describe the load. */
  | 'undrained'
  | 'unreachable'
  | 'incomplete';

/** Results of the runs at one load that describe the server. */
export type LoadRecord = {
  readonly load: number;
  readonly runs: number;
  /** Number of runs that met the conditions. */
  readonly held: number;
};

/** Both sides of the knee, as far as they are known. */
export type Bracket = {
  /** The highest load that met the conditions and is below all that did not. */
  readonly held: LoadRecord | undefined;
  /** The lowest load that did not meet the conditions. */
  readonly gaveWay: LoadRecord | undefined;
};

/** Number of trials for the loads on both sides of the knee; odd, so that a majority decides. */
export const SAMPLES = 3;

/** If loads contradict each other, the lower ones count: every load below a capacity must also hold. */
export function bracketOf(all: readonly Trial[]): Bracket {
  const trials = ofWorkingServer(all);
  const loads = [...new Set(trials.map(({ load }) => load))].sort((a, b) => a - b);
  const tried = loads.flatMap((load) => resultAtLoad(trials.filter((trial) => trial.load === load)));
  const gaveWay = tried.find(({ holds }) => !holds)?.record;
  const below = tried.filter(({ record }) => gaveWay === undefined || record.load < gaveWay.load);
  return { held: below.at(-1)?.record, gaveWay };
}

/** The first run decides for a load until there are enough for a majority. Empty if no run describes the server. */
function resultAtLoad(trials: readonly Trial[]): readonly { record: LoadRecord; holds: boolean }[] {
  const valid = trials.filter(({ outcome }) => outcome === 'held' || outcome === 'gave_way');
  const [first] = valid;
  if (first === undefined) return [];
  const held = valid.filter(({ outcome }) => outcome === 'held').length;
  const record = { load: first.load, runs: valid.length, held };
  return [{ record, holds: valid.length < SAMPLES ? first.outcome === 'held' : held * 2 > valid.length }];
}

/** Range and precision of a search. */
export type SearchPlan = {
  /** The first load to try. */
  readonly from: number;
  /** The highest load to try; at least `from`. */
  readonly to: number;
  /** Factor by which the load grows while it holds; above 1. */
  readonly growth: number;
  /** Maximum gap at the end between a load that held and one that did not, as a share of the former. */
  readonly resolution: number;
  /** Whether loads are whole numbers. */
  readonly whole: boolean;
};

type Purpose = 'climb' | 'bisect' | 'repeat' | 'recover';

/** The next trial; numbers start at 1. */
export type Attempt = { readonly number: number; readonly load: number; readonly purpose: Purpose };

type Move =
  | { readonly kind: 'try'; readonly load: number; readonly purpose: Purpose }
  | { readonly kind: 'over'; readonly end: SearchEnd };

/** Why a search ended by itself. */
export type SearchEnd =
  /** The gap is narrow enough, and both sides of it were repeated. */
  | 'found'
  /** The highest allowed load held. */
  | 'top_held'
  /** The lowest load failed the conditions. */
  | 'nothing_held'
  /** A load that held fails again and again after a higher one failed. */
  | 'not_recovered'
  | 'undrained'
  | 'generator'
  | 'unreachable'
  | 'incomplete';

/**
 * A neighbor on the machine may cause an invalid run. Two invalid runs at a load without a valid one are the generator's limit; with a
 * valid one they end its repetitions.
 */
const GENERATOR_CHANCES = 2;

/** Each attempt follows a longer pause. */
const DRAIN_CHANCES = 3;

/** Pauses before the lowest load that held is tried again, one for each failure since a higher load failed. */
export const RECOVERY_RESTS_MS = [0, 15_000, 45_000] as const;

/**
 * The next step after these trials, in their order. The load grows by `growth` until one fails; then the gap is narrowed, to where the
 * failed load shows the knee or else by half; then both sides are repeated. If several loads fail in a row, the lowest load that held is tried, because a broken server would fail them
 * all. If repetitions outvote a side, it changes sides, and the search continues from there.
 */
export function nextMove(plan: SearchPlan, trials: readonly Trial[]): Move {
  const last = trials.at(-1);
  if (last?.outcome === 'unreachable' || last?.outcome === 'incomplete') return over(last.outcome);
  const doubtful = doubtfulMove(trials);
  if (doubtful !== undefined) return doubtful;
  const isUnknown = last && trials.every(({ load, outcome }) => load !== last.load || outcome === 'generator');
  if (isUnknown) return chancesAt(last.load, trials) > 0 ? attempt(last.load, last.purpose) : over('generator');
  const bracket = bracketOf(trials);
  const further = furtherLoad(plan, bracket, trials);
  if (further !== undefined) return further;
  const isUnsure = (side: LoadRecord | undefined): boolean =>
    side !== undefined && side.runs < SAMPLES && !isOutvoted(side) && chancesAt(side.load, trials) > 0;
  const unsure = [bracket.gaveWay, bracket.held].find(isUnsure);
  if (unsure !== undefined) return attempt(unsure.load, 'repeat');
  if (bracket.gaveWay === undefined) return over('top_held');
  return over(bracket.held === undefined ? 'nothing_held' : 'found');
}

/** Whether most runs fail, whatever the missing ones show. */
export function isOutvoted({ runs, held }: LoadRecord): boolean {
  return 2 * (runs - held) > SAMPLES;
}

/** The move after a backlog in the sample, or after successive failures; `undefined` if there was neither. */
function doubtfulMove(trials: readonly Trial[]): Move | undefined {
  const broken = brokenSince(trials);
  if (broken !== undefined && broken.again >= RECOVERY_RESTS_MS.length) return over('not_recovered');
  const last = trials.at(-1);
  if (last?.outcome === 'undrained') {
    const tried = trials.filter(({ load, outcome }) => load === last.load && outcome === 'undrained').length;
    if (tried < DRAIN_CHANCES) return attempt(last.load, last.purpose);
    if (broken === undefined || last.load === broken.load) return over('undrained');
  }
  return broken && attempt(broken.load, 'recover');
}

/** Failures since the last load that held, if the server may not have recovered from the first of them. */
function brokenSince(trials: readonly Trial[]): { readonly load: number; readonly again: number } | undefined {
  const heldLoads = trials.filter(({ outcome }) => outcome === 'held').map(({ load }) => load);
  const failing = sinceHeld(trials).filter(({ outcome }) => outcome === 'gave_way' || outcome === 'undrained');
  const [lowest, highest] = [Math.min(...heldLoads), Math.max(...heldLoads)];
  const loads = new Set(failing.map(({ load }) => load));
  const isSound = failing.slice(1).every((trial) => trial.isSound === true);
  const isDoubtful = loads.size > 1 && failing.some(({ load }) => load > highest) && !isSound;
  if (heldLoads.length === 0 || !isDoubtful) return undefined;
  return {
    load: lowest,
    again: failing.filter(({ load, outcome }) => load === lowest && outcome === 'gave_way').length,
  };
}

/**
 * The trials without the failures of a broken server. If the lowest load that had held failed in a `recover` trial, all failures after the
 * one that broke the server are removed.
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

/** Filters a sequence of successive failures. */
function workingPart(failing: readonly Trial[]): readonly Trial[] {
  return failing.some(({ purpose }) => purpose === 'recover') ? failing.slice(0, 1) : failing;
}

/** The failures since the last load that held; the first one may have broken the server. */
export function sinceHeld<Tried extends Trial>(trials: readonly Tried[]): readonly Tried[] {
  return trials.slice(trials.findLastIndex(({ outcome }) => outcome === 'held') + 1);
}

/** The trials up to the one that broke the server, inclusive. */
export function untilBroken<Tried extends Trial>(trials: readonly Tried[]): readonly Tried[] {
  return trials.slice(0, trials.length - sinceHeld(trials).length + 1);
}

/** A load that was not tried yet; `undefined` if both sides of the knee are final. */
function furtherLoad(plan: SearchPlan, { held, gaveWay }: Bracket, trials: readonly Trial[]): Move | undefined {
  if (held === undefined) return gaveWay === undefined ? attempt(plan.from, 'climb') : undefined;
  if (gaveWay === undefined) return held.load < plan.to ? attempt(grown(plan, held.load), 'climb') : undefined;
  const middle = rounded(plan, (held.load + gaveWay.load) / 2);
  const isWide = gaveWay.load - held.load > plan.resolution * held.load;
  const next = likelyKnee(plan, { held, gaveWay }, trials) ?? middle;
  return isWide && held.load < next && next < gaveWay.load ? attempt(next, 'bisect') : undefined;
}

/**
 * A server that cannot complete a load often shows what it can. If the load that held is about that, the next one leaves the smallest gap.
 * `undefined` if the server showed nothing, such as if it completed the load too late, or collapsed, or if this was wrong already.
 */
function likelyKnee(
  plan: SearchPlan,
  { held, gaveWay }: { readonly held: LoadRecord; readonly gaveWay: LoadRecord },
  trials: readonly Trial[],
): number | undefined {
  const failed = trials.find(({ load, outcome }) => load === gaveWay.load && outcome === 'gave_way');
  const { purpose, completed = gaveWay.load } = failed ?? {};
  const step = 1 + SURE_OF_GAP * plan.resolution;
  if (purpose !== 'climb' || completed >= gaveWay.load || completed * step < held.load) return undefined;
  const next = rounded(
    plan,
    Math.max(held.load * step, Math.min(completed / (1 + plan.resolution / 2), gaveWay.load / step)),
  );
  return next > held.load && next < gaveWay.load ? next : undefined;
}

/** Less than the widest gap that is narrow enough, so that rounding does not make it wider. */
const SURE_OF_GAP = 0.9;

function chancesAt(load: number, trials: readonly Trial[]): number {
  return GENERATOR_CHANCES - trials.filter((trial) => trial.load === load && trial.outcome === 'generator').length;
}

function attempt(load: number, purpose: Purpose): Move {
  return { kind: 'try', load, purpose };
}

function over(end: SearchEnd): Move {
  return { kind: 'over', end };
}

/** Whole loads grow by at least one, so that a small step makes progress. */
function grown(plan: SearchPlan, load: number): number {
  const next = rounded(plan, load * plan.growth);
  return Math.min(plan.to, plan.whole ? Math.max(load + 1, next) : next);
}

/** Four digits of a rate are finer than any resolution. */
function rounded({ whole }: SearchPlan, load: number): number {
  return whole ? Math.round(load) : Number(load.toPrecision(4));
}

/** The trials of a search on a server with a known, sharp capacity. */
export function rehearse(plan: SearchPlan, capacity: number): readonly Trial[] {
  const trials: Trial[] = [];
  for (;;) {
    const move = nextMove(plan, trials);
    if (move.kind === 'over') return trials;
    trials.push({ load: move.load, purpose: move.purpose, outcome: move.load <= capacity ? 'held' : 'gave_way' });
  }
}

/** A short and a long search with a result: the server fails at the second load, or only at the highest one. */
export function rehearsals(plan: SearchPlan): readonly [readonly Trial[], readonly Trial[]] {
  const climb = rehearse(plan, plan.to).slice(0, 1 - SAMPLES);
  return [rehearse(plan, plan.from), rehearse(plan, climb.at(-2)?.load ?? plan.to)];
}

/** Maximum number of trials: 1.5 times the longest search, to allow for a server with varying results. */
export function mostTrials(plan: SearchPlan): number {
  return Math.ceil(1.5 * Math.max(...rehearsals(plan).map(({ length }) => length)));
}
