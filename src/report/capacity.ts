import { counted, formatDuration, MINUTE_MS } from '../base/kernel/units.ts';
import {
  type CapacityOrder,
  type CapacityResult,
  forecastOf,
  type LoadPoint,
  loadPoints,
} from '../capacity/find-capacity.ts';
import type { RaisedKind } from '../capacity/raised-load.ts';
import { isOutvoted, type LoadRecord, SAMPLES, untilBroken } from '../capacity/search.ts';
import type { Step } from '../capacity/step.ts';
import { fittedTable } from './fitted-table.ts';
import { besideLabel, blocksText, columnsOf, hanging, labeledLines, type Page } from './layout.ts';
import { countText, latencyText, rateText, shareText } from './page/figures.ts';
import { type Paint, unpainted } from './palette.ts';

/** Result of a search, in words. */
type CapacityAnswer = {
  readonly kind: 'good' | 'caution' | 'bad';
  readonly headline: string;
  /** Evidence for and against the result, as named facts. */
  readonly facts: readonly (readonly [name: string, text: string])[];
};

export const OUTCOME_WORDS: Readonly<Record<Step['outcome'], string>> = {
  held: 'held',
  gave_way: 'failed',
  generator: 'invalid',
  undrained: 'backlog',
  unreachable: 'unreachable',
  incomplete: 'incomplete',
};

export function loadText(raised: RaisedKind, load: number): string {
  return raised === 'agents' ? counted(load, 'agent', countText(load)) : `${rateText(load)}/s`;
}

export const STEP_HEADINGS = ['ok/s', 'p50', 'p95', 'p99', 'errors', 'dropped', 'outcome'] as const;

/** One row of a table of steps, under `STEP_HEADINGS`. */
export function stepRow({ figures, outcome }: Step): readonly string[] {
  if (figures === undefined) return [...STEP_HEADINGS.slice(1).map(() => '-'), OUTCOME_WORDS[outcome]];
  const { succeededPerSecond, p50Ms, p95Ms, p99Ms, errorRate, droppedRate } = figures;
  const times = [p50Ms, p95Ms, p99Ms].map((time) => (time === undefined ? '-' : latencyText(time)));
  return [rateText(succeededPerSecond), ...times, shareText(errorRate), shareText(droppedRate), OUTCOME_WORDS[outcome]];
}

/** From the lowest to the highest value above zero, and at least a decade: in a smaller range, random variation would look like a curve. */
export function logarithmicSpan(values: readonly number[]): readonly [least: number, most: number] {
  const most = Math.max(...values);
  return [Math.min(most / 10, ...values), most];
}

/** One step in one line, for logs. */
export function stepLine(step: Step, raised: RaisedKind): string {
  const { number, load, outcome, figures, reasons, restMs } = step;
  const p99 = figures?.p99Ms === undefined ? [] : [`p99 ${latencyText(figures.p99Ms)}`];
  const measured = figures && [
    `${rateText(figures.succeededPerSecond)}/s`,
    ...p99,
    `errors ${shareText(figures.errorRate)}`,
  ];
  const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  const rested = restMs === 0 ? '' : ` after ${formatDuration(Math.round(restMs / 1000) * 1000)} of rest`;
  const result = `${loadText(raised, load)} ${OUTCOME_WORDS[outcome]}${rested}`;
  return `step ${number}: ${[result, ...(measured ?? [])].join(' · ')}${why}`;
}

/** Sorts steps by load, and steps of equal load by number. */
export function stepsByLoad(steps: readonly Step[]): readonly Step[] {
  return steps.toSorted((a, b) => a.load - b.load || a.number - b.number);
}

/** Formats a range: `1,000 to 14,000 agents`, `100/s to 368/s`. */
function spanText(raised: RaisedKind, from: number, to: number): string {
  return `${raised === 'agents' ? countText(from) : loadText(raised, from)} to ${loadText(raised, to)}`;
}

/** Goal and method of the search, in one sentence. */
export function searchText({ raised, plan, conditions, settleMs, sampleMs }: CapacityOrder['facts']): string {
  const span = spanText(raised, plan.from, plan.to);
  const times = `each ${formatDuration(sampleMs)} after ${formatDuration(settleMs)} to settle`;
  return `${span}, ${times}, until one of these fails: ${conditions.join(', ')}; or over 1% of the operations are dropped, or a backlog grows`;
}

/** Announces the search before it starts; ends with a line break. */
export function searchAnnouncement(order: CapacityOrder, leftOut: readonly string[]): string {
  const { counts, durationsMs, most } = forecastOf(order);
  const [least, longest] = durationsMs.map(timeText);
  const [fewest, usual] = counts.toSorted((a, b) => a - b);
  return [
    `${order.facts.scenarioName}: ${searchText(order.facts)}`,
    `${betweenText(fewest, usual)} steps, ${most} at most: about ${betweenText(least, longest)}`,
    ...seedNote(order, most),
    ...(leftOut.length === 0 ? [] : [`not evaluated, because steps differ from the scenario: ${leftOut.join(', ')}`]),
    '',
  ].join('\n');
}

