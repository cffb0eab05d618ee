import { UserError } from '../../kernel/errors.ts';
import type { AgentFileTexts } from '../../protocol/agent-files.ts';
import { type TlsSettings, tlsModeOf } from './tls-mode.ts';

/** An agent before the start of a run. */
export type StoredAgent = {
  readonly hostName: string;
  readonly settings: TlsSettings;
  readonly files: AgentFileTexts;
};

/**
 * Holds what an earlier run left against what TLS needs, so that no agent is down from the first second because of a
 * damaged file. Throws `UserError` that names the first agent at fault; `where` says where its file is.
 */
export function assertStoredTls(
  agents: Iterable<StoredAgent>,
  read: (file: string) => string | undefined,
  where: (hostName: string, file: string) => string,
): void {
  for (const { hostName, settings, files } of agents) {
    const mode = tlsModeOf(settings, files, read);
    if (mode.kind !== 'death') continue;
    throw new UserError(
      `Agent ${hostName} cannot start with what is stored in ${where(hostName, mode.file)}: ${mode.reason} Restore the file, or delete agent.crt and server_ca.crt there (agent.key too if it is the key) so that certificates are exchanged anew.`,
    );
  }
}
