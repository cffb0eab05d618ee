/** What a simulated agent's `config.ini` says of the agent. */
export type AgentConfiguration = {
  readonly intervalSeconds: number;
  /** Base URL of the monitoring server. */
  readonly serverUrl: string;
  readonly apiKey: string;
  readonly timeoutSeconds: number;
  readonly verifyServerCertificate: boolean;
};

/**
 * The agent's `config.ini` in push mode (docs/protocol.md, "Configuration and reload"), as short as it can be: what it does
 * not say has the agent's default.
 */
export function formatConfiguration(configuration: AgentConfiguration): string {
  const { intervalSeconds, serverUrl, apiKey, timeoutSeconds, verifyServerCertificate } = configuration;
  return `[default]
interval = ${intervalSeconds}

[oitc]
enabled = True
url = ${protectedValue(serverUrl)}
apikey = ${protectedValue(apiKey)}
timeout = ${timeoutSeconds}
verify-server-certificate = ${verifyServerCertificate ? 'True' : 'False'}
enable-webserver = False
`;
}

// In the agent's INI files these two start a comment anywhere in a value; only backquotes keep them.
function protectedValue(value: string): string {
  return /[#;]/.test(value) ? `\`${value}\`` : value;
}
