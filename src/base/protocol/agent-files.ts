import { isUtf8 } from 'node:buffer';

/** Files that an agent keeps on disk (docs/reference/agent-web-server.md, "Agent web server"). */
export const AGENT_FILES = [
  ...(['agent.key', 'agent.csr', 'agent.crt', 'server_ca.crt'] as const),
  ...(['config.ini', 'customchecks.ini', 'prometheus_exporters.ini'] as const),
] as const;

export type AgentFile = (typeof AGENT_FILES)[number];

export function isAgentFile(name: string): name is AgentFile {
  return AGENT_FILES.some((file) => file === name);
}

/** Contents of one agent's files, see `fileText`; missing files are omitted. */
export type AgentFileTexts = { readonly [file in AgentFile]?: string };

/** Contents of an agent's configuration files: config.ini, customchecks.ini and prometheus_exporters.ini. */
export type AgentDocuments = {
  readonly configuration: string;
  readonly customChecks: string;
  readonly exporters: string;
};

/** A byte that is not UTF-8 text is encoded as a lone surrogate, which valid text never contains. */
const HALF_PAIR = 0xdc00;

/** Decodes a file so that `fileBytes` restores every byte, even if the file is not UTF-8. */
export function fileText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  return bytes
    .toString('latin1')
    .replace(/[\x80-\xff]/g, (byte) => String.fromCharCode(HALF_PAIR + byte.charCodeAt(0)));
}

export function fileBytes(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  const bytes = text.replace(/[\udc80-\udcff]/g, (half) => String.fromCharCode(half.charCodeAt(0) - HALF_PAIR));
  return Buffer.from(bytes, 'latin1');
}
