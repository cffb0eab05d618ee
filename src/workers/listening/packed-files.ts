import type { AgentFile, AgentFileTexts } from '../../protocol/agent-files.ts';

/**
 * Files of many agents, each text once: agents share keys, authorities and configurations, and a message between threads
 * would copy every mention of a text.
 */
export type PackedFiles = {
  readonly texts: readonly string[];
  /** By the agent's number; a file is its name and the place of its text. */
  readonly agents: readonly (readonly [agent: number, files: readonly (readonly [file: AgentFile, text: number])[]])[];
};

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
