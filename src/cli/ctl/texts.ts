import { printable } from '../../base/kernel/printable.ts';
import { counted, formatDuration } from '../../base/kernel/units.ts';
import { latencyText } from '../../report/page/figures.ts';
import { MACHINE_HEADINGS, machineCells } from '../../report/page/machines.ts';
import type {
  AgentAnswer,
  AgentSummary,
  AppliedAnswer,
  DoneAnswer,
  EventAnswer,
  FiguresRow,
  FleetAnswer,
  HealthKindAnswer,
} from '../../staging/control-api/schemas.ts';
import { narrowTable, tableLines } from '../output/table.ts';

// Formats answers of the control API as text.

export function fleetText({
  name,
  target,
  startedAt,
  hosts,
  elapsedSeconds,
  phase,
  agents,
  health,
  generator,
  machines = [],
}: FleetAnswer): string {
  const states = Object.entries(agents.states).filter(([, count]) => count > 0);
  const rows = [
    ['fleet', name],
    ['target', target],
    ['up since', startedAt ?? 'not yet'],
    [
      'time',
      startedAt === null ? '-' : `${formatDuration(Math.max(0, Math.round(elapsedSeconds)) * 1000)} of its timeline`,
    ],
    ['phase', phase?.name ?? '-'],
    ['hosts', hosts.since === null ? hosts.version : `${hosts.version} since ${hosts.since}`],
    [
      'agents',
      `${agents.total}: ${states.map(([state, count]) => `${count} ${state}`).join(', ') || 'states not known yet'}`,
    ],
    ...(health?.kinds ?? []).map((kind, n) => [n === 0 ? 'health' : '', healthText(kind)]),
    ...(agents.down > 0 ? [['ended', counted(agents.down, 'process')]] : []),
    ...(agents.listening > 0 ? [['listening', String(agents.listening)]] : []),
    [
      'generator',
      generator === null
        ? '-'
        : `${counted(generator.workers, 'worker')}, busiest at ${Math.round(generator.busiestLoopUtilization * 100)}%, ${counted(generator.stalls, 'stall')}`,
    ],
  ];
  const sentence = health === null ? [] : [printable(health.sentence)];
  const table = [
    ['machine', 'agents', ...MACHINE_HEADINGS],
    ...machines.map((machine) => [printable(machine.name), String(machine.agents), ...machineCells(machine)]),
  ];
  return [...sentence, ...tableLines(rows), ...(machines.length > 0 ? ['', ...tableLines(table)] : [])].join('\n');
}

/** `311 refused 400: checkdata, "Host not found", since 2026-01-31T14:02:00.000Z` */
function healthText({ agents, label, operation, reason, since }: HealthKindAnswer): string {
  const quote = reason === null ? [] : `"${printable(reason)}"`;
  const details = [operation ?? [], quote, since === null ? [] : `since ${since}`].flat();
  return `${agents} ${label}${details.length === 0 ? '' : `: ${details.join(', ')}`}`;
}

const DISPENSABLE = ['uuid', 'address', 'listen', 'role', 'profile', 'group'];

/** Cells by their heading; `undefined` if the agent has none. */
const AGENT_COLUMNS: Readonly<Record<string, (agent: AgentSummary) => string | undefined>> = {
  agent: ({ index }) => String(index),
  state: ({ state, flags }) => [state, ...flags].join(' '),
  health: ({ health }) => health.label,
  host: ({ host }) => host,
  group: ({ group }) => group,
  profile: ({ profile }) => profile,
  role: ({ role }) => role,
  address: ({ address }) => address,
  listen: ({ listen }) => listen ?? undefined,
  uuid: ({ uuid }) => uuid,
};

/** Without columns of which no agent has anything. */
export function agentsText(agents: readonly AgentSummary[], columns: number): string {
  const shown = Object.entries(AGENT_COLUMNS).filter(([, cell]) => agents.some((agent) => cell(agent) !== undefined));
  const rows = agents.map((agent) => shown.map(([, cell]) => cell(agent) ?? '-'));
  const head = shown.map(([heading]) => heading);
  return tableLines(narrowTable([head, ...rows], DISPENSABLE, columns), columns).join('\n');
}

export function agentText(agent: AgentAnswer, columns: number): string {
  const { index, host, group, profile, role, state, flags, address, uuid, version, actions, history } = agent;
  const rows = [
    ['agent', String(index)],
    ['host', `${host}, ${profile}, ${role}`],
    ...(group === undefined ? [] : [['group', group]]),
    ['state', [state, ...flags].join(' ')],
    ['health', agent.health.label],
    ['uuid', uuid],
    ['address', address],
    ...webServerRows(agent),
    ...(version === null ? [] : [['version', version]]),
    ...actions.map((action) => ['event', JSON.stringify(action)]),
    ...history.slice(-5).map((one) => [one.at, [one.state, ...one.flags].join(' ')]),
    ['last', agent.last === null ? 'none completed yet' : lastText(agent.last)],
    ['request', agent.request === null ? 'none seen yet; ask again after its next one' : firstLine(agent.request)],
    ['answer', agent.answer === null ? 'none seen yet' : answerLine(agent.answer)],
  ];
  return tableLines(rows, columns).join('\n');
}

const TLS_TEXTS = { none: 'HTTP', server: 'HTTPS', mutual: 'HTTPS with client certificates' };

