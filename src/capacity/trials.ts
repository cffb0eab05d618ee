/** What one run at a load came to. Loads are agents, or operations per second. */
export type Trial = {
  readonly load: number;
  readonly outcome: TrialOutcome;
};

export type TrialOutcome =
  | 'held'
  /** The server did not meet the conditions. */
  | 'gave_way'
  /** The generator was the bottleneck: nothing is known of the server. */
  | 'generator'
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
export function bracketOf(trials: readonly Trial[]): Bracket {
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
