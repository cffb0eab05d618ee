import type { AgentFile, AgentFileTexts } from '../../base/protocol/agent-files.ts';
import { batchPerTurn } from '../../base/runtime/event-loop.ts';
import type { FilesStored, PackedFiles, ShardFiles } from '../messages.ts';

const NO_FILES: AgentFileTexts = {};

/** Files on the disks of a shard's agents, by number in the shard. */
export type Disks = ReturnType<typeof createDisks>;

/**
 * @param send asks the control plane to make files durable; `undefined` if files are not kept after the run.
 * @param mostCharacters limit for all texts together; files beyond it are not stored.
 */
export function createDisks(
  known: PackedFiles,
  send: ((writes: readonly ShardFiles[]) => void) | undefined,
  mostCharacters = Number.POSITIVE_INFINITY,
) {
  const disks = new Map(unpackFiles(known));
  const texts = createTexts();
  for (const files of disks.values()) texts.take(files);
  const waiting = new Map<number, PromiseWithResolvers<void> & { readonly agent: number }>();
  const sendWrite = send && batchPerTurn(send);
  let lastWrite = 0;
  return {
    filesOf: (agent: number): AgentFileTexts => disks.get(agent) ?? NO_FILES,
    agents: (): readonly number[] => [...disks.keys()],
    /** Resolves when the files are durable, if they must be. Rejects if they cannot be stored. */
    store: async (agent: number, changed: AgentFileTexts): Promise<void> => {
      const files = texts.take(changed);
      try {
        if (texts.characters() > mostCharacters) throw new Error('no more room for files of the agents of this run');
        if (sendWrite !== undefined) {
          const answered = Promise.withResolvers<void>();
          const write = ++lastWrite;
          waiting.set(write, { ...answered, agent });
          sendWrite({ write, agent, files });
          await answered.promise;
        }
      } catch (error) {
        texts.drop(files);
        throw error;
      }
      const before = disks.get(agent) ?? NO_FILES;
      texts.drop(Object.fromEntries(Object.entries(before).filter(([file]) => file in files)));
      disks.set(agent, { ...before, ...files });
    },
    /** Whether the control plane has not yet answered a write. */
    isStoring: (agent: number): boolean => [...waiting.values()].some((one) => one.agent === agent),
    /** Call with each answer of the control plane. */
    stored: ({ writes, problem }: FilesStored) => {
      for (const write of writes) {
        if (problem === undefined) waiting.get(write)?.resolve();
        else waiting.get(write)?.reject(new Error(problem));
        waiting.delete(write);
      }
    },
  };
}

/** Agents share the same authority and usually the same configuration. Equal texts are stored, and counted, once. */
function createTexts() {
  const users = new Map<string, { readonly text: string; count: number }>();
  let characters = 0;
  const takeText = (text: string): string => {
    const known = users.get(text) ?? { text, count: 0 };
    if (known.count === 0) {
      users.set(text, known);
      characters += text.length;
    }
    known.count++;
    return known.text;
  };
  return {
    characters: () => characters,
    take: (files: AgentFileTexts): AgentFileTexts =>
      Object.fromEntries(Object.entries(files).map(([file, text]) => [file, takeText(text)])),
    drop: (files: AgentFileTexts): void => {
      for (const text of Object.values(files)) {
        const known = users.get(text);
        if (known === undefined || --known.count > 0) continue;
        users.delete(text);
        characters -= text.length;
      }
    },
  };
}

export function packFiles(agents: Iterable<readonly [agent: number, files: AgentFileTexts]>): PackedFiles {
  const indices = new Map<string, number>();
  const indexOf = (text: string): number => {
    const index = indices.get(text) ?? indices.size;
    indices.set(text, index);
    return index;
  };
  const packed = Array.from(agents, ([agent, files]) => {
    const entries = Object.entries(files) as [AgentFile, string][];
    return [agent, entries.map(([file, text]) => [file, indexOf(text)] as const)] as const;
  });
  return { texts: [...indices.keys()], agents: packed };
}

export function* unpackFiles({ texts, agents }: PackedFiles): Iterable<readonly [agent: number, AgentFileTexts]> {
  for (const [agent, files] of agents) {
    yield [agent, Object.fromEntries(files.map(([file, text]) => [file, texts[text]]))];
  }
}
