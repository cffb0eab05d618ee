import type { AgentDocuments } from '../protocol/agent-files.ts';

/** The body of `POST /autotls`: both certificates in PEM. */
export function certificatesBody(signed: string, ca: string): string {
  return slashesEscaped({ signed, ca });
}

/** The body of `POST /config`, with all three documents: the agent empties a file that is left out. */
export function configurationBody({ configuration, customChecks, exporters }: AgentDocuments): string {
  return slashesEscaped({
    configuration: base64(configuration),
    customcheck_configuration: base64(customChecks),
    prometheus_exporter: base64(exporters),
  });
}

// Both bodies are ASCII without markup, so slashes are all that PHP's encoder writes in another way.
function slashesEscaped(document: Readonly<Record<string, string>>): string {
  return JSON.stringify(document).replaceAll('/', '\\/');
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
