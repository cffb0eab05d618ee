import type { AgentDocuments, AgentFileTexts } from '../../protocol/agent-files.ts';

/** Whether somebody has pushed a configuration to the agent. */
export function hasDocuments(files: AgentFileTexts): boolean {
  return files['config.ini'] !== undefined;
}

/** A file that is missing counts as empty, as for the real agent. */
export function documentsOf(files: AgentFileTexts): AgentDocuments {
  return {
    configuration: files['config.ini'] ?? '',
    customChecks: files['customchecks.ini'] ?? '',
    exporters: files['prometheus_exporters.ini'] ?? '',
  };
}

export function filesOf({ configuration, customChecks, exporters }: AgentDocuments): AgentFileTexts {
  return { 'config.ini': configuration, 'customchecks.ini': customChecks, 'prometheus_exporters.ini': exporters };
}
