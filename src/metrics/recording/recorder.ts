import type { Clock } from '../../base/kernel/clock.ts';
import type { Seen } from '../../base/protocol/exchange.ts';
import type { MeasuredOperation } from '../../base/protocol/operations.ts';
import { type AttackRecorder, createAttackRecorder } from './attacks.ts';
import { createEvidenceKeeper, type EvidenceKeeper, redactedEvidence, type Witness } from './evidence.ts';
import {
  CLOCKS,
  type ClockName,
  emptyClocks,
  type Frame,
  type LEFT_OUT_COUNTS,
  type LeftOut,
  type SeriesFrame,
} from './frame.ts';
import {
  createHistogram,
  decode,
  encode,
  type Histogram,
  merge,
  type PackedHistogram,
  pack,
  record,
  valueCount,
} from './histogram.ts';
import { createLateness, type Lateness } from './lateness.ts';
import { type AnswerDoubt, DROPS, type DropReason, isAnswered, isSuccess, type Outcome } from './outcomes.ts';
import type { ProfileResponses } from './schema.ts';

/** Figures of an operation that has ended. Bytes are those of bodies and heads on the wire, as far as known. */
type FinishedExchange = {
  /** Intended start to end. */
  readonly responseMs: number;
  /** Actual send to end. */
  readonly serviceMs: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
};

/** Figures of a request to an agent's web server; `serviceMs` is measured from its head to the last byte of the answer. */
type ServedRequest = Omit<FinishedExchange, 'responseMs'>;

/**
 * Counts one operation in one phase. At any time planned = started + dropped + waiting, and started = finished + in flight.
 * The end of a run turns waiting operations into `run_ended`, and those in flight into `canceled`.
 */
export type SeriesRecorder = {
  /** An arrival was picked up, `delayMs` after its intended start. */
  pickedUp(delayMs: number): void;
  /** The arrival becomes an operation. */
  planned(): void;
  /** The operation was sent, `lagMs` after its intended start. */
  started(lagMs: number): void;
  /** The operation was counted as planned and will never be sent. `dueMs` is absent if it is due now. */
  dropped(reason: DropReason, dueMs?: number): void;
  /**
   * The operation ended. Response and service are recorded for every outcome, including failures.
   * For `canceled` they end at the cancellation, so they are lower bounds.
   */
  finished(outcome: Outcome, answer: FinishedExchange): void;
  /** The operation succeeded with an answer that a person would not take. */
  doubted(doubt: AnswerDoubt): void;
  /** An agent's web server answered a request. It was due when it arrived, so it has no lag and no scheduling delay. */
  served(outcome: Outcome, answer: ServedRequest): void;
  /** Whether to keep evidence of another failure with this outcome. */
  wantsEvidence(outcome: Outcome): boolean;
  saw(outcome: Outcome, witness: Witness, seen: Seen): void;
};

/** A worker's counters between two frames. Used by one thread only; recording allocates nothing. */
export type Recorder = {
  /** Returns the same object for the same phase and operation. Look it up once per load, not once per arrival. */
  series(phase: string, operation: MeasuredOperation): SeriesRecorder;
  readonly attacks: Pick<AttackRecorder, 'ended'>;
  readonly lateness: Pick<Lateness, 'back' | 'fenced' | 'rest' | 'settle'>;
  /** What was seen, fit to show: also without these secrets. */
  readonly shown: (seen: Seen, secrets: readonly string[]) => Partial<Seen>;
  /** Returns the metrics since the last frame as plain data, and resets them. */
  takeFrame(state: FrameState): Frame;
  /** Returns and resets the counts alone. */
  takeSeries(): readonly SeriesFrame[];
  /** Ends the timeline; no phase is current after that. */
  stop(): void;
};

/** The part of a frame that the worker itself provides. */
export type FrameState = Omit<Frame, 'series' | 'evidence' | 'attacks' | 'late'>;

type Series = SeriesRecorder & { succeededWithin(): void; take(): SeriesFrame | undefined };

/** The time of a run, as a recorder needs it. */
export type RecorderTime = {
  /** Milliseconds since the start of the run. */
  readonly clock: Clock;
  /** Name of the phase at this time; `undefined` between phases. */
  readonly phaseAt: (nowMs: number) => string | undefined;
  /** How late the generator may be before operations are left out. */
  readonly lateMs: number;
};

/**
 * @param time if absent, each operation's own phase is always current, and nothing is late.
 * @param secrets values that evidence must not show.
 */
