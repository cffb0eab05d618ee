import type { Clock } from '../../base/kernel/clock.ts';
import type { ExchangeEvidence } from '../../base/protocol/exchange.ts';
import { MEASURED_OPERATIONS, type MeasuredOperation } from '../../base/protocol/operations.ts';
import { type AttackRecorder, createAttackRecorder } from './attacks.ts';
import { createEvidenceKeeper, type EvidenceKeeper, redactedEvidence, type Witness } from './evidence.ts';
import {
  CLOCKS,
  type ClockName,
  emptyClocks,
  type Frame,
  type LEFT_OUT_COUNTS,
  type LEFT_OUT_HISTOGRAMS,
  type LeftOut,
  type SegmentFrame,
  type SeriesFrame,
} from './frame.ts';
import {
  createHistogram,
  createValueList,
  decode,
  encode,
  type Histogram,
  merge,
  type PackedHistogram,
  pack,
  record,
  type ValueList,
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
  /** The same for an operation of this agent, which counts in the agent's segment, too. */
  of(agent: number): SeriesRecorder;
  /** An arrival was picked up, `delayMs` after its intended start. */
  pickedUp(delayMs: number): void;
  /** The arrival becomes an operation. */
  planned(): void;
  /** The operation was sent, `lagMs` after its intended start. */
  started(lagMs: number): void;
  /** The operation was counted as planned and will never be sent. `dueMs` is absent if it is due now. */
  dropped(reason: DropReason, dueMs?: number): void;
  /** The operation ended. Response and service count for every outcome; for `canceled`, they end then, and are lower bounds. */
  finished(outcome: Outcome, answer: FinishedExchange): void;
  /** The operation succeeded with an answer that a person would not take. */
  doubted(doubt: AnswerDoubt): void;
  /** An agent's web server answered a request. It was due when it arrived, so it has no lag and no scheduling delay. */
  served(outcome: Outcome, answer: ServedRequest): void;
  /** Whether to keep evidence of another failure with this outcome. */
  wantsEvidence(outcome: Outcome): boolean;
  keepEvidence(outcome: Outcome, witness: Witness, evidence: ExchangeEvidence): void;
};

/** What is not counted by cohort; `of` leads to the rest. */
export type SharedSeries = Pick<SeriesRecorder, 'of' | 'pickedUp' | 'wantsEvidence' | 'keepEvidence'>;

/** A worker's counters between two frames. Used by one thread only; recording allocates nothing. */
export type Recorder = {
  /** Returns the same object for the same phase and operation. Look it up once per load, not once per arrival. */
  series(phase: string, operation: MeasuredOperation): SeriesRecorder;
  readonly attacks: Pick<AttackRecorder, 'ended'>;
  readonly lateness: Pick<Lateness, 'back' | 'fenced' | 'rest' | 'settle'>;
  /** Evidence that is safe to show: also without these secrets. */
  readonly redacted: (evidence: ExchangeEvidence, secrets: readonly string[]) => Partial<ExchangeEvidence>;
  /** Returns the metrics since the last frame as plain data, and resets them. */
  takeFrame(state: FrameState): Frame;
  /** Returns and resets the counts alone. */
  takeSeries(): readonly SeriesFrame[];
  /** Ends the timeline; no phase is current after that. */
  stop(): void;
};

/** The part of a frame that the worker itself provides. */
export type FrameState = Omit<Frame, 'series' | 'segments' | 'evidence' | 'attacks' | 'late'>;

type Series = SeriesRecorder & { of(agent: number): Series; succeededWithin(): void };

/** Parts of a fleet, by the cohorts that their agents are in. Each agent is in one, numbered as for the recorder. */
type AgentSegments = {
  readonly list: readonly (readonly string[])[];
  /** Returns an index in the list. */
  readonly of: (agent: number) => number;
};

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
 * @param segments if absent, the scenario has no cohorts.
 */
export function createRecorder(
  time?: RecorderTime,
  secrets: readonly string[] = [],
  segments?: AgentSegments,
): Recorder {
  const { clock = () => 0, lateMs = Number.POSITIVE_INFINITY } = time ?? {};
  const lateness = createLateness(lateMs);
  // A second without failures and attacks passes through neither.
  let evidence: EvidenceKeeper | undefined;
  let attacks: AttackRecorder | undefined;
  const failures = (): EvidenceKeeper => {
    evidence ??= createEvidenceKeeper(secrets);
    return evidence;
  };
  const all = new Map<string, CountedSeries>();
  let stopped = false;
  const seriesOf = (phase: string, operation: MeasuredOperation): Series => {
    const key = `${operation} ${phase}`;
    const known = all.get(key) ?? createSeries({ phase, operation }, ports);
    all.set(key, known);
    return known.series;
  };
  /** The series in which a success counts now, if `own` is that in which it was due; `undefined` outside of all phases. */
  const current = (own: Series, { phase, operation }: SeriesKey, nowMs: number): Series | undefined => {
    const now = time === undefined ? phase : time.phaseAt(nowMs);
    if (now === undefined || stopped) return undefined;
    return now === phase ? own : seriesOf(now, operation);
  };
  const ports: SeriesPorts = { current, failures, clock, lateness, segments };
  const takeSeries = () => [...all.values()].flatMap(({ take }) => take() ?? []);
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
    redacted: (evidence, own) => redactedEvidence(evidence, [...secrets, ...own]),
    takeFrame: (state) => {
      const attacked = attacks?.take() ?? [];
      const late = lateness.take(clock());
      return {
        ...state,
        ...(late.length > 0 && { late }),
        ...(evidence?.hasNew() && { evidence: evidence.take() }),
        ...(attacked.length > 0 && { attacks: attacked }),
        series: takeSeries(),
        ...(segments && { segments: [...all.values()].flatMap(({ takeSegments }) => takeSegments()) }),
      };
    },
  };
}

