import { writeConfiguration } from '../../agent/configuration/write-documents.ts';
import { identityOf } from '../../agent/identity.ts';
import { UserError } from '../../kernel/errors.ts';
import { formatDuration, parseDuration } from '../../kernel/units.ts';
import type { Phase } from '../../load/timeline.ts';
import { profileNamer } from '../../machine/fleet.ts';
import { isHitBy } from '../../machine/host/incident.ts';
import { compilePayloads } from '../../machine/payloads.ts';
import { profileNamed } from '../../machine/profiles.ts';
import { instant, instantOf as instantInRun } from '../../notation/instant.ts';
import { differenceText, documentDifferences, indented, parseExactly } from '../../report/document-diff.ts';
import { agentSettingsOf, machineFleetOf } from '../../scenario/agents.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { readHostData } from '../../storage/host-data.ts';
import { agentIndex, onlyOne, type ScenarioFlags } from '../flags/common.ts';
import { loadScenario, scenarioContext } from '../flags/load-scenarios.ts';
import type { Io } from '../io.ts';

/** What `inspect` can show of an agent. */
export type DocumentName = 'checkdata' | 'packages' | 'identity' | 'config';

export type InspectFlags = ScenarioFlags & {
  scenario: string;
  agent: string;
  at: string | undefined;
  what: DocumentName;
  pretty: boolean | undefined;
  diff: string | undefined;
};

export async function inspect(flags: InspectFlags, io: Io): Promise<void> {
  const scenario = await loadScenario(flags.scenario, await scenarioContext(flags, io), io);
  const agent = agentIndex(flags.agent, scenario.fleet.agents);
  const startMs = Date.now();
  const instantMs = instantOf(onlyOne('at', flags.at), startMs, scenario.phases);
  const documentAt = (atMs: number): string =>
    agentDocument(scenario, { what: flags.what, agent, instantMs: atMs, startMs });
  const text = documentAt(instantMs);
  for (const line of notYetShown(scenario, { what: flags.what, agent, instantMs, startMs }))
    io.stderr.write(`${line}\n`);
  if (flags.diff !== undefined) {
    const later = documentAt(instantMs + durationOf(flags.diff));
    const lines = documentDifferences(structured(text, flags.what), structured(later, flags.what)).map(differenceText);
    io.stdout.write(lines.map((line) => `${line}\n`).join(''));
    return;
  }
  const pretty = (flags.pretty ?? io.stdout.isTTY === true) && flags.what !== 'config';
  io.stdout.write(pretty ? `${indented(text)}\n` : text);
}

function structured(text: string, what: DocumentName) {
  return what === 'config' ? text : parseExactly(text);
}

const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Unix milliseconds of `--at`. */
function instantOf(text: string | undefined, nowMs: number, phases: readonly Phase[]): number {
  if (text === undefined) return nowMs;
  const inRun = instant.safeParse(text).data;
  if (inRun !== undefined && phases.some(({ name }) => (inRun.phase ?? name) === name))
    return nowMs + instantInRun(inRun, phases);
  const unixMs = ISO_INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(unixMs)) return unixMs;
  const example = `${phases[0]?.name}+5s`;
  const expected = `an instant such as 2026-01-31T12:00:00Z, a time from now such as 5m, or one in a phase such as ${example}`;
  throw new UserError(`--at: expected ${expected}, found ${JSON.stringify(text)}.`);
}

function durationOf(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined) return milliseconds;
  throw new UserError(`--diff: expected a duration such as 30s or 1h, found ${JSON.stringify(text)}.`);
}

type DocumentRequest = {
  readonly what: DocumentName;
  readonly agent: number;
  readonly instantMs: number;
  /** When the run is taken to start, in Unix ms. */
  readonly startMs: number;
};

/** A document of an agent, byte for byte as it would send or have it at that instant (Unix milliseconds). */
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

/** What has begun by the instant, but after the check run whose data the document are. */
function notYetShown(scenario: Scenario, { what, agent, instantMs, startMs }: DocumentRequest): readonly string[] {
  if (what !== 'checkdata') return [];
  const fleet = machineFleetOf(scenario, readHostData(), () => startMs);
  const runMs = compilePayloads(fleet).checkRunMs(agent);
  const cohorts = { seed: fleet.seed, profileOf: profileNamer(fleet) };
  return scenario.incidents.flatMap((incident) => {
    const sinceMs = instantMs - startMs - incident.fromMs;
    if (sinceMs < 0 || sinceMs >= runMs || !isHitBy(cohorts, incident)(agent)) return [];
    const [run, from, first] = [runMs, incident.fromMs, incident.fromMs + runMs].map(formatDuration);
    return `! ${incident.kind} begins at ${from}, during the check run of ${run} whose data this is; --at ${first} shows it`;
  });
}

function identity(scenario: Scenario, agent: number): object {
  const { fleet } = scenario;
  return { agent, profile: profileNamer(fleet)(agent), ...identityOf(fleet.seed, agent) };
}

function configuration(scenario: Scenario, agent: number): string {
  const { system } = profileNamed(profileNamer(scenario.fleet)(agent));
  return writeConfiguration(agentSettingsOf(scenario)(agent), system);
}
