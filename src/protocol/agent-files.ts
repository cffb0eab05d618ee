/** What an agent keeps on its disk, by file name (docs/protocol.md, "Agent web server"). */
export const AGENT_FILES = [
  ...(['agent.key', 'agent.csr', 'agent.crt', 'server_ca.crt'] as const),
  ...(['config.ini', 'customchecks.ini', 'prometheus_exporters.ini'] as const),
] as const;

export type AgentFile = (typeof AGENT_FILES)[number];

/** The texts of one agent's files; a file that does not exist is left out. */
export type AgentFileTexts = { readonly [file in AgentFile]?: string };

/** The texts of an agent's configuration: config.ini, customchecks.ini and prometheus_exporters.ini. */
export type AgentDocuments = {
  readonly configuration: string;
  readonly customChecks: string;
  readonly exporters: string;
};