function betweenText<Value extends string | number | undefined>(from: Value, to: Value): string {
  return from === to ? `${from}` : `${from} to ${to}`;
}

function timeText(milliseconds: number): string {
  if (milliseconds < 1.5 * MINUTE_MS) return `${Math.round(milliseconds / 1000)} s`;
  return `${Math.round(milliseconds / MINUTE_MS)} minutes`;
}

/** A separate server remembers the agents of each step. */
function seedNote({ steps }: CapacityOrder, most: number): readonly string[] {
  const { target, fleet } = steps.scenario;
  if (target.url === 'embedded') return [];
  if (fleet.identities.kind === 'file') return ['the same agents in every step: only new ones register'];
  const seeds = `seeds ${fleet.seed} to ${fleet.seed + most - 1}`;
  return [`new agents in every step (${seeds}): the server would refuse to register those of earlier steps`];
}

/** What the search found, how certain it is, and what the bottleneck was. */
export function answerOf(result: CapacityResult): CapacityAnswer {
  return {
    ...verdictOf(result),
    facts: [
      ...(result.held === undefined ? [] : [['holds', heldText(result, result.held)] as const]),
      ...(result.gaveWay === undefined ? [] : [['fails', gaveWayText(result, result.gaveWay)] as const]),
      ...gapFact(result),
      ['bottleneck', bottleneckText(result)],
    ],
  };
}

/** Searches that ended without a result, and their bottleneck. A run whose generator lagged says nothing about the server. */
const CUT_SHORT = {
  undrained: { headline: 'BACKLOG DOES NOT DRAIN', bottleneck: 'the server,' },
  generator: { headline: 'GENERATOR AT ITS LIMIT', bottleneck: 'the generator first,' },
  unreachable: { headline: 'TARGET UNREACHABLE', bottleneck: 'the target, which was unreachable' },
  incomplete: { headline: 'INCOMPLETE', bottleneck: 'this machine,' },
} as const;

function verdictOf({ ending, raised, held, gaveWay, steps }: CapacityResult): Omit<CapacityAnswer, 'facts'> {
  const text = held && loadText(raised, held.load);
  const last = loadText(raised, steps.at(-1)?.load ?? 0);
  const known = text === undefined ? 'no load is known to hold' : `at least ${text} hold`;
  const holds = held && `✓ HOLDS ${text} ${inRuns(held.held, held.runs)}`;
  switch (ending) {
    case 'found':
      return { kind: isSure(held) && isSure(gaveWay) ? 'good' : 'caution', headline: `${holds}` };
    case 'top_held':
      return { kind: isSure(held) ? 'good' : 'caution', headline: `${holds}, the highest load to try` };
    case 'nothing_held':
      return { kind: 'bad', headline: `✗ DOES NOT HOLD ${last}, the lowest load tried` };
    case 'not_recovered':
      return {
        kind: 'bad',
        headline: `✗ SERVER DID NOT RECOVER: ${last} held before, but not after ${loadText(raised, untilBroken(steps).at(-1)?.load ?? 0)}; before that, ${known}`,
      };
    case 'interrupted':
      return { kind: 'bad', headline: `✗ INTERRUPTED: ${known}` };
    case 'undecided':
      return { kind: 'caution', headline: `✗ UNDECIDED, because runs at the same load disagree: ${known}` };
    default:
      return { kind: 'bad', headline: `✗ ${CUT_SHORT[ending].headline} at ${last}: ${known}` };
  }
}

function inRuns(count: number, runs: number): string {
  return `in ${count} of ${counted(runs, 'run')}`;
}

/** Whether further runs of a load were not needed, and all had the same outcome. */
function isSure(record: LoadRecord | undefined): boolean {
  return record !== undefined && (record.runs >= SAMPLES || isOutvoted(record)) && isUnanimous(record);
}

function isUnanimous({ held, runs }: LoadRecord): boolean {
  return held === 0 || held === runs;
}

function heldText({ raised, steps, operation }: CapacityResult, { load, runs, held }: LoadRecord): string {
  const rates = steps.flatMap((step) =>
    step.load === load && step.outcome === 'held' && step.figures ? [step.figures.succeededPerSecond] : [],
  );
  const middle = rates.toSorted((a, b) => a - b)[Math.floor(rates.length / 2)];
  const rate = middle === undefined ? '' : ` (${rateText(middle)}/s of ${operation})`;
  return `${loadText(raised, load)}${rate}: held ${inRuns(held, runs)}`;
}

