import { counted, formatDuration } from '../base/kernel/units.ts';
import type { Delivery } from '../metrics/delivery/schema.ts';
import type { PhaseValidity, ValidityLimits } from '../metrics/judging/validity-schema.ts';
import { isIncomplete, reasonsBesideThresholds } from '../metrics/judging/verdict.ts';
import type { ClusterMachine } from '../metrics/merging/cluster-machine.ts';
import { speakBothProtocols } from '../metrics/recording/address-counts.ts';
import { refusedCount } from '../metrics/recording/listener-counts.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import { cohortLines } from './cohort-figures.ts';
import { misbehaviorText, recoveryText } from './event-figures.ts';
import { evidenceLines } from './evidence-text.ts';
import { countedAddressText, hostClockText, tallyText, targetText, withoutQuery } from './figures.ts';
import { besideLabel, hanging, labeledLines, marked, type Page, stateLines } from './layout.ts';
import { loggedLines } from './logged-figures.ts';
import { operationLines } from './operation-table.ts';
import { countText, latencyText, shareText } from './page/figures.ts';
import { machineFiguresText, worstFirst } from './page/machines.ts';
import { remediesOf } from './remedies.ts';
import { runTitle, thresholdTexts, unjudgedText, verdictLine, verdictTone, verdictWords } from './verdict-line.ts';

/**
 * Text for the terminal at the end of a run. Only the path may be wider than the page; ends with a line break.
 * @param resultsPath folder of the run's results; `undefined` if none were kept.
 */
export function summaryText(summary: Summary, resultsPath: string | undefined, page: Page): string {
  const agents = tallyText(registeredAgents(summary));
  const hosts = summary.profiles
    .map(({ group, profile, agents }) => `${countText(agents)} ${group ?? profile}`)
    .join(', ');
  const blocks: string[][] = [
    headline(summary, page),
    operationLines(summary, page),
    ...[cohortLines(summary, page), loggedLines(summary, page)].filter((lines) => lines.length > 0),
    [
      ...(summary.profiles.length === 0 ? [] : labeledLines('hosts', besideLabel(hosts, page))),
      ...(agents === '' ? [] : labeledLines('agents', besideLabel(agents, page))),
      ...webServerLines(summary.webServers, page),
      ...labeledLines('addresses', addressLines(summary, page)),
      ...labeledLines('recovery', itemLines(summary.recoveries?.filter(isObserved), recoveryText, page)),
      ...labeledLines('machines', machineLines(summary.machines, page)),
      ...labeledLines('attacks', itemLines(summary.misbehavior, misbehaviorText, page)),
      ...labeledLines('delivery', deliveryLines(summary.delivery, page)),
      ...labeledLines('generator', generatorLines(summary, page)),
      ...labeledLines('thresholds', thresholdsLines(summary, page)),
    ],
    ...(summary.evidence.length === 0 ? [] : [evidenceLines(summary.evidence, page)]),
    [
      ...verdictLines(summary, page),
      ...remedyLines(summary, page),
      ...(resultsPath === undefined ? [] : labeledLines('results', [page.faint(resultsPath)])),
      ...(resultsPath === undefined ? [] : labeledLines('report', [page.faint(`${resultsPath}/report.html`)])),
    ],
  ];
  return `\n${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Text for quiet output: the verdict in one line and, if it is bad or has a warning, the evidence of failures; ends with a line break. */
export function quietText(summary: Summary, page: Page): string {
  const { evidence } = summary;
  const isWanted = evidence.length > 0 && isDoubtful(summary);
  const why = isWanted ? [...evidenceLines(evidence, page), ...remedyLines(summary, page)] : [];
  return `${[verdictLine(summary, page), ...why].join('\n')}\n`;
}

function isDoubtful(summary: Summary): boolean {
  const tone = verdictTone(summary);
  return tone === 'bad' || tone === 'caution';
}

function remedyLines(summary: Summary, page: Page): string[] {
  if (!isDoubtful(summary)) return [];
  return remediesOf(summary).flatMap((text) => labeledLines('remedy', besideLabel(text, page)));
}

/** Agents by state. Hides the state `unregistered` in a fleet that listens and never registers. */
function registeredAgents({ agents, webServers }: Summary): Summary['agents'] {
  const { unregistered, ...others } = agents;
  const isAskedAlone = webServers !== undefined && Object.values(others).every((count) => count === 0);
  return isAskedAlone ? { ...agents, unregistered: 0 } : agents;
}

function headline(summary: Summary, page: Page): string[] {
  const { seed, elapsedMs, agents, environment, scenario, shards, hostClock } = summary;
  const fleet = Object.values(agents).reduce((sum, count) => sum + count, 0);
  const facts = [
    `seed ${seed}`,
    formatDuration(Math.round(elapsedMs / 100) * 100),
    counted(fleet, 'agent', countText(fleet)),
    ...(shards === undefined ? [] : [counted(shards.length, 'shard')]),
    counted(environment.workers, 'worker'),
    ...(environment.nice === undefined ? [] : [`nice ${environment.nice}`]),
    ...(hostClock === undefined ? [] : [`hosts' clocks ${hostClockText(hostClock)}`]),
  ].join(' · ');
  const { description = '', target } = scenario;
  const question = String(description).replace(/\s+/g, ' ').trim();
  // The query of a URL may contain a key.
  const url = targetText(target, withoutQuery);
  return [
    `  ${page.strong(runTitle(summary))}`,
    ...(question === '' ? [] : hanging(question, '  ', page)),
    ...(url === undefined ? [] : hanging(`target ${url}`, '  ', page).map(page.faint)),
    ...hanging(facts, '  ', page).map(page.faint),
  ];
}

