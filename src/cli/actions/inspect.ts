import { UserError } from '../../base/kernel/errors.ts';
import { once } from '../../base/kernel/memoize.ts';
import { formatDuration, parseDuration } from '../../base/kernel/units.ts';
import { unixMsOf } from '../../base/notation/date.ts';
import { instant, instantOf as instantInRun } from '../../base/notation/instant.ts';
import { parseExactly } from '../../base/protocol/exact-json.ts';
import { readHostData } from '../../base/storage/host-data.ts';
import { systemChooser } from '../../hosts/groups.ts';
import { compilePayloads } from '../../hosts/payloads.ts';
import { hostTimeMs } from '../../load/host-clock.ts';
import type { Phase } from '../../load/timeline.ts';
import { differenceText, documentDifferences, indented } from '../../report/document-diff.ts';
import { agentSettingsOf, incidentsOf, machineFleetOf } from '../../scenario/agents.ts';
import { cohortFactsOf } from '../../scenario/cohort-members.ts';
import { withCountedEvents } from '../../scenario/event-times.ts';
import { inHostTime } from '../../scenario/host-clock.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { writeConfiguration } from '../../wire/agent/configuration/write-documents.ts';
import { identityOf } from '../../wire/agent/identity.ts';
import type { InspectFlags } from '../commands/hosts.ts';
import { agentOf, choiceOf } from '../flags/agent-choice.ts';
import { loadScenario } from '../flags/load-scenarios.ts';
import { readFlag } from '../flags/values.ts';
import type { Io } from '../io.ts';
import { tableLines } from '../output/table.ts';

export async function inspect(flags: InspectFlags, io: Io): Promise<void> {
  const loaded = await loadScenario(flags.scenario, flags, io);
  const scenario = withCountedEvents(loaded.scenario);
  if (flags.cohort !== undefined) {
    const isChosen = choiceOf(scenario, 'cohort', flags.cohort);
    for (const line of agentLines(scenario, isChosen)) io.stdout.write(`${line}\n`);
    return;
  }
  const { what, diff } = flags;
  const agent = agentOf(scenario, flags.agent);
  const startMs = hostTimeMs(scenario.hostClock, Date.now(), 0);
  const instantMs = instantOf(flags.at, startMs, inHostTime(scenario).phases);
  const { textAt, checkRunMs } = documentsOf(scenario, agent, startMs);
  const text = textAt[what](instantMs);
  if (what === 'checkdata') {
    const atMs = instantMs - startMs;
    for (const line of notYetShown(scenario, agent, { atMs, runMs: checkRunMs() })) io.stderr.write(`${line}\n`);
  }
  if (diff !== undefined) {
    const afterMs = readFlag('diff', { diff }, { expected: 'a duration such as 30s or 1h', read: parseDuration });
    const texts = [text, textAt[what](instantMs + afterMs)];
    const [before, after] = what === 'config' ? texts : texts.map(parseExactly);
    const lines = documentDifferences(before, after).map(differenceText);
    io.stdout.write(lines.map((line) => `${line}\n`).join(''));
    return;
  }
  const pretty = (flags.pretty ?? io.stdout.isTTY === true) && what !== 'config';
  io.stdout.write(pretty ? `${indented(text)}\n` : text);
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

/**
 * The documents of an agent, byte for byte as it would send or store them at a time (Unix milliseconds).
 * @param startMs time on the hosts' clocks at the assumed start of the run, in Unix milliseconds
 */
function documentsOf(scenario: Scenario, agent: number, startMs: number) {
  const payloads = once(() => compilePayloads(machineFleetOf(scenario, readHostData(), () => startMs)));
  const written = (roomBytes: number, write: (out: Buffer) => number): string => {
    const out = Buffer.allocUnsafe(roomBytes);
    return out.toString('utf8', 0, write(out));
  };
  const textAt: Readonly<Record<InspectFlags['what'], (instantMs: number) => string>> = {
    checkdata: (instantMs) =>
      written(payloads().checkdataRoomBytes(agent), (out) => payloads().writeCheckdata(out, 0, agent, instantMs)),
    packages: (instantMs) =>
      written(payloads().packagesRoomBytes(agent), (out) => payloads().writePackages(out, 0, agent, instantMs)),
    identity: () => JSON.stringify(identity(scenario, agent)),
    config: () => writeConfiguration(agentSettingsOf(scenario)(agent), systemChooser(scenario.fleet)(agent)),
  };
  return { textAt, checkRunMs: () => payloads().checkRunMs(agent) };
}

/** Warns of events that started after the check run that produced the check data of `atMs`, in time since the start of the run. */
function notYetShown(
  scenario: Scenario,
  agent: number,
  { atMs, runMs }: { readonly atMs: number; readonly runMs: number },
): readonly string[] {
  return incidentsOf(inHostTime(scenario).events, scenario.fleet).flatMap((incident) => {
    const fromMs = incident.fromMs + (incident.delayMs?.(agent) ?? 0);
    const sinceMs = atMs - fromMs;
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