function gaveWayText({ raised, steps }: CapacityResult, { load, runs, held }: LoadRecord): string {
  const failed = steps.findLast((step) => step.load === load && step.outcome === 'gave_way');
  return `${loadText(raised, load)}: failed ${inRuns(runs - held, runs)}: ${failed?.reasons.join('; ') ?? ''}`;
}

function gapFact({ ending, raised, held, gaveWay }: CapacityResult): readonly (readonly [string, string])[] {
  if (held === undefined || gaveWay === undefined) return [];
  const agreement = !(isUnanimous(held) && isUnanimous(gaveWay))
    ? 'imprecise, because runs at the same load differ: prefer the lower loads'
    : ending !== 'undecided' && isSure(held) && isSure(gaveWay)
      ? 'all runs at both ends agree'
      : 'not confirmed, because not all repetitions ran';
  return [['knee', `${spanText(raised, held.load, gaveWay.load)}; ${agreement}`]];
}

function bottleneckText({ ending, raised, gaveWay, steps }: CapacityResult): string {
  const last = steps.at(-1);
  const why = `at ${loadText(raised, last?.load ?? 0)}: ${last?.reasons.join('; ') ?? ''}`;
  if (ending in CUT_SHORT) return `${CUT_SHORT[ending as keyof typeof CUT_SHORT].bottleneck} ${why}`;
  if (ending === 'not_recovered') return 'the server, which did not recover';
  return gaveWay === undefined ? 'neither side' : 'the server first';
}

/** A search for a terminal: the curve as table and chart, then the answer; ends with a line break. */
export function capacityText(result: CapacityResult, page: Page): string {
  const { kind, headline, facts } = answerOf(result);
  const blocks = [
    [`  ${page.strong(result.scenarioName)}`, ...hanging(searchText(result), '  ', page)],
    result.steps.length === 0 ? ['  no step ran'] : stepTable(result, page),
    chart(result, page),
    facts.flatMap(([name, text]) => labeledLines(name, besideLabel(text, page))),
    hanging(headline, '  ', page).map((line) => page.strong(page[kind](line))),
  ];
  return blocksText(blocks);
}

// The outcome has its own column. While a load holds, the rate follows from it.
const DISPENSABLE = ['p50', 'p95', 'ok/s'];

function stepTable({ steps, raised, operation }: CapacityResult, page: Page): string[] {
  const rows = stepsByLoad(steps).map((step) => {
    const cells = stepRow(step).map((text, column) => {
      return { text, paint: column === STEP_HEADINGS.length - 1 ? paintOf(step, page) : unpainted };
    });
    return { name: { text: loadText(raised, step.load), paint: unpainted }, cells };
  });
  return fittedTable({ name: operation, headings: STEP_HEADINGS, dispensable: DISPENSABLE }, rows, page);
}

const BAR = '▇';
const MIN_BAR_COLUMNS = 10;

/** The p99 of the slowest run at each load, as a bar of logarithmic length. */
function chart({ steps, raised, operation }: CapacityResult, page: Page): string[] {
  const bars = loadPoints(steps).flatMap((point) => {
    const p99Ms = slowestMs(point);
    return p99Ms === undefined ? [] : [{ ...point, p99Ms, name: loadText(raised, point.load) }];
  });
  if (bars.length < 2) return [];
  const nameColumns = Math.max(...bars.map(({ name }) => name.length));
  const room = Math.max(MIN_BAR_COLUMNS, columnsOf(page) - nameColumns - ' 1,234 ms'.length - 4);
  const [least, most] = logarithmicSpan(bars.map(({ p99Ms }) => p99Ms));
  const length = (p99Ms: number) => 1 + Math.round(((room - 1) * Math.log(p99Ms / least)) / Math.log(most / least));
  return [
    page.faint(`  p99 of ${operation}, logarithmic bars`),
    ...bars.map(({ name, p99Ms, outcome }) => {
      const bar = paintOf({ outcome }, page)(BAR.repeat(length(p99Ms)));
      return `  ${name.padStart(nameColumns)} ${bar} ${latencyText(p99Ms)}`;
    }),
  ];
}

function slowestMs({ steps }: LoadPoint): number | undefined {
  const times = steps.flatMap(({ figures }) => figures?.p99Ms ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Neither the generator nor a step that was cut short says that the server gave way. */
export const STEP_TONES = {
  held: 'good',
  gave_way: 'bad',
  generator: 'caution',
  undrained: 'caution',
  unreachable: 'bad',
  incomplete: 'caution',
} as const satisfies Readonly<Record<Step['outcome'], string>>;

function paintOf({ outcome }: Pick<Step, 'outcome'>, page: Page): Paint {
  return page[STEP_TONES[outcome]];
}
