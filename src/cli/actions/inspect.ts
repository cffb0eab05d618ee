import { UserError } from '../../base/kernel/errors.ts';
import { formatDuration, parseDuration } from '../../base/kernel/units.ts';
import { unixMsOf } from '../../base/notation/date.ts';
import { findingText, quoted } from '../../base/notation/finding.ts';
import { instant, instantOf as instantInRun } from '../../base/notation/instant.ts';
import { parseExactly } from '../../base/protocol/exact-json.ts';
import { readHostData } from '../../base/storage/host-data.ts';
import { systemChooser } from '../../hosts/groups.ts';
import { compilePayloads } from '../../hosts/payloads.ts';
import { type Cohort, isDrawn, isStatic } from '../../load/cohorts/cohort.ts';
import { hostTimeMs } from '../../load/host-clock.ts';
import type { Phase } from '../../load/timeline.ts';
import { differenceText, documentDifferences, indented } from '../../report/document-diff.ts';
import { agentSettingsOf, incidentsOf, machineFleetOf } from '../../scenario/agents.ts';
import { chosenBy, cohortFactsOf } from '../../scenario/cohort-members.ts';
import { withCountedEvents } from '../../scenario/event-times.ts';
import { readCohort } from '../../scenario/events.ts';
import { inHostTime } from '../../scenario/host-clock.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { writeConfiguration } from '../../wire/agent/configuration/write-documents.ts';
import { identityOf } from '../../wire/agent/identity.ts';
import type { InspectFlags } from '../commands/hosts.ts';
import { agentIndex } from '../flags/common.ts';
import { loadScenario } from '../flags/load-scenarios.ts';
import { readFlag } from '../flags/values.ts';
import type { Io } from '../io.ts';
import { tableLines } from '../output/table.ts';

type DocumentName = InspectFlags['what'];

export async function inspect(flags: InspectFlags, io: Io): Promise<void> {
  const loaded = await loadScenario(flags.scenario, flags, io);
  const scenario = withCountedEvents(loaded.scenario);
  if (flags.cohort !== undefined) {
    const isChosen = choiceOf(scenario, 'cohort', flags.cohort);
    for (const line of agentLines(scenario, isChosen)) io.stdout.write(`${line}\n`);
    return;
  }
  const agent = agentOf(scenario, flags.agent);
  const startMs = hostTimeMs(scenario.hostClock, Date.now(), 0);
  const instantMs = instantOf(flags.at, startMs, inHostTime(scenario).phases);
  const documentAt = (atMs: number): string =>
    agentDocument(scenario, { what: flags.what, agent, instantMs: atMs, startMs });
  const text = documentAt(instantMs);
  for (const line of notYetShown(scenario, { what: flags.what, agent, instantMs, startMs }))
    io.stderr.write(`${line}\n`);
  if (flags.diff !== undefined) {
    const { diff } = flags;
    const afterMs = readFlag('diff', { diff }, { expected: 'a duration such as 30s or 1h', read: parseDuration });
    const later = documentAt(instantMs + afterMs);
    const lines = documentDifferences(structured(text, flags.what), structured(later, flags.what)).map(differenceText);
    io.stdout.write(lines.map((line) => `${line}\n`).join(''));
    return;
  }
  const pretty = (flags.pretty ?? io.stdout.isTTY === true) && flags.what !== 'config';
  io.stdout.write(pretty ? `${indented(text)}\n` : text);
}

/** An agent by its index, or the first one of a cohort. */
function agentOf(scenario: Scenario, text: string): number {
  const { agents } = scenario.fleet;
  if (/^-?\d+$/.test(text)) return agentIndex(text, agents);
  const isChosen = choiceOf(scenario, 'agent', text);
  for (let agent = 0; agent < agents; agent++) if (isChosen(agent)) return agent;
  throw new UserError(`--agent: expected a cohort with at least one agent, found none in ${JSON.stringify(text)}.`);
}

/** Resolves a cohort from the command line; the name of an event or of a cohort of the scenario selects it. */
function choiceOf(scenario: Scenario, flag: string, text: string): (agent: number) => boolean {
  const named = [...scenario.events, ...scenario.cohorts];
  const event = named.find(({ name }) => name === text) ?? { name: '', cohort: cohortOf(flag, text) };
  if (!isStatic(event.cohort))
    throw new UserError(`--${flag}: agents have a state only in a run; remove state= from ${quoted(text)}.`);
  if (event.name === '' && isDrawn(event.cohort)) {
    const names = named.map(({ name }) => name).join(', ') || 'none';
    throw new UserError(
      `--${flag}: a share selects different agents for each name; name an event or a cohort of the scenario (${names}) instead of ${quoted(text)}.`,
    );
  }
  return chosenBy(event, scenario.fleet);
}

