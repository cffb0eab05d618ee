import type { Seen } from '../../protocol/exchange.ts';
import type { MeasuredOperation } from '../../protocol/operations.ts';
import { type AttackRecorder, createAttackRecorder } from './attacks.ts';
import { createEvidenceKeeper, type EvidenceKeeper, type Witness } from './evidence.ts';
import { CLOCKS, type ClockName, type Frame, type SeriesFrame } from './frame.ts';
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
import { type DropReason, isAnswered, isSuccess, type Outcome } from './outcomes.ts';

/** What is known of an operation once it has ended. Bytes are those of bodies and heads on the wire, as far as known. */
type FinishedExchange = {
  /** Its end minus intended start. */
  readonly responseMs: number;
  /** Its end minus actual send. */
  readonly serviceMs: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
};

/** What is known of a request to an agent's web server; `serviceMs` from its head to the last byte of the answer. */
type ServedRequest = Omit<FinishedExchange, 'responseMs'>;

/**
 * Counts one operation in one phase. At any instant planned = started + dropped + still waiting, and
 * started = finished + in flight; a run's end turns what waits into `run_ended` and what flies into `canceled`.
 */
export type SeriesRecorder = {
  /** An arrival was picked up, `delayMs` after its intended start. */
  pickedUp(delayMs: number): void;
  /** It is to be an operation. */
  planned(): void;
  /** It was sent, `lagMs` after its intended start. */
  started(lagMs: number): void;
  /** It will never be sent. Counted as planned before. */
  dropped(reason: DropReason): void;
  /**
   * It ended. Both clocks are recorded whatever the outcome, failures too: nothing is left out.
   * For `canceled` they run until the cancellation and are a lower bound of what would have been measured.
   */
  finished(outcome: Outcome, answer: FinishedExchange): void;
  /** An agent's web server answered a request. It was due when it came: it has neither a lag nor a scheduling delay. */
  served(outcome: Outcome, answer: ServedRequest): void;
  /** Whether what there was to see of one that went wrong like this is still to be kept. */
  wantsEvidence(outcome: Outcome): boolean;
  saw(outcome: Outcome, witness: Witness, seen: Seen): void;
};

/** A worker's counters between two frames. Lives in one thread; recording allocates nothing. */
export type Recorder = {
  /** The same object for the same phase and operation; look it up once per load, not once per arrival. */
  series(phase: string, operation: MeasuredOperation): SeriesRecorder;
  /** What misbehaving agents do. */
  readonly attacks: Pick<AttackRecorder, 'ended'>;
  /** Metrics since the last frame, in the frame's plain form; resets them. */
  takeFrame(state: FrameState): Frame;
  /** The counts of such a frame alone. */
  takeSeries(): readonly SeriesFrame[];
  /** The timeline ends here: no phase takes place any more. */
  stop(): void;
};

/** The part of a frame the worker itself knows. */
export type FrameState = Omit<Frame, 'series' | 'evidence' | 'attacks'>;

type Tally<K> = Map<K, number>;

type Series = SeriesRecorder & { succeededWithin(): void; take(): SeriesFrame | undefined };

/**
 * @param phaseNow names the phase that takes place; undefined where none does. Left out: one that never ends.
 * @param secrets what no evidence may show.
 */
export function createRecorder(phaseNow?: () => string | undefined, secrets: readonly string[] = []): Recorder {
  const evidence = createEvidenceKeeper(secrets);
  const attacks = createAttackRecorder();
  const all = new Map<string, Series>();
  let stopped = false;
  const seriesOf = (phase: string, operation: MeasuredOperation): Series => {
    const key = `${operation} ${phase}`;
    const known = all.get(key) ?? createSeries({ phase, operation }, { succeeded, evidence });
    all.set(key, known);
    return known;
  };
  /** Counts a success of an operation that was due in `own` where it came. */
  const succeeded = (own: Series, { phase, operation }: SeriesKey): void => {
    const now = phaseNow === undefined ? phase : phaseNow();
    if (now === undefined || stopped) return;
    (now === phase ? own : seriesOf(now, operation)).succeededWithin();
  };
  const takeSeries = () => [...all.values()].map((series) => series.take()).filter((frame) => frame !== undefined);
  return {
    series: seriesOf,
    stop() {
      stopped = true;
    },
    takeSeries,
    attacks,
    takeFrame: (state) => {
      const attacked = attacks.take();
      return {
        ...state,
        ...(evidence.hasNew() && { evidence: evidence.take() }),
        ...(attacked.length > 0 && { attacks: attacked }),
        series: takeSeries(),
      };
    },
  };
}