function thresholdsLines(summary: Summary, page: Page): string[] {
  const unjudged = unjudgedText(summary);
  if (unjudged !== undefined) return besideLabel(unjudged, page);
  const marks = { holds: ['✓', page.good], crossed: ['✗', page.bad], unjudged: ['?', page.caution] } as const;
  return summary.thresholds.map(thresholdTexts).flatMap(({ outcome, claim, observed, note }) => {
    const [mark, paint] = marks[outcome];
    const notes = note === undefined ? [] : marked(' ', note, page).map(page.faint);
    return [...marked(mark, `${claim}: ${observed}`, page).map(paint), ...notes];
  });
}

/** The verdict and its reasons, then warnings. Crossed thresholds are listed separately. */
function verdictLines(summary: Summary, page: Page): string[] {
  const reasons = reasonsBesideThresholds(summary);
  return [
    `  ${verdictWords(summary, page)}`,
    ...reasons.flatMap((reason) => hanging(reason.text, '    ', page)),
    ...summary.warnings.flatMap((text) => marked('!', text, page).map((line) => `  ${line}`)).map(page.caution),
  ];
}

type WebServers = NonNullable<Summary['webServers']>;

/** Number of listening agents, and which are down and why; nothing for a fleet that does not listen. */
function webServerLines(webServers: WebServers | undefined, page: Page): string[] {
  if (webServers === undefined) return [];
  const { listening, most } = webServers;
  const peak = most > listening ? `, ${countText(most)} at most` : '';
  return [
    ...labeledLines('listening', [`${counted(listening, 'agent', countText(listening))}${peak}`]),
    ...labeledLines('down', downLines(webServers, page).map(page.bad)),
    ...labeledLines('listeners', clientLines(webServers, page)),
  ];
}

/** Connections and requests of clients; nothing if there were none. */
function clientLines({ listeners }: WebServers, page: Page): string[] {
  const { accepted, late, handshakes, unanswered } = listeners;
  const refused = refusedCount(listeners);
  if (accepted === 0) return [];
  const flow = [
    `accepted ${countText(accepted)}`,
    ...(handshakes === 0 ? [] : [`handshakes ${countText(handshakes)}`]),
    ...(late === 0 ? [] : [`late ${countText(late)}`]),
  ];
  const outcome = `refused ${countText(refused)}, unanswered ${countText(unanswered)}`;
  const reasons = refused === 0 ? [] : [tallyText(listeners.refused)];
  return stateLines(refused + unanswered === 0, [outcome, ...reasons, flow.join(', ')], page);
}

