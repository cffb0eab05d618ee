import { formatBytes } from '../../kernel/units.ts';
import { countText } from '../../report/figures.ts';
import { type MachineLimits, REMEDIES } from '../../system/limits.ts';
import { COSTS, needed, type Resource, roomIn, workersOn } from '../../system/needs.ts';
import type { Diagnosis } from './diagnosis.ts';

const LEAST_NODE = 24;

/** What this machine's limits mean for a fleet of so many agents with a connection each. */
export function machineDiagnoses(limits: MachineLimits, agents: number): readonly Diagnosis[] {
  const { fileDescriptors: soft, hardFileDescriptors: hard, localPorts, memoryBytes } = limits;
  return [
    fleetDiagnosis('open files', openFilesText(soft, hard), roomFor('fileDescriptors', soft, agents)),
    fleetDiagnosis('local ports', amountText(localPorts), roomFor('localPorts', localPorts, agents)),
    coresDiagnosis(limits),
    fleetDiagnosis('memory', formatBytes(memoryBytes), roomFor('memoryBytes', memoryBytes, agents)),
  ];
}

export function nodeDiagnosis(version: string): Diagnosis {
  const recent = Number.parseInt(version.replace(/^v/, ''), 10) >= LEAST_NODE;
  return {
    mark: recent ? 'good' : 'caution',
    what: 'Node',
    found: version,
    meaning: `${LEAST_NODE} or newer is needed`,
    remedy: recent ? '' : 'npm ci brings a newer one into the checkout, and npm start and npx muster use it',
  };
}

type Room = Pick<Diagnosis, 'meaning' | 'remedy'> & { readonly enough: boolean };

function fleetDiagnosis(what: string, found: string, { enough, ...rest }: Room): Diagnosis {
  return { mark: enough ? 'good' : 'caution', what, found, ...rest };
}

function roomFor(resource: Resource, available: number | undefined, agents: number): Room {
  const { elsewhere, embedded } = COSTS;
  if (available === undefined) {
    return { enough: true, meaning: `${countText(needed(embedded[resource], agents))} are needed at most`, remedy: '' };
  }
  const text = resource === 'memoryBytes' ? aboutText : fleetText;
  const alone = text(roomIn(available, elsewhere[resource]));
  const together = text(roomIn(available, embedded[resource]));
  const enough = needed(embedded[resource], agents) <= available;
  const place = resource === 'localPorts' ? ' to one address and port of a server' : '';
  return {
    enough,
    meaning: alone === together ? `${alone}${place}` : `${alone}, with the embedded server ${together}`,
    remedy: enough ? '' : REMEDIES[resource],
  };
}

function coresDiagnosis({ cores }: MachineLimits): Diagnosis {
  const [alone, together] = [workersOn(cores, 'elsewhere'), workersOn(cores, 'embedded')];
  return {
    mark: cores > 1 ? 'good' : 'caution',
    what: 'cores',
    found: String(cores),
    meaning: `${alone} worker${alone === 1 ? '' : 's'}, with the embedded server ${together}`,
    remedy: cores > 1 ? '' : 'a second core: on one, the agents and the embedded server slow each other down',
  };
}

function openFilesText(soft: number | undefined, hard: number | undefined): string {
  if (soft === undefined) return amountText(soft);
  return soft === hard ? `${amountText(soft)} soft and hard` : `${amountText(soft)} soft, ${amountText(hard)} hard`;
}

function amountText(amount: number | undefined): string {
  if (amount === undefined) return 'not known';
  return amount === Number.POSITIVE_INFINITY ? 'no limit' : countText(amount);
}

function fleetText(agents: number): string {
  return agents === Number.POSITIVE_INFINITY ? 'any fleet' : `${countText(agents)} agents`;
}

// What an agent takes of memory is itself about so much.
function aboutText(agents: number): string {
  return `about ${fleetText(Number(agents.toPrecision(2)))}`;
}
