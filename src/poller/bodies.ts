import type { Address } from '../kernel/address.ts';
import type { AgentDocuments } from '../protocol/agent-files.ts';

/** The body of `POST /autotls`: both certificates in PEM. */
export function certificatesBody(signed: string, ca: string): string {
  return slashesEscaped({ signed, ca });
}

/**
 * The body of `POST /config`, with all three documents: the agent empties a file that is left out. The agent stays where
 * it listens: one text may go to a whole fleet.
 */
export function configurationBody(documents: AgentDocuments, address: Address): string {
  const { customChecks, exporters } = documents;
  const configuration = `${documents.configuration}\n${placeOf(address)}`;
  return slashesEscaped({
    configuration: base64(configuration),
    customcheck_configuration: base64(customChecks),
    prometheus_exporter: base64(exporters),
  });
}

// Of two sections of one name the later keys count.
function placeOf({ host, port }: Address): string {
  return `[default]\naddress = ${host.includes(':') ? `[${host}]` : host}\nport = ${port}\n`;
}

// Both bodies are ASCII without markup, so slashes are all that PHP's encoder writes in another way.
function slashesEscaped(document: Readonly<Record<string, string>>): string {
  return JSON.stringify(document).replaceAll('/', '\\/');
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
