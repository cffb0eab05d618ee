/** So many agents' texts are kept: all of a fleet of usual size, and no more than a third of a megabyte. */
const SLOTS = 4096;

/** What a text of an agent is worked out from is small, and the text is wanted at every push: those of late are kept. */
export function recentTexts(textOf: (agent: number) => string): (agent: number) => string {
  const texts: string[] = [];
  /** Of each slot, one above its agent. */
  const agents = new Uint32Array(SLOTS);
  return (agent) => {
    const slot = agent % SLOTS;
    if (agents[slot] !== agent + 1) {
      texts[slot] = textOf(agent);
      agents[slot] = agent + 1;
    }
    return texts[slot] as string;
  };
}
