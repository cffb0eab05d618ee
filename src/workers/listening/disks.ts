import { memoized } from '../../kernel/memoize.ts';
import type { AgentFile, AgentFileTexts } from '../../protocol/agent-files.ts';
import { batchPerTurn } from '../../runtime/event-loop.ts';
import type { FilesStored, PackedFiles, ShardFiles } from '../messages.ts';

/** What the agents of a shard keep on their disks, by their number in the shard. */
export type Disks = {
  readonly filesOf: (agent: number) => AgentFileTexts;
  /** Those that have files. */
  readonly agents: () => readonly number[];
  /** Resolves when the files would outlive a crash, if they are to; rejects if they cannot be stored. */
  readonly store: (agent: number, files: AgentFileTexts) => Promise<void>;
  /** The control plane has answered. */
  readonly stored: (answer: FilesStored) => void;
};

const NO_FILES: AgentFileTexts = {};

// Agents have the same authority, and as a rule the same configuration: of equal texts one is kept.
const shared = memoized(256, (text) => text);

function sharing(files: AgentFileTexts): AgentFileTexts {
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [file, shared(text)]));
}

/** `send`: the control plane makes them durable; undefined: nobody remembers them after the run. */
export function createDisks(known: PackedFiles, send: ((writes: readonly ShardFiles[]) => void) | undefined): Disks {
  const disks = new Map(unpackFiles(known));
  const waiting = new Map<number, PromiseWithResolvers<void>>();
  const hand = send && batchPerTurn(send);
  let lastWrite = 0;
  return {
    filesOf: (agent) => disks.get(agent) ?? NO_FILES,
    agents: () => [...disks.keys()],
    store: async (agent, files) => {
      if (hand !== undefined) {
        const answered = Promise.withResolvers<void>();
        const write = ++lastWrite;
        waiting.set(write, answered);
        hand({ write, agent, files });
        await answered.promise;
      }
      disks.set(agent, { ...disks.get(agent), ...sharing(files) });
    },
    stored: ({ writes, problem }) => {
      for (const write of writes) {
        if (problem === undefined) waiting.get(write)?.resolve();
        else waiting.get(write)?.reject(new Error(problem));
        waiting.delete(write);
      }
    },
  };
}

export function packFiles(agents: Iterable<readonly [agent: number, files: AgentFileTexts]>): PackedFiles {
  const places = new Map<string, number>();
  const placeOf = (text: string): number => {
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return place;
  };
  const packed = Array.from(agents, ([agent, files]) => {
    const entries = Object.entries(files) as [AgentFile, string][];
    return [agent, entries.map(([file, text]) => [file, placeOf(text)] as const)] as const;
  });
  return { texts: [...places.keys()], agents: packed };
}

export function* unpackFiles({ texts, agents }: PackedFiles): Iterable<readonly [agent: number, AgentFileTexts]> {
  for (const [agent, files] of agents) {
    yield [agent, Object.fromEntries(files.map(([file, text]) => [file, texts[text]]))];
  }
}