function webServerRows({ webServer }: AgentAnswer): readonly (readonly string[])[] {
  if (webServer === null) return [];
  const { listen, tls, configured, last } = webServer;
  const where = `${listen ?? 'no address'}${tls === null ? ', currently closed' : `, ${TLS_TEXTS[tls]}`}`;
  return [
    ['listens at', where],
    ...(configured === null ? [] : [['configured', configured.at ?? 'before the last start']]),
    ...(last === null ? [] : [['last request', lastText(last)]]),
  ];
}

function lastText({ operation, outcome, at, serviceMs }: NonNullable<AgentAnswer['last']>): string {
  return `${at} ${operation} ${outcome} after ${latencyText(serviceMs)}`;
}

function firstLine({ at, head = '' }: { readonly at: string; readonly head?: string | undefined }): string {
  return `${at} ${printable(head.split('\n')[0] ?? '')}`;
}

function answerLine(answer: NonNullable<AgentAnswer['answer']>): string {
  const { outcome, serviceMs, reason } = answer;
  return `${firstLine(answer)} (${outcome ?? 'pending'} after ${latencyText(serviceMs)}${reason === undefined ? '' : `: ${printable(reason)}`})`;
}

export function eventsText(events: readonly EventAnswer[], columns: number): string {
  if (events.length === 0) return 'No events, past or planned.';
  const rows = events.map(({ name, do: kind, status, from, to, cohort }) => [
    ...[name, kind, status, from ?? '-', to ?? '-'],
    cohort,
  ]);
  const head = ['event', 'kind', 'status', 'from', 'to', 'cohort'];
  return tableLines(narrowTable([head, ...rows], ['to', 'kind', 'from'], columns), columns).join('\n');
}

/** How the API writes `all`. */
const EVERYONE_TEXT = '100%';

export function doneText({ event, hits, note }: DoneAnswer, isDry: boolean): string {
  const { count, agents, isFinal, cohort } = hits;
  const names = agents.slice(0, 5).map(({ host }) => host);
  const shown = names.length === 0 ? '' : `: ${names.join(', ')}${count > names.length ? ', …' : ''}`;
  const verb = isDry ? 'would hit' : 'hits';
  const late = isFinal ? '' : '; the event selects its agents when it starts';
  // Those that an event hits need not be the whole fleet.
  const chosen = cohort === EVERYONE_TEXT ? '' : ` (${cohort})`;
  const starts = note === null ? '' : `; it starts at ${event.from}: ${note}`;
  return `${event.name} ${verb} ${counted(count, 'agent')}${chosen}${shown}${late}${starts}`;
}

const FIGURE_HEAD = ['time', 'operation', 'started', 'ok', 'failed', 'dropped', 'p50', 'p99', 'max'];

export function figuresText(rows: readonly FiguresRow[], columns: number): string {
  const cells = rows.flatMap(({ at, operations }) =>
    operations.map(({ operation, started, succeeded, failed, dropped, responseMs }) => [
      ...[at, operation, started, succeeded, failed].map(String),
      String(Object.values(dropped).reduce((sum, count) => sum + count, 0)),
      ...[responseMs?.p50, responseMs?.p99, responseMs?.max].map((ms) => (ms === undefined ? '-' : latencyText(ms))),
    ]),
  );
  if (cells.length === 0) return 'No figures yet.';
  return tableLines(narrowTable([FIGURE_HEAD, ...cells], ['max', 'p50', 'dropped'], columns), columns).join('\n');
}

export function secondText({ at, operations, agents, inFlight }: FiguresRow): string {
  const did = operations.map(
    ({ operation, succeeded, failed, responseMs }) =>
      `${operation} ${succeeded} ok${failed > 0 ? ` ${failed} failed` : ''}${responseMs === undefined ? '' : ` p99 ${latencyText(responseMs.p99)}`}`,
  );
  const { registered, authorized, refused } = agents;
  return `${at.slice(11, 19)}  ${did.join(', ') || 'no operations'}; ${registered + authorized} registered, ${refused} refused, ${inFlight} in flight`;
}

/** The changes, followed by the result. */
export function appliedText(answer: AppliedAnswer, { isDry, file }: { isDry: boolean; file: string }): string {
  const { keys, agents, events, refused, isApplied, startedFrom } = answer;
  const named = (what: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`events ${what}: ${names.map(printable).join(', ')}`];
  const changes = [
    ...keys.map(({ key, from, to }) => `${key}: ${printable(from ?? 'nothing')} → ${printable(to ?? 'nothing')}`),
    ...named('removed', events.gone),
    ...named('changed', events.changed),
    ...named('added', events.come),
  ];
  if (changes.length === 0) return 'No changes.';
  const { unchanged, changed, come, gone } = agents;
  const counts = `agents: ${unchanged} unchanged, ${changed.count} changed, ${come.count} added, ${gone.count} removed`;
  const isElsewhere = startedFrom !== file;
  return [
    ...changes,
    counts,
    ...refused.map((sentence) => `! ${printable(sentence)}`),
    isApplied
      ? `Applied${isElsewhere ? `; the fleet was started with ${printable(startedFrom)}: next time, start it with ${printable(file)}` : ''}`
      : `${isDry ? 'Nothing was changed' : 'Not applied'}${refused.length > 0 ? ': a running fleet cannot apply it' : ''}`,
  ].join('\n');
}