export function createRecorder(time?: RecorderTime, secrets: readonly string[] = []): Recorder {
  const { clock = () => 0, lateMs = Number.POSITIVE_INFINITY } = time ?? {};
  const lateness = createLateness(lateMs);
  // A second without failures and attacks passes through neither.
  let evidence: EvidenceKeeper | undefined;
  let attacks: AttackRecorder | undefined;
  const failures = (): EvidenceKeeper => {
    evidence ??= createEvidenceKeeper(secrets);
    return evidence;
  };
  const all = new Map<string, Series>();
  let stopped = false;
  const seriesOf = (phase: string, operation: MeasuredOperation): Series => {
    const key = `${operation} ${phase}`;
    const known = all.get(key) ?? createSeries({ phase, operation }, { succeeded, failures, clock, lateness });
    all.set(key, known);
    return known;
  };
  /** Counts a success in the current phase. `own` belongs to the phase in which the operation was due. */
  const succeeded = (own: Series, { phase, operation }: SeriesKey, nowMs: number): void => {
    const now = time === undefined ? phase : time.phaseAt(nowMs);
    if (now === undefined || stopped) return;
    (now === phase ? own : seriesOf(now, operation)).succeededWithin();
  };
  const takeSeries = () => {
    const taken: SeriesFrame[] = [];
    for (const series of all.values()) {
      const frame = series.take();
      if (frame !== undefined) taken.push(frame);
    }
    return taken;
  };
  return {
    series: seriesOf,
    stop() {
      stopped = true;
    },
    takeSeries,
    attacks: {
      ended: (attack) => {
        attacks ??= createAttackRecorder();
        attacks.ended(attack);
      },
    },
    lateness,
    shown: (seen, own) => redactedEvidence(seen, [...secrets, ...own]),
    takeFrame: (state) => {
      const attacked = attacks?.take() ?? [];
      const late = lateness.take(clock());
      return {
        ...state,
        ...(late.length > 0 && { late }),
        ...(evidence?.hasNew() && { evidence: evidence.take() }),
        ...(attacked.length > 0 && { attacks: attacked }),
        series: takeSeries(),
      };
    },
  };
}

type SeriesKey = Pick<SeriesFrame, 'phase' | 'operation'>;
type SeriesPorts = {
  readonly succeeded: (own: Series, key: SeriesKey, nowMs: number) => void;
  readonly failures: () => EvidenceKeeper;
  readonly clock: Clock;
  readonly lateness: Lateness;
};

function createSeries(key: SeriesKey, { succeeded, failures, clock, lateness }: SeriesPorts): Series {
  const sums = createSeriesSums();
  const { clocks, dropped, outcomes, doubts, leftOut } = sums;
  const own: Series = {
    pickedUp(delayMs) {
      record(clocks.delay, delayMs);
      lateness.pickedUp(delayMs, clock);
    },
    planned() {
      sums.planned++;
    },
    started(lagMs) {
      sums.started++;
      record(clocks.lag, lagMs);
    },
    dropped(reason, dueMs) {
      count(dropped, reason);
      const nowMs = clock();
      // What the generator dropped is left out by its reason.
      if (!DROPS[reason].isOfGenerator && lateness.isLate(dueMs ?? nowMs, nowMs)) leftOut.count('dropped');
    },
    doubted: (doubt) => count(doubts, doubt),
    wantsEvidence: (outcome) => failures().wants({ ...key, outcome }),
    saw: (outcome, witness, seen) => failures().keep({ ...key, outcome }, witness, seen),
    finished(outcome, answer) {
      const nowMs = clock();
      const dueMs = nowMs - answer.responseMs;
      count(outcomes, outcome);
      record(clocks.response, answer.responseMs);
      record(clocks.service, answer.serviceMs);
      if (lateness.isLate(dueMs, nowMs)) {
        const addedMs = lateness.addedMs({ dueMs, sentMs: nowMs - answer.serviceMs, nowMs });
        leftOut.finished(outcome, answer.responseMs, addedMs);
      }
      if (isSuccess(outcome)) succeeded(own, key, nowMs);
      else if (!isAnswered(outcome)) record(clocks.unanswered, answer.responseMs);
      sums.sentBytes += answer.sentBytes;
      sums.receivedBytes += answer.receivedBytes;
    },
    served(outcome, answer) {
      sums.planned++;
      sums.started++;
      own.finished(outcome, { ...answer, responseMs: answer.serviceMs });
    },
    succeededWithin() {
      sums.succeededWithin++;
      if (lateness.isOpen()) leftOut.count('succeededWithin');
    },
    take: () => takeSums(sums, key),
  };
  return own;
}

function createSeriesSums() {
  return {
    planned: 0,
    started: 0,
    succeededWithin: 0,
    sentBytes: 0,
    receivedBytes: 0,
    dropped: new Map<DropReason, number>(),
    outcomes: new Map<Outcome, number>(),
    doubts: new Map<AnswerDoubt, number>(),
    clocks: emptyClocks(),
    leftOut: createLeftOut(),
  };
}

function count<Key>(tally: Map<Key, number>, key: Key): void {
  tally.set(key, (tally.get(key) ?? 0) + 1);
}