type SeriesKey = Pick<SeriesFrame, 'phase' | 'operation'>;
type SeriesPorts = {
  readonly current: (own: Series, key: SeriesKey, nowMs: number) => Series | undefined;
  readonly failures: () => EvidenceKeeper;
  readonly clock: Clock;
  readonly lateness: Lateness;
  readonly segments: AgentSegments | undefined;
};

type CountedSeries = {
  readonly series: Series;
  /** Returns `undefined` if nothing happened. */
  take(): SeriesFrame | undefined;
  takeSegments(): readonly SegmentFrame[];
};

/** One operation in one phase, and its segments, each from its first operation on. */
function createSeries(key: SeriesKey, ports: SeriesPorts): CountedSeries {
  const whole = createSums(emptyClocks(), createHistogram);
  const parts: ({ readonly series: Series; readonly sums: SegmentSums } | undefined)[] = [];
  const { segments } = ports;
  const of = (agent: number): Series => {
    if (segments === undefined) return series;
    const segment = segments.of(agent);
    const part = parts[segment] ?? newPart(segment);
    return part.series;
  };
  const newPart = (segment: number) => {
    const sums = createSums({ response: createValueList(), unanswered: createValueList() }, createValueList);
    const part = { sums, series: createCounter(key, { ...ports, of }, [whole, sums]) };
    parts[segment] = part;
    return part;
  };
  const series = createCounter(key, { ...ports, of }, [whole]);
  return {
    series,
    take: () => takeSums(whole, key),
    takeSegments: () =>
      parts.flatMap((part, segment) => {
        const frame = part && takeSums(part.sums, key);
        return frame === undefined ? [] : [{ ...frame, cohorts: segments?.list[segment] ?? [] }];
      }),
  };
}

/** Counts in the sums of the whole fleet, and in those of a segment if there are two. */
function createCounter(
  key: SeriesKey,
  { current, failures, clock, lateness, of }: SeriesPorts & { readonly of: Series['of'] },
  all: readonly [Sums<Record<ClockName, Histogram>>, SegmentSums?],
): Series {
  const [{ clocks }] = all;
  const counted = all as readonly Sums<SegmentClocks>[];
  const own: Series = {
    of,
    pickedUp(delayMs) {
      record(clocks.delay, delayMs);
      lateness.pickedUp(delayMs, clock);
    },
    planned() {
      for (const sums of counted) sums.planned++;
    },
    started(lagMs) {
      for (const sums of counted) sums.started++;
      record(clocks.lag, lagMs);
    },
    dropped(reason, dueMs) {
      const nowMs = clock();
      // What the generator dropped is left out by its reason.
      const isLeftOut = !DROPS[reason].isOfGenerator && lateness.isLate(dueMs ?? nowMs, nowMs);
      for (const { dropped, leftOut } of counted) {
        count(dropped, reason);
        if (isLeftOut) leftOut.count('dropped');
      }
    },
    doubted(doubt) {
      for (const { doubts } of counted) count(doubts, doubt);
    },
    wantsEvidence: (outcome) => failures().wants({ ...key, outcome }),
    keepEvidence: (outcome, witness, evidence) => failures().keep({ ...key, outcome }, witness, evidence),
    finished(outcome, answer) {
      const nowMs = clock();
      const dueMs = nowMs - answer.responseMs;
      const isLate = lateness.isLate(dueMs, nowMs);
      const addedMs = isLate ? lateness.addedMs({ dueMs, sentMs: nowMs - answer.serviceMs, nowMs }) : 0;
      for (const sums of counted) {
        count(sums.outcomes, outcome);
        record(sums.clocks.response, answer.responseMs);
        if (!isAnswered(outcome)) record(sums.clocks.unanswered, answer.responseMs);
        if (isLate) sums.leftOut.finished(outcome, answer.responseMs, addedMs);
        sums.sentBytes += answer.sentBytes;
        sums.receivedBytes += answer.receivedBytes;
      }
      record(clocks.service, answer.serviceMs);
      if (isSuccess(outcome)) current(own, key, nowMs)?.succeededWithin();
    },
    served(outcome, answer) {
      own.planned();
      for (const sums of counted) sums.started++;
      own.finished(outcome, { ...answer, responseMs: answer.serviceMs });
    },
    succeededWithin() {
      for (const sums of counted) {
        sums.succeededWithin++;
        if (lateness.isOpen()) sums.leftOut.count('succeededWithin');
      }
    },
  };
  return own;
}