function cohortOf(flag: string, text: string): Cohort {
  const read = readCohort(text);
  if (read.kind === 'cohort') return read.cohort;
  const { column, ...mistake } = read.mistake;
  throw new UserError(`${findingText({ ...mistake, path: [`--${flag}, column ${column}`], focus: 'value' })}.`);
}

function agentLines({ fleet }: Scenario, isChosen: (agent: number) => boolean): readonly string[] {
  const facts = cohortFactsOf(fleet);
  const chosen = Array.from({ length: fleet.agents }, (_, agent) => agent).filter(isChosen);
  const shown = (['group', 'profile', 'role', 'host', 'uuid'] as const).filter(
    (fact) => fact !== 'group' || 'groups' in fleet,
  );
  return tableLines([
    ['agent', ...shown],
    ...chosen.map((agent) => [String(agent), ...shown.map((fact) => facts[fact](agent))]),
  ]);
}

function structured(text: string, what: DocumentName) {
  return what === 'config' ? text : parseExactly(text);
}

/** Parses `--at` to Unix milliseconds. */
function instantOf(text: string | undefined, nowMs: number, phases: readonly Phase[]): number {
  if (text === undefined) return nowMs;
  const inRun = instant.safeParse(text).data;
  if (inRun !== undefined && phases.some(({ name }) => (inRun.phase ?? name) === name))
    return nowMs + instantInRun(inRun, phases);
  const unixMs = unixMsOf(text);
  if (unixMs !== undefined) return unixMs;
  const example = `${phases[0]?.name}+5s`;
  const expected = `a time such as 2026-01-31T12:00:00Z, an offset from now such as 5m, or one in a phase such as ${example}`;
  throw new UserError(`--at: expected ${expected}, found ${JSON.stringify(text)}.`);
}

type DocumentRequest = {
  readonly what: DocumentName;
  readonly agent: number;
  readonly instantMs: number;
  /** Time on the hosts' clocks at the assumed start of the run, in Unix ms. */
  readonly startMs: number;
};

/** A document of an agent, byte for byte as the agent would send or store it at that time (Unix milliseconds). */
function agentDocument(scenario: Scenario, request: DocumentRequest): string {
  switch (request.what) {
    case 'identity':
      return JSON.stringify(identity(scenario, request.agent));
    case 'config':
      return configuration(scenario, request.agent);
    default:
      return payload(scenario, request);
  }
}

function payload(scenario: Scenario, { what, agent, instantMs, startMs }: DocumentRequest): string {
  const payloads = compilePayloads(machineFleetOf(scenario, readHostData(), () => startMs));
  const [room, write] =
    what === 'checkdata'
      ? [payloads.checkdataRoomBytes, payloads.writeCheckdata]
      : [payloads.packagesRoomBytes, payloads.writePackages];
  const out = Buffer.allocUnsafe(room(agent));
  return out.toString('utf8', 0, write(out, 0, agent, instantMs));
}

/** Warns of events that started after the check run that produced the document. */
function notYetShown(scenario: Scenario, { what, agent, instantMs, startMs }: DocumentRequest): readonly string[] {
  if (what !== 'checkdata') return [];
  const fleet = machineFleetOf(scenario, readHostData(), () => startMs);
  const runMs = compilePayloads(fleet).checkRunMs(agent);
  return incidentsOf(inHostTime(scenario).events, scenario.fleet).flatMap((incident) => {
    const fromMs = incident.fromMs + (incident.delayMs?.(agent) ?? 0);
    const sinceMs = instantMs - startMs - fromMs;
    if (sinceMs < 0 || sinceMs >= runMs || !incident.isHit(agent)) return [];
    const [run, from, first] = [runMs, fromMs, fromMs + runMs].map(formatDuration);
    return `! ${incident.kind} starts at ${from}, after this check data was collected (check runs take ${run}); use --at ${first} to see it`;
  });
}

function identity(scenario: Scenario, agent: number): object {
  const { fleet } = scenario;
  const { group, profile, role } = cohortFactsOf(fleet);
  const own =
    'groups' in fleet
      ? { group: group(agent), profile: profile(agent), role: role(agent) }
      : { profile: profile(agent) };
  return { agent, ...own, ...identityOf(fleet.seed, agent) };
}

function configuration(scenario: Scenario, agent: number): string {
  return writeConfiguration(agentSettingsOf(scenario)(agent), systemChooser(scenario.fleet)(agent));
}
