import { uuidOf, uuidWord } from './identity.ts';

const FIRST_WORD_DIGITS = 8;

/**
 * Finds agents by their uuids, in a table of 8 to 16 bytes per agent: a map of the texts would take ten times as much.
 * `agentAt` says which agents there are, by their place.
 *
 * @returns the place of the agent of a uuid; undefined for a uuid of nobody.
 */
export function createAgentFinder(
  seed: number,
  count: number,
  agentAt: (place: number) => number,
): (uuid: string) => number | undefined {
  // One above the place of an agent, at the first word of its uuid or as soon after it as is free.
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * count + 1)));
  const mask = slots.length - 1;
  for (let place = 0; place < count; place++) {
    let slot = uuidWord(seed, agentAt(place), 0) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = place + 1;
  }
  return (uuid) => {
    let slot = Number.parseInt(uuid.slice(0, FIRST_WORD_DIGITS), 16) & mask;
    for (;;) {
      const place = (slots[slot] as number) - 1;
      if (place < 0) return undefined;
      if (uuidOf(seed, agentAt(place)) === uuid) return place;
      slot = (slot + 1) & mask;
    }
  };
}