type SegmentClocks = Pick<Record<ClockName, Histogram | ValueList>, 'response' | 'unanswered'>;
type Sums<Clocks = Partial<Record<ClockName, Histogram | ValueList>>> = ReturnType<typeof createSums<Clocks>>;
type SegmentSums = Sums<SegmentClocks>;

function createSums<Clocks>(clocks: Clocks, createValues: () => Histogram | ValueList) {
  return {
    planned: 0,
    started: 0,
    succeededWithin: 0,
    sentBytes: 0,
    receivedBytes: 0,
    dropped: new Map<DropReason, number>(),
    outcomes: new Map<Outcome, number>(),
    doubts: new Map<AnswerDoubt, number>(),
    clocks,
    leftOut: createLeftOut(createValues),
  };
}

function count<Key>(tally: Map<Key, number>, key: Key): void {
  tally.set(key, (tally.get(key) ?? 0) + 1);
}

/** Returns `undefined` if nothing happened. */
function takeSums(sums: Sums, key: SeriesKey): SeriesFrame | undefined {
  const { planned, started, succeededWithin, sentBytes, receivedBytes, dropped, outcomes, doubts, clocks, leftOut } =
    sums;
  const idle = planned + started + succeededWithin === 0 && dropped.size === 0 && outcomes.size === 0;
  if (idle && !clocks.delay?.totalCount) return undefined;
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
function createLeftOut<Values extends Histogram | ValueList>(createValues: () => Values) {
  type Counts = Record<(typeof LEFT_OUT_COUNTS)[number], number>;
  let counts: Counts | undefined;
  let histograms: Record<(typeof LEFT_OUT_HISTOGRAMS)[number], Values> | undefined;
  const count = (what: keyof Counts): void => {
    counts ??= { finished: 0, failed: 0, dropped: 0, succeededWithin: 0 };
    counts[what]++;
  };
  return {
    count,
    finished: (outcome: Outcome, responseMs: number, addedMs: number): void => {
      count('finished');
      if (!isSuccess(outcome)) count('failed');
      histograms ??= { response: createValues(), floor: createValues() };
      record(histograms.response, responseMs);
      record(histograms.floor, Math.max(0, responseMs - addedMs));
    },
    take: (): { readonly leftOut?: LeftOut } => {
      if (counts === undefined) return {};
      const packed = histograms && { response: takeValues(histograms.response), floor: takeValues(histograms.floor) };
      const leftOut = { ...counts, ...packed };
      counts = undefined;
      histograms = undefined;
      return { leftOut };
    },
  };
}

function takeClocks(clocks: Sums['clocks']): Partial<Record<ClockName, PackedHistogram>> {
  const packed: Partial<Record<ClockName, PackedHistogram>> = {};
  for (const clock of CLOCKS) {
    const values = clocks[clock];
    if (values === undefined || values.totalCount === 0) continue;
    packed[clock] = takeValues(values);
  }
  return packed;
}

function takeValues(values: Histogram | ValueList): PackedHistogram {
  if ('take' in values) return values.take();
  const packed = pack(values);
  values.reset();
  return packed;
}

export type ProfileRecorder = ReturnType<typeof createProfileRecorder>;

export type RecordedKind = Pick<ProfileResponses, 'group' | 'profile'>;

/**
 * Response times by group of hosts. They are handed over once, at the end: in every frame, they would multiply its size by the number of
 * kinds.
 * @param kindOf returns the index in `kinds` of an agent's kind. Agents are numbered within the shard.
 */
export function createProfileRecorder(kinds: readonly RecordedKind[], kindOf: (agent: number) => number) {
  const byKind: Partial<Record<MeasuredOperation, Histogram>>[] = [];
  return {
    finished(agent: number, operation: MeasuredOperation, responseMs: number): void {
      const kind = kindOf(agent);
      const histograms = byKind[kind] ?? {};
      byKind[kind] = histograms;
      const histogram = histograms[operation] ?? createHistogram();
      histograms[operation] = histogram;
      record(histogram, responseMs);
    },
    take: (): readonly ProfileResponses[] =>
      byKind.flatMap((histograms, index) => {
        const { group, profile = '' } = kinds[index] ?? {};
        const kind = { ...(group !== undefined && { group }), profile };
        return MEASURED_OPERATIONS.flatMap((operation) => {
          const histogram = histograms[operation];
          return histogram === undefined ? [] : [{ ...kind, operation, histogram: encode(histogram) }];
        });
      }),
  };
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
