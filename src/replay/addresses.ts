/** Numbers addresses in the order of their first use, and remembers none of them. */
export type AddressNumbers = {
  /** The number of the address in the bytes between two places. */
  readonly numberOf: (bytes: Uint8Array, from: number, to: number) => number;
  readonly count: () => number;
};

const [PRIME, OTHER_PRIME, BASIS] = [16_777_619, 0x5b_d1_e9_95, 0x81_1c_9d_c5];

/** Addresses are told apart by 64 bits: that two of a million look the same has a probability below one in ten million. */
export function createAddressNumbers(): AddressNumbers {
  let mask = 0xffff;
  // Pairs: 32 bits of an address, and its number plus one. The other 32 bits tell its place.
  let slots = new Uint32Array(2 * (mask + 1));
  let firsts = new Uint32Array(mask + 1);
  let count = 0;
  const grow = (): void => {
    const [oldSlots, oldFirsts] = [slots, firsts];
    mask = 2 * mask + 1;
    slots = new Uint32Array(2 * (mask + 1));
    firsts = new Uint32Array(mask + 1);
    for (let old = 0; old < oldFirsts.length; old++) {
      if (oldSlots[2 * old + 1] === 0) continue;
      let slot = (oldFirsts[old] as number) & mask;
      while (slots[2 * slot + 1] !== 0) slot = (slot + 1) & mask;
      slots[2 * slot] = oldSlots[2 * old] as number;
      slots[2 * slot + 1] = oldSlots[2 * old + 1] as number;
      firsts[slot] = oldFirsts[old] as number;
    }
  };
  return {
    numberOf: (bytes, from, to) => {
      let first = BASIS;
      let second = to - from;
      for (let place = from; place < to; place++) {
        const byte = bytes[place] as number;
        first = Math.imul(first ^ byte, PRIME);
        second = Math.imul(second ^ byte, OTHER_PRIME) ^ (second >>> 15);
      }
      first >>>= 0;
      second >>>= 0;
      let slot = first & mask;
      for (; ; slot = (slot + 1) & mask) {
        const number = slots[2 * slot + 1] as number;
        if (number === 0) break;
        if (slots[2 * slot] === second && firsts[slot] === first) return number - 1;
      }
      slots[2 * slot] = second;
      slots[2 * slot + 1] = ++count;
      firsts[slot] = first;
      if (count * 2 > mask) grow();
      return count - 1;
    },
    count: () => count,
  };
}
