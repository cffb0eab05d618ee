const [PRIME, OTHER_PRIME, BASIS] = [16_777_619, 0x5b_d1_e9_95, 0x81_1c_9d_c5];

/** Numbers of a slot: two hashes of an address, its number plus one (0: the slot is free), and nothing, so that it is in one cache line. */
const SLOT = 4;

/**
 * Numbers addresses in the order of their first use, and remembers none of them: they are distinguished by 64 bits. That two of a million
 * look the same has a probability below one in ten million.
 */
export function createAddressNumbers() {
  let mask = 0xffff;
  let slots = new Uint32Array(SLOT * (mask + 1));
  let count = 0;
  /** Where the address is, or the free slot where it belongs. */
  const slotOffset = (first: number, second: number): number => {
    let slot = first & mask;
    for (; ; slot = (slot + 1) & mask) {
      const offset = slot * SLOT;
      if (slots[offset + 2] === 0 || (slots[offset] === first && slots[offset + 1] === second)) return offset;
    }
  };
  const grow = (): void => {
    const old = slots;
    mask = 2 * mask + 1;
    slots = new Uint32Array(SLOT * (mask + 1));
    for (let from = 0; from < old.length; from += SLOT) {
      const used = old.subarray(from, from + SLOT);
      if (used[2] !== 0) slots.set(used, slotOffset(used[0] as number, used[1] as number));
    }
  };
  return {
    /** The number of the address in the bytes between two offsets. */
    numberOf: (bytes: Uint8Array, from: number, to: number): number => {
      let first = BASIS;
      let second = to - from;
      for (let at = from; at < to; at++) {
        const byte = bytes[at] as number;
        first = Math.imul(first ^ byte, PRIME);
        second = Math.imul(second ^ byte, OTHER_PRIME) ^ (second >>> 15);
      }
      first >>>= 0;
      second >>>= 0;
      const offset = slotOffset(first, second);
      const number = slots[offset + 2] as number;
      if (number > 0) return number - 1;
      slots[offset] = first;
      slots[offset + 1] = second;
      slots[offset + 2] = ++count;
      if (count * 2 > mask) grow();
      return count - 1;
    },
  };
}
