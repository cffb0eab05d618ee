import type { AgentSettings } from '../wire/agent/configuration/settings.ts';

// Requests of the monitoring server's web interface, as its wizard sends them (docs/developers/server.md, "Hosts and assignment").

export type HostFacts = {
  readonly uuid: string;
  readonly hostName: string;
  /** Where the monitoring server finds the host. */
  readonly address: string;
  readonly profile: string;
  readonly role: string;
  readonly listen: string | undefined;
};

export type AgentToProvision = HostFacts & { readonly settings: AgentSettings };

/** IDs and texts of the monitoring server for new hosts. */
export type HostPlace = {
  readonly container: number;
  readonly hostTemplate: number;
  readonly hostGroups: readonly number[];
  readonly tags: readonly string[];
  /** 0: the master. */
  readonly satellite: number;
};

/** A request that changes the server: always a POST. */
export type ChangeRequest = { readonly path: string; readonly body: object };

/** Starts the description of each host that Muster adds; the uuid of its agent follows. */
export const MARK = 'Simulated by Muster: agent ';

/** What the description of a host tells. It proves nothing: the server's "Copy host" copies it. */
export type HostMark = {
  readonly uuid: string;
  /** When the request was made, as Unix ms; `undefined` for hosts that were added by hand from an export. */
  readonly addedMs: number | undefined;
};

const MARKED = new RegExp(`^${MARK}([0-9a-f-]+)(?:, added ([^,]+))?`);

export function hostMarkOf(description: string | null): HostMark | undefined {
  const [, uuid, added] = MARKED.exec(description ?? '') ?? [];
  return uuid === undefined ? undefined : { uuid, addedMs: added === undefined ? undefined : Date.parse(added) };
}

/** The body of a POST to /hosts/add.json; values that it leaves out come from the host template. */
export function hostBody(
  { uuid, hostName, address, profile, role, listen }: HostFacts,
  place: HostPlace,
  addedMs?: number,
) {
  const added = addedMs === undefined ? '' : `, added ${new Date(addedMs).toISOString()}`;
  const listens = listen === undefined ? '' : `, listens at ${listen}`;
  return {
    Host: {
      name: hostName,
      address,
      description: `${MARK}${uuid}${added}, ${profile}, ${role}${listens}`,
      container_id: place.container,
      hosttemplate_id: place.hostTemplate,
      hostgroups: { _ids: place.hostGroups },
      tags: ['muster', ...place.tags].join(','),
      satellite_id: place.satellite,
    },
  };
}

export function addHost(agent: HostFacts, place: HostPlace, addedMs: number): ChangeRequest {
  return { path: '/hosts/add.json', body: hostBody(agent, place, addedMs) };
}

const CONFIGURATION = '/agentconnector/config.json?angular=true';

/** Of a host; the answer contains the host itself. */
export function configurationPath(hostId: number): string {
  return `${CONFIGURATION}&hostId=${hostId}`;
}

/** Stores the agent's configuration at the host; a stored one is replaced. */
export function configure(hostId: number, { settings }: AgentToProvision): ChangeRequest {
  return { path: CONFIGURATION, body: { hostId, config: configurationOf(settings) } };
}

export function assign(hostId: number, agent: { readonly id: number; readonly uuid: string }): ChangeRequest {
  const pushagent = { host_id: hostId, id: agent.id, agent_uuid: agent.uuid };
  return { path: '/agentconnector/select_agent.json?angular=true', body: { pushagent } };
}

export function servicesPath(hostId: number): string {
  return `/agentconnector/create_services.json?angular=true&hostId=${hostId}`;
}

export function createServices(hostId: number, services: readonly object[]): ChangeRequest {
  return { path: servicesPath(hostId), body: { services } };
}

/** Also deletes the host's services and its agent configuration. */
export function deleteHost(hostId: number): ChangeRequest {
  return { path: `/hosts/delete/${hostId}.json?angular=true`, body: {} };
}

export function deletePushAgent(id: number): ChangeRequest {
  return { path: `/agentconnector/delete_push_agent/${id}.json?angular=true`, body: {} };
}

/** The server requires a key of a push agent and shows it to its users, but only writes it into a `config.ini`: the agent's stays out. */
const NO_KEY = '-';

/** Members that the server requires or uses, within its limits; it completes the others. */
function configurationOf({ push, basicAuth, ...settings }: AgentSettings) {
  const hasOwnCertificate = settings.ownCertificate !== undefined;
  return {
    string: {
      bind_address: settings.address || '0.0.0.0',
      username: basicAuth?.user ?? '',
      password: basicAuth?.password ?? '',
      push_oitc_server_url: push?.url ?? '',
      push_oitc_api_key: push === undefined ? '' : NO_KEY,
      push_proxy_address: push?.proxy ?? '',
      ssl_certfile: settings.ownCertificate?.certFile ?? '',
      ssl_keyfile: settings.ownCertificate?.keyFile ?? '',
      tls_security_level: settings.tlsLevel,
    },
    bool: {
      enable_push_mode: push !== undefined,
      use_proxy: false,
      enable_remote_config_update: settings.configPush,
      use_http_basic_auth: basicAuth !== undefined,
      push_verify_server_certificate: push?.verifyServerCertificate ?? false,
      push_enable_webserver: push !== undefined && settings.webServer,
      push_webserver_use_https: hasOwnCertificate,
      use_autossl: settings.autoTls,
      use_https: !settings.autoTls && hasOwnCertificate,
      use_https_verify: false,
    },
    int: {
      bind_port: settings.port,
      check_interval: Math.min(7200, Math.max(1, Math.round(settings.intervalSeconds))),
      push_timeout: Math.min(40, Math.max(1, push?.timeoutSeconds ?? 1)),
    },
  };
}
