import type { AgentDocuments, AgentFileTexts } from '../../protocol/agent-files.ts';
import { readSettings, type SettingsRead } from './read-settings.ts';
import type { AgentSettings } from './settings.ts';

/** The documents that somebody has pushed to an agent; undefined: nobody has. A file that is missing counts as empty. */
export function storedDocuments(files: AgentFileTexts): AgentDocuments | undefined {
  const configuration = files['config.ini'];
  if (configuration === undefined) return undefined;
  const { 'customchecks.ini': customChecks = '', 'prometheus_exporters.ini': exporters = '' } = files;
  return { configuration, customChecks, exporters };
}

/** What an agent with these files starts with; without documents with its first settings. */
export function settingsFrom(files: AgentFileTexts, first: AgentSettings): SettingsRead {
  const documents = storedDocuments(files);
  return documents === undefined ? { kind: 'settings', settings: first, ignored: [] } : readSettings(documents);
}

export function filesOf({ configuration, customChecks, exporters }: AgentDocuments): AgentFileTexts {
  return { 'config.ini': configuration, 'customchecks.ini': customChecks, 'prometheus_exporters.ini': exporters };
}