const REASONS_SHOWN = 5;

function downLines({ down, downCount, mostDown }: WebServers, page: Page): string[] {
  if (mostDown === 0) return [];
  const peak = mostDown > downCount ? `, ${countText(mostDown)} at most` : '';
  const count = `${countText(downCount)}${peak}`;
  const [first, ...others] = down.slice(0, REASONS_SHOWN).map(({ host, reason }) => `${host}: ${reason}`);
  if (first === undefined) return [count];
  const more = downCount - others.length - 1;
  const texts = [`${count}: ${first}`, ...others, ...(more > 0 ? [`and ${countText(more)} more`] : [])];
  return texts.flatMap((text) => besideLabel(text, page));
}

/** One line for each address of the target; none for a single address with one protocol. */
function addressLines({ addresses = [] }: Summary, page: Page): string[] {
  const hasBoth = speakBothProtocols(addresses);
  return addresses.flatMap((counts) => {
    const { connections, failedDials, requests, failed, protocols } = counts;
    const parts = [
      counted(connections, 'connection', countText(connections)),
      ...(hasBoth ? [`${countText(protocols?.http2 ?? 0)} of HTTP/2`] : []),
      counted(requests, 'request', countText(requests)),
      ...(failed === 0 ? [] : [`${countText(failed)} failed`]),
      ...(failedDials === 0 ? [] : [`${counted(failedDials, 'dial', countText(failedDials))} failed`]),
    ];
    const lines = besideLabel(`${countedAddressText(counts)}: ${parts.join(', ')}`, page);
    return failed + failedDials === 0 ? lines : lines.map(page.bad);
  });
}

/** Delivery: one line, or more if there are problems. */
function deliveryLines(delivery: Delivery, page: Page): string[] {
  if (!delivery.observed) return besideLabel(`not observed: ${delivery.reason}`, page).map(page.faint);
  const { lost, duplicated, sent, received, unknown, unknownReceived, unattributed, operations } = delivery;
  // Package information is as old as its collection, so its dates say little.
  const documents = tallyText(operations.find(({ operation }) => operation === 'checkdata')?.documents ?? {});
  const unanswered = `${countText(unknown)} without an answer, ${countText(unknownReceived)} of them received`;
  const parts = [
    `lost ${countText(lost)}, duplicated ${countText(duplicated)}`,
    `sent ${countText(sent)}, received ${countText(received)}`,
    ...(unknown === 0 ? [] : [unanswered]),
    ...(unattributed === 0 ? [] : [`${countText(unattributed)} from outside the fleet`]),
    ...(documents === '' ? [] : [`documents: ${documents}`]),
  ];
  return stateLines(lost === 0 && duplicated === 0, parts, page);
}

/** One entry per item, wrapped to fit beside the label. */
function itemLines<Item>(items: readonly Item[] = [], textOf: (item: Item) => string, page: Page): string[] {
  return items.flatMap((item) => besideLabel(textOf(item), page));
}

const MACHINES_SHOWN = 5;

/** Machines that ran the fleet together, the worst first; if there are many, only the first few. */
function machineLines(machines: Summary['machines'] = [], page: Page): string[] {
  const shown = itemLines(worstFirst(machines).slice(0, MACHINES_SHOWN), machineText, page);
  const more = machines.length - MACHINES_SHOWN;
  return more > 0 ? [...shown, ...besideLabel(`and ${more} more`, page)] : shown;
}

