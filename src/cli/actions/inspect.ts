import { writeConfiguration } from '../../agent/configuration/write-documents.ts';
import { identityOf } from '../../agent/identity.ts';
import { UserError } from '../../kernel/errors.ts';
import { parseDuration } from '../../kernel/units.ts';
import { profileNamer } from '../../machine/fleet.ts';
import { compilePayloads } from '../../machine/payloads.ts';
import { profileNamed } from '../../machine/profiles.ts';
import { differenceText, documentDifferences, indented, parseExactly } from '../../report/document-diff.ts';
import { agentSettingsOf, machineFleetOf } from '../../scenario/agents.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { readHostData } from '../../storage/host-data.ts';
import { onlyOne, type ScenarioFlags } from '../flags/common.ts';
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
  const instantMs = instantOf(onlyOne('at', flags.at), startMs);
  const documentAt = (atMs: number): string =>
    agentDocument(scenario, { what: flags.what, agent, instantMs: atMs, startMs });
  const text = documentAt(instantMs);
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

function agentIndex(text: string, agents: number): number {
  const index = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (index < agents) return index;
  throw new UserError(`--agent: expected an index from 0 to ${agents - 1}, the agents of this fleet, found ${text}.`);
}

const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** Unix milliseconds of `--at`. */
function instantOf(text: string | undefined, nowMs: number): number {
  if (text === undefined) return nowMs;
  const fromNowMs = parseDuration(text);
  if (fromNowMs !== undefined) return nowMs + fromNowMs;
  const instant = ISO_INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(instant)) return instant;
  const expected = 'an instant such as 2026-01-31T12:00:00Z or a time from now such as 5m';
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

function identity(scenario: Scenario, agent: number): object {
  const { fleet } = scenario;
  return { agent, profile: profileNamer(fleet)(agent), ...identityOf(fleet.seed, agent) };
}

function configuration(scenario: Scenario, agent: number): string {
  const { system } = profileNamed(profileNamer(scenario.fleet)(agent));
  return writeConfiguration(agentSettingsOf(scenario)(agent), system);
}
