/*
 * The first two draws of the Mersenne Twister (MT19937), faker's random number generator, for a given seed. Faker generates all 624
 * words for each seed, which took most of the time of generating a host name.
 */

const WORDS = 624;
const MIDDLE = 397;
const TWIST = 0x9908b0df;
const state = new Int32Array(WORDS);

/** The first two values in [0, 1) for a 32-bit seed, with 53 bits each. */
export function firstDraws(seed32: number): readonly [number, number] {
  // An output word depends on three words of the state. The last of them is `MIDDLE` words later.
  state[0] = seed32;
  for (let n = 1; n <= MIDDLE + 3; n++) {
    const before = state[n - 1] as number;
    state[n] = Math.imul(1_812_433_253, before ^ (before >>> 30)) + n;
  }
  return [draw(0), draw(2)];
}

function draw(place: number): number {
  const high = word(place) >>> 5;
  const low = word(place + 1) >>> 6;
  return (high * 0x400_0000 + low) / 0x20_0000_0000_0000;
}

function word(n: number): number {
  const mixed = ((state[n] as number) & 0x8000_0000) | ((state[n + 1] as number) & 0x7fff_ffff);
  let value = (state[n + MIDDLE] as number) ^ (mixed >>> 1) ^ ((mixed & 1) === 0 ? 0 : TWIST);
  value ^= value >>> 11;
  value ^= (value << 7) & 0x9d2c_5680;
  value ^= (value << 15) & 0xefc6_0000;
  return (value ^ (value >>> 18)) >>> 0;
}