function machineText(machine: ClusterMachine): string {
  const { name, part, agents, workers, fromMs, toMs } = machine;
  const from = fromMs > 0 ? ` from ${formatDuration(fromMs)} on` : '';
  const lost = toMs === undefined ? '' : ` until it was lost at ${formatDuration(toMs)}`;
  return `${name}: part ${part}, ${counted(agents, 'agent')}${from}${lost}, ${counted(workers, 'worker')}, ${machineFiguresText(machine)}`;
}

/** An event at the start of its phase has nothing to compare with; a threshold that needs a comparison reports that. */
function isObserved({ timeMs, herd }: NonNullable<Summary['recoveries']>[number]): boolean {
  return timeMs !== undefined || herd !== undefined;
}

/** A larger share of the cores that other processes took may have delayed the generator or a server on this machine. */
const MUCH_TAKEN = 0.25;

function generatorLines({ validity, verdict }: Summary, page: Page): string[] {
  const { schedulingDelayP99Ms: p99, schedulingDelayMaxMs: max, busiestLoopUtilization: busiest, problems } = validity;
  const delay =
    p99 === undefined || max === undefined ? [] : [`scheduling delay p99 ${latencyText(p99)}, max ${latencyText(max)}`];
  const load = busiest === undefined ? [] : [`busiest worker ${shareText(busiest)}`];
  const { cores = 0, otherCores = 0 } = validity.machine ?? {};
  const others =
    otherCores > MUCH_TAKEN * cores ? [`others used ${otherCores.toFixed(1)} of ${counted(cores, 'core')}`] : [];
  const valid = problems.length === 0;
  const state = isIncomplete(verdict.reasons) ? 'valid as far as counted' : 'valid';
  const phases = validity.phases.filter((phase) => phase.problems.length > 0);
  const warnings = validity.warnings.flatMap((text) => marked('!', text, page).map(page.caution));
  return [
    ...stateLines(valid, [valid ? state : 'invalid', ...delay, ...load, ...others], page),
    ...phases.slice(0, PHASES_SHOWN).flatMap((phase) => invalidPhaseLines(phase, validity.limits, page)),
    ...phasesLeftLines(phases.length, validity.phases.length, page),
    ...warnings,
  ];
}

const PHASES_SHOWN = 8;

/** What is invalid in a phase, by operation, and the state of its workers. The verdict gives the causes. */
function invalidPhaseLines(phase: PhaseValidity, { schedulingDelayMs }: ValidityLimits, page: Page): string[] {
  const { operations, stalledMs, busiestLoopUtilization: busiest, collectionShare: collection = 0 } = phase;
  const late = operations.flatMap(({ operation, valid, schedulingDelayP99Ms: p99 }) =>
    valid ? [] : [`${operation} p99 ${latencyText(p99)}`],
  );
  const facts = [
    ...(late.length === 0
      ? phase.problems.map((text) => claimOf(text, phase.phase))
      : [`${late.join(', ')}, limit ${latencyText(schedulingDelayMs)}`]),
    ...(stalledMs === 0 ? [] : [`stalled ${latencyText(stalledMs)}`]),
    ...(busiest === undefined ? [] : [`busiest worker ${shareText(busiest)}`]),
    ...(collection < 0.01 ? [] : [`garbage collection ${shareText(collection)}`]),
  ];
  return marked('✗', `${phase.phase}: ${facts.join(' · ')}`, page).map(page.bad);
}

/** What a problem says, without its cause and remedy. */
function claimOf(problem: string, phase: string): string {
  const where = `in ${phase} `;
  return problem.slice(problem.indexOf(where) + where.length).replace(/[:;] .*$/s, '');
}

/** Number of the other phases. */
function phasesLeftLines(invalid: number, judged: number, page: Page): string[] {
  if (invalid === 0) return [];
  const shown = Math.min(invalid, PHASES_SHOWN);
  const [more, valid] = [invalid - shown, judged - invalid];
  return [
    ...(more === 0 ? [] : [page.bad(`✗ and ${counted(more, 'more phase')}`)]),
    ...(valid === 0 ? [] : [page.good(`✓ ${counted(valid, 'other phase')}`)]),
  ];
}
