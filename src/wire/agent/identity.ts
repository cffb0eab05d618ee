import { hash32, shuffled } from '../../base/kernel/random.ts';
import type { FleetHostNames } from '../../hosts/host/profile.ts';

/** An agent's identity on the wire: a function of the fleet's seed and the agent's index. */
export type Identity = {
  /** Version 4, lower case. */
  readonly uuid: string;
  readonly hostName: string;
  /** IPv4 address in 10.0.0.0/8. */
  readonly address: string;
};

export function identityOf(seed: number, agent: number): Identity {
  return { uuid: uuidOf(seed, agent), hostName: hostNameOf(seed, agent), address: addressOf(seed, agent) };
}

const BYTES = Buffer.alloc(16);

/** Returns only the agent's uuid: cheap enough for a loop over the whole fleet. */
export function uuidOf(seed: number, agent: number): string {
  return uuidFrom((word) => uuidWord(seed, agent, word));
}

/** Inputs that distinguish the identities of one agent: the number of the renewal, and another random source. */
type Renewal = { readonly drawnFrom: number; readonly renewal: number };

/** The uuid that an agent generates when its own is lost. */
export function renewedUuid(seed: number, agent: number, { drawnFrom, renewal }: Renewal): string {
  return uuidFrom((word) => hash32(seed, 'renewed uuid', agent, renewal, drawnFrom, word));
}

function uuidFrom(wordAt: (word: number) => number): string {
  for (let word = 0; word < 4; word++) BYTES.writeUInt32BE(wordAt(word), 4 * word);
  BYTES.writeUInt8((BYTES.readUInt8(6) & 0x0f) | 0x40, 6);
  BYTES.writeUInt8((BYTES.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = BYTES.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** One of the four words of a uuid. The first word appears in the uuid unchanged. */
function uuidWord(seed: number, agent: number, word: number): number {
  return hash32(seed, 'uuid', agent, word);
}

/** More than the largest fleet, so no two agents share one. */
const INVENTORY_NUMBERS = 36 ** 5;

/** A readable host name, generated as faker would from this seed. The inventory number at its end makes it unique in the fleet. */
export function hostNameOf(seed: number, agent: number): string {
  const { words, countries, of } = hostNamesOf(seed);
  const [word, country, number] = of(agent);
  return `${words[word]}-${countries[country]}-${number.toString(36).padStart(5, '0')}`;
}

// In faker's order. Loading faker for two lists took a third of the time to load a shard.
const WORDS = `
  alarm application array bandwidth bus capacitor card circuit driver feed firewall hard-drive interface matrix microchip monitor panel pixel
  port program protocol sensor system transmitter`
  .trim()
  .split(/\s+/);
const COUNTRY_CODES = `
  ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bv bw by bz ca cc cd cf cg ch ci ck cl cm
  cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg eh er es et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy
  hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf
  mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re
  ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug um us uy uz
  va vc ve vg vi vn vu wf ws ye yt za zm zw`
  .trim()
  .split(/\s+/);

/** The parts of these names, for documents that contain them. */
export function hostNamesOf(seed: number): FleetHostNames {
  return {
    words: WORDS,
    countries: COUNTRY_CODES,
    of(agent) {
      const [forWord, forCountry] = firstDraws(hash32(seed, 'host name', agent));
      const number = shuffled(seed, 'inventory number', INVENTORY_NUMBERS)(agent);
      return [Math.floor(forWord * WORDS.length), Math.floor(forCountry * COUNTRY_CODES.length), number];
    },
  };
}

// A site has sixteen networks of 254 hosts. 10.0.0.0/8 has room for 4096 sites, which is more than the largest fleet needs.
const SITES = 4096;
const NETWORKS = 16;
const HOSTS = 254;

/** Scatters agents over the networks of a site, like hosts that received their addresses one by one over the years. */
function addressOf(seed: number, agent: number): string {
  const site = shuffled(seed, 'site', SITES)(Math.floor(agent / (NETWORKS * HOSTS)));
  const host = shuffled(seed, 'address', NETWORKS * HOSTS)(agent % (NETWORKS * HOSTS));
  const network = site * NETWORKS + Math.floor(host / HOSTS);
  return `10.${network >>> 8}.${network & 0xff}.${1 + (host % HOSTS)}`;
}

const FIRST_WORD_DIGITS = 8;

/**
 * Finds agents by uuid in a table of 8 to 16 bytes per agent; a map of strings would take ten times as much.
 *
 * @param agentAt index in the fleet of the n-th of these agents.
 * @returns a function from uuid to `n`; `undefined` for an unknown uuid.
 */
export function createAgentFinder(
  seed: number,
  count: number,
  agentAt: (n: number) => number,
): (uuid: string) => number | undefined {
  // `n` plus one, in the slot of the uuid's first word or in the next free one.
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * count + 1)));
  const mask = slots.length - 1;
  for (let n = 0; n < count; n++) {
    let slot = uuidWord(seed, agentAt(n), 0) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = n + 1;
  }
  return (uuid) => {
    let slot = Number.parseInt(uuid.slice(0, FIRST_WORD_DIGITS), 16) & mask;
    for (;;) {
      const n = (slots[slot] as number) - 1;
      if (n < 0) return undefined;
      if (uuidOf(seed, agentAt(n)) === uuid) return n;
      slot = (slot + 1) & mask;
    }
  };
}

/*
 * The first two draws of the Mersenne Twister (MT19937), faker's random number generator, for a given seed. Faker generates all 624
 * words for each seed, which took most of the time of generating a host name.
 */

const STATE_WORDS = 624;
const MIDDLE = 397;
const TWIST = 0x9908b0df;
const state = new Int32Array(STATE_WORDS);

/** The first two values in [0, 1) for a 32-bit seed, with 53 bits each. */
function firstDraws(seed32: number): readonly [number, number] {
  // An output word depends on three words of the state. The last of them is `MIDDLE` words later.
  state[0] = seed32;
  for (let n = 1; n <= MIDDLE + 3; n++) {
    const before = state[n - 1] as number;
    state[n] = Math.imul(1_812_433_253, before ^ (before >>> 30)) + n;
  }
  return [draw(0), draw(2)];
}

function draw(n: number): number {
  const high = word(n) >>> 5;
  const low = word(n + 1) >>> 6;
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
