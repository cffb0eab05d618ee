import { X509Certificate } from 'node:crypto';
import { openAgentFiles } from '../../base/storage/agent-files.ts';
import { type HostFacts, type HostPlace, hostBody } from '../../provisioning/requests.ts';
import type { AgentSummary } from '../../staging/control-api/schemas.ts';
import type { ExportFormat } from '../commands/ctl.ts';

/** Where the hosts go on the monitoring server, and whether it polls their agents. */
export type ImportPlace = HostPlace & { readonly isPull: boolean };

/** An agent with the SHA-256 fingerprint of its certificate; `null` if it has none or it is unknown. */
export type KnownAgent = AgentSummary & { readonly certificateFingerprint: string | null };

/** Adds the certificates from the agents' files, if these are on this machine. */
export function withFingerprints(
  agents: readonly AgentSummary[],
  identities: string | undefined,
): readonly KnownAgent[] {
  const listeners = agents.filter(({ listen }) => listen !== null).map(({ host }) => host);
  const files = identities === undefined ? undefined : openAgentFiles(identities).loadAll(listeners);
  return agents.map((agent) => {
    const certificate = files?.get(agent.host)?.['agent.crt'];
    return { ...agent, certificateFingerprint: certificate === undefined ? null : fingerprintOf(certificate) };
  });
}

function fingerprintOf(certificate: string): string | null {
  try {
    return new X509Certificate(certificate).fingerprint256;
  } catch {
    // The file may contain anything.
    return null;
  }
}

/** Formats agents for export; the text ends in a line break. */
export function exportText(agents: readonly KnownAgent[], format: ExportFormat, place: ImportPlace): string {
  switch (format) {
    case 'csv':
      return [HEAD, ...agents.map(rowOf)].map((line) => `${line}\n`).join('');
    case 'json':
      return `${JSON.stringify(agents.map(hostOf), null, 2)}\n`;
    case 'openitcockpit':
      return agents.map((agent) => `${JSON.stringify(hostBody(factsOf(agent, place.isPull), place))}\n`).join('');
  }
}

const HEAD = 'index,host,address,listenAddress,listenPort,uuid,group,profile,role,certificateFingerprint';

function hostOf({ index, host, address, listen, uuid, ...agent }: KnownAgent) {
  const [, listenAddress = null, port] = /^\[?(.*?)\]?:(\d+)$/.exec(listen ?? '') ?? [];
  const listenPort = port === undefined ? null : Number(port);
  const { group: named, profile, role, certificateFingerprint } = agent;
  const group = named ?? null;
  return { index, host, address, listenAddress, listenPort, uuid, group, profile, role, certificateFingerprint };
}

function rowOf(agent: KnownAgent): string {
  const cells = Object.values(hostOf(agent)).map((value) => csvCell(String(value ?? '')));
  return cells.join(',');
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What a host of the monitoring server tells about the agent. Only in pull mode does the server connect to it. */
function factsOf(agent: KnownAgent, isPull: boolean): HostFacts {
  const { host: hostName, address, uuid, profile, role, listen } = agent;
  return {
    hostName,
    uuid,
    profile,
    role,
    listen: listen ?? undefined,
    address: isPull ? (hostOf(agent).listenAddress ?? address) : address,
  };
}
