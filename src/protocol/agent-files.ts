import { isUtf8 } from 'node:buffer';

/** What an agent keeps on its disk, by file name (docs/reference/wire.md, "Agent web server"). */
export const AGENT_FILES = [
  ...(['agent.key', 'agent.csr', 'agent.crt', 'server_ca.crt'] as const),
  ...(['config.ini', 'customchecks.ini', 'prometheus_exporters.ini'] as const),
] as const;

export type AgentFile = (typeof AGENT_FILES)[number];

/** The texts of one agent's files, see `fileText`; a file that does not exist is left out. */
export type AgentFileTexts = { readonly [file in AgentFile]?: string };

/** The texts of an agent's configuration: config.ini, customchecks.ini and prometheus_exporters.ini. */
export type AgentDocuments = {
  readonly configuration: string;
  readonly customChecks: string;
  readonly exporters: string;
};

/** A byte that is no text stands as half a surrogate pair, which no text has by itself. */
const HALF_PAIR = 0xdc00;

/** The text of a file that comes back to the byte by `fileBytes`, also where it is not in UTF-8. */
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
