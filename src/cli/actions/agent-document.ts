import { writeConfiguration } from '../../agent/configuration/write-documents.ts';
import { identityOf } from '../../agent/identity.ts';
import { profileNamer } from '../../machine/fleet.ts';
import { compilePayloads } from '../../machine/payloads.ts';
import { profileNamed } from '../../machine/profiles.ts';
import { agentSettingsOf } from '../../scenario/meaning/agent-settings.ts';
import { machineFleetOf } from '../../scenario/meaning/machine-fleet.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { DocumentName } from '../flags/documents.ts';

export type DocumentRequest = {
  readonly what: DocumentName;
  readonly agent: number;
  readonly instantMs: number;
  /** When the run is taken to start, in Unix ms. */
  readonly startMs: number;
};

/** A document of an agent, byte for byte as it would send or have it at that instant (Unix milliseconds). */
export function agentDocument(scenario: Scenario, request: DocumentRequest): string {
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
  const payloads = compilePayloads(machineFleetOf(scenario, () => startMs));
  const [room, write] =
    what === 'checkdata'
      ? [payloads.checkdataRoomBytes, payloads.writeCheckdata]
      : [payloads.packagesRoomBytes, payloads.writePackages];
  const out = Buffer.allocUnsafe(room(agent));
  return out.toString('utf8', 0, write(out, 0, agent, instantMs));
}

function identity(scenario: Scenario, agent: number): object {
  const fleet = machineFleetOf(scenario);
  return { agent, profile: profileNamer(fleet)(agent), ...identityOf(fleet.seed, agent) };
}

function configuration(scenario: Scenario, agent: number): string {
  const { system } = profileNamed(profileNamer(machineFleetOf(scenario))(agent));
  return writeConfiguration(agentSettingsOf(scenario)(agent), system);
}