/** Returns `undefined` if nothing happened. */
function takeSums(sums: ReturnType<typeof createSeriesSums>, key: SeriesKey): SeriesFrame | undefined {
  const { planned, started, succeededWithin, sentBytes, receivedBytes, dropped, outcomes, doubts, clocks, leftOut } =
    sums;
  const idle = planned + started + succeededWithin === 0 && dropped.size === 0 && outcomes.size === 0;
  if (idle && valueCount(clocks.delay) === 0) return undefined;
  const frame: SeriesFrame = {
    ...key,
    planned,
    started,
    succeededWithin,
    sentBytes,
    receivedBytes,
    dropped: Object.fromEntries(dropped),
    outcomes: Object.fromEntries(outcomes),
    ...(doubts.size > 0 && { doubts: Object.fromEntries(doubts) }),
    ...leftOut.take(),
    histograms: takeClocks(clocks),
  };
  Object.assign(sums, { planned: 0, started: 0, succeededWithin: 0, sentBytes: 0, receivedBytes: 0 });
  for (const tally of [dropped, outcomes, doubts]) tally.clear();
  return frame;
}

/** Created with its first operation: a healthy generator leaves nothing out. */
function createLeftOut() {
  type Counts = Record<(typeof LEFT_OUT_COUNTS)[number], number>;
  let counts: Counts | undefined;
  let histograms: { readonly response: Histogram; readonly floor: Histogram } | undefined;
  const count = (what: keyof Counts): void => {
    counts ??= { finished: 0, failed: 0, dropped: 0, succeededWithin: 0 };
    counts[what]++;
  };
  return {
    count,
    finished: (outcome: Outcome, responseMs: number, addedMs: number): void => {
      count('finished');
      if (!isSuccess(outcome)) count('failed');
      histograms ??= { response: createHistogram(), floor: createHistogram() };
      record(histograms.response, responseMs);
      record(histograms.floor, Math.max(0, responseMs - addedMs));
    },
    take: (): { readonly leftOut?: LeftOut } => {
      if (counts === undefined) return {};
      const packed = histograms && { response: pack(histograms.response), floor: pack(histograms.floor) };
      const leftOut = { ...counts, ...packed };
      counts = undefined;
      histograms = undefined;
      return { leftOut };
    },
  };
}

function takeClocks(clocks: Record<ClockName, Histogram>): Partial<Record<ClockName, PackedHistogram>> {
  const taken: Partial<Record<ClockName, PackedHistogram>> = {};
  for (const clock of CLOCKS) {
    const histogram = clocks[clock];
    if (valueCount(histogram) === 0) continue;
    taken[clock] = pack(histogram);
    histogram.reset();
  }
  return taken;
}

export type ProfileRecorder = ReturnType<typeof createProfileRecorder>;

export type RecordedKind = Pick<ProfileResponses, 'group' | 'profile'>;

/**
 * Response times by group of hosts. They are handed over once, at the end: in every frame, they would multiply its size by the number of
 * kinds.
 * @param kindOf returns the index in `kinds` of an agent's kind. Agents are numbered within the shard.
 */
export function createProfileRecorder(kinds: readonly RecordedKind[], kindOf: (agent: number) => number) {
  const byKind = new Map<number, Map<MeasuredOperation, Histogram>>();
  return {
    finished(agent: number, operation: MeasuredOperation, responseMs: number): void {
      record(histogramOf(byKind, kindOf(agent), operation), responseMs);
    },
    take: (): readonly ProfileResponses[] =>
      [...byKind].flatMap(([place, histograms]) =>
        [...histograms].map(([operation, histogram]) => {
          const { group, profile = '' } = kinds[place] ?? {};
          return { ...(group !== undefined && { group }), profile, operation, histogram: encode(histogram) };
        }),
      ),
  };
}

function histogramOf(
  byKind: Map<number, Map<MeasuredOperation, Histogram>>,
  kind: number,
  operation: MeasuredOperation,
): Histogram {
  const histograms = byKind.get(kind) ?? new Map<MeasuredOperation, Histogram>();
  byKind.set(kind, histograms);
  const histogram = histograms.get(operation) ?? createHistogram();
  histograms.set(operation, histogram);
  return histogram;
}

/** Merges the response times of several shards into one entry per kind and operation. */
export function mergeResponses(all: readonly ProfileResponses[]): readonly ProfileResponses[] {
  const kinds = Map.groupBy(all, ({ group = '', profile, operation }) => `${group} ${profile} ${operation}`);
  return [...kinds.values()].flatMap((parts) => {
    const [first] = parts;
    if (first === undefined || parts.length === 1) return parts;
    const sum = createHistogram();
    for (const { histogram } of parts) merge(sum, decode(histogram));
    return [{ ...first, histogram: encode(sum) }];
  });
}