type SeriesKey = Pick<SeriesFrame, 'phase' | 'operation'>;
type SeriesPorts = {
  readonly succeeded: (own: Series, key: SeriesKey) => void;
  readonly evidence: EvidenceKeeper;
};

function createSeries(key: SeriesKey, { succeeded, evidence }: SeriesPorts): Series {
  const clocks: Record<ClockName, Histogram> = {
    response: createHistogram(),
    unanswered: createHistogram(),
    service: createHistogram(),
    lag: createHistogram(),
    delay: createHistogram(),
  };
  const drops: Tally<DropReason> = new Map();
  const outcomes: Tally<Outcome> = new Map();
  let planned = 0;
  let started = 0;
  let succeededWithin = 0;
  let sentBytes = 0;
  let receivedBytes = 0;

  function take(): SeriesFrame | undefined {
    const idle = planned + started + succeededWithin === 0 && drops.size === 0 && outcomes.size === 0;
    if (idle && valueCount(clocks.delay) === 0) return undefined;
    const frame: SeriesFrame = {
      ...key,
      planned,
      started,
      succeededWithin,
      sentBytes,
      receivedBytes,
      dropped: Object.fromEntries(drops),
      outcomes: Object.fromEntries(outcomes),
      histograms: takeClocks(clocks),
    };
    planned = 0;
    started = 0;
    succeededWithin = 0;
    sentBytes = 0;
    receivedBytes = 0;
    drops.clear();
    outcomes.clear();
    return frame;
  }

  function end(outcome: Outcome, { serviceMs, sentBytes: sent, receivedBytes: received }: ServedRequest): void {
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    record(clocks.service, serviceMs);
    if (isSuccess(outcome)) succeeded(own, key);
    sentBytes += sent;
    receivedBytes += received;
  }

  const own: Series = {
    pickedUp: (delayMs) => record(clocks.delay, delayMs),
    planned() {
      planned++;
    },
    started(lagMs) {
      started++;
      record(clocks.lag, lagMs);
    },
    dropped(reason) {
      drops.set(reason, (drops.get(reason) ?? 0) + 1);
    },
    wantsEvidence: (outcome) => evidence.wants({ ...key, outcome }),
    saw: (outcome, witness, seen) => evidence.keep({ ...key, outcome }, witness, seen),
    finished(outcome, answer) {
      record(clocks.response, answer.responseMs);
      if (!isAnswered(outcome)) record(clocks.unanswered, answer.responseMs);
      end(outcome, answer);
    },
    served(outcome, answer) {
      planned++;
      started++;
      record(clocks.response, answer.serviceMs);
      if (!isAnswered(outcome)) record(clocks.unanswered, answer.serviceMs);
      end(outcome, answer);
    },
    succeededWithin() {
      succeededWithin++;
    },
    take,
  };
  return own;
}

function takeClocks(clocks: Record<ClockName, Histogram>): Partial<Record<ClockName, PackedHistogram>> {
  const taken: Partial<Record<ClockName, PackedHistogram>> = {};
  for (const clock of CLOCKS) {
    const packed = takeHistogram(clocks[clock]);
    if (packed !== undefined) taken[clock] = packed;
  }
  return taken;
}

function takeHistogram(histogram: Histogram): PackedHistogram | undefined {
  if (valueCount(histogram) === 0) return undefined;
  const packed = pack(histogram);
  histogram.reset();
  return packed;
}

/**
 * Response times by the kind of the agent's host. They are handed over once, at the end: by the second they would make a frame
 * as many times larger as a fleet has kinds of hosts.
 */
export type ProfileRecorder = {
  /** `agent` is numbered within the shard. */
  finished(agent: number, operation: MeasuredOperation, responseMs: number): void;
  take(): readonly ProfileResponses[];
};

/** Hosts of a profile, or of the group of that name. */
export type RecordedKind = { readonly group?: string | undefined; readonly profile: string };

/** `histogram` is text, as in the log of histograms. */
export type ProfileResponses = RecordedKind & {
  readonly operation: MeasuredOperation;
  readonly histogram: string;
};

/** `kindOf` is the place of an agent's kind among `kinds`. */
export function createProfileRecorder(
  kinds: readonly RecordedKind[],
  kindOf: (agent: number) => number,
): ProfileRecorder {
  const byKind = new Map<number, Map<MeasuredOperation, Histogram>>();
  return {
    finished(agent, operation, responseMs) {
      record(histogramOf(byKind, kindOf(agent), operation), responseMs);
    },
    take: () =>
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

/** Of several shards, put together: as many as one of them has. */
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
