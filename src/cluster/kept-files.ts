import { isAgentFile } from '../base/protocol/agent-files.ts';
import { type AgentFiles, type AgentFilesEntry, ephemeralAgentFiles } from '../base/storage/agent-files.ts';
import type { Bucket } from './bucket.ts';

/**
 * The files of the listening agents of a fleet, in an entry each, `HOST/FILE`. Reads those of these hosts once; each machine makes its own
 * keys.
 */
export async function openKeptFiles(bucket: Bucket, hostNames: ReadonlySet<string>): Promise<AgentFiles> {
  const found = new Map<string, AgentFilesEntry['files']>();
  for (const entry of await bucket.entries()) {
    const [hostName = '', file = ''] = entry.key.split('/');
    if (!hostNames.has(hostName) || !isAgentFile(file)) continue;
    if (typeof entry.value === 'string') found.set(hostName, { ...found.get(hostName), [file]: entry.value });
  }
  return {
    ...ephemeralAgentFiles(),
    loadAll: () => found,
    save: async (entries) => {
      const files = entries.flatMap(({ hostName, files }) =>
        Object.entries(files).map(([file, text]) => ({ key: `${hostName}/${file}`, text })),
      );
      await Promise.all(files.map(({ key, text }) => bucket.put(key, text)));
    },
    where: (hostName, file) => `NATS, ${hostName}/${file}`,
  };
}
