import type { AgentSummary } from '../../control-api/schemas.ts';

export const EXPORT_FORMATS = ['csv', 'json', 'openitcockpit'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Ids of the monitoring server, where hosts are to be put. */
export type ImportPlace = { readonly container: number; readonly hostTemplate: number };

/** Agents for whoever has to know them, as text that ends in a line break. */
export function exported(agents: readonly AgentSummary[], format: ExportFormat, place: ImportPlace): string {
  switch (format) {
    case 'csv':
      return [HEAD, ...agents.map(cellsOf)].map((cells) => `${cells.map(csvCell).join(',')}\n`).join('');
    case 'json':
      return `${JSON.stringify(agents.map(hostOf), null, 2)}\n`;
    case 'openitcockpit':
      return agents.map((agent) => `${JSON.stringify(importBody(agent, place))}\n`).join('');
  }
}

const HEAD = ['index', 'host', 'address', 'listenAddress', 'listenPort', 'uuid', 'profile', 'role'];

function hostOf({ index, host, address, listen, uuid, profile, role }: AgentSummary) {
  const [, listenAddress = null, port] = /^\[?(.*?)\]?:(\d+)$/.exec(listen ?? '') ?? [];
  return {
    index,
    host,
    address,
    listenAddress,
    listenPort: port === undefined ? null : Number(port),
    uuid,
    profile,
    role,
  };
}

function cellsOf(agent: AgentSummary): readonly string[] {
  return Object.values(hostOf(agent)).map((value) => String(value ?? ''));
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * The body of a POST to /hosts/add.json, with the members that https://docs.openitcockpit.io/en/development/api documents. Which
 * agent belongs to a host is said in its web interface: no API of that is documented.
 */
function importBody({ host, address, listen, uuid, profile, role }: AgentSummary, place: ImportPlace) {
  return {
    Host: {
      name: host,
      address: hostOf({ host, address, listen, uuid, profile, role } as AgentSummary).listenAddress ?? address,
      description: `${profile}, ${role}, agent ${uuid}`,
      container_id: place.container,
      hosttemplate_id: place.hostTemplate,
      ...{ notification_interval: null, check_interval: null, retry_interval: null },
      Hostgroup: [],
    },
  };
}
