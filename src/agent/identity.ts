import { faker } from '@faker-js/faker/locale/en';
import { hash32 } from '../kernel/random.ts';

/** Who an agent is on the wire; a function of the fleet's seed and the agent's index. */
export type Identity = {
  /** Version 4 form, lower case. */
  readonly uuid: string;
  readonly hostName: string;
  /** IPv4 address in 10.0.0.0/8. */
  readonly address: string;
};

export function identityOf(seed: number, agent: number): Identity {
  return { uuid: uuidOf(seed, agent), hostName: hostNameOf(seed, agent), address: addressOf(seed, agent) };
}

const BYTES = Buffer.alloc(16);

/** The agent's uuid alone: cheap enough for a loop over the whole fleet. */
export function uuidOf(seed: number, agent: number): string {
  for (let word = 0; word < 4; word++) BYTES.writeUInt32BE(uuidWord(seed, agent, word), 4 * word);
  BYTES.writeUInt8((BYTES.readUInt8(6) & 0x0f) | 0x40, 6);
  BYTES.writeUInt8((BYTES.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = BYTES.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** One of the four words that a uuid is made of; the first one stands in it as it is. */
export function uuidWord(seed: number, agent: number, word: number): number {
  return hash32(seed, 'uuid', agent, word);
}

/** A readable host name; the index at its end keeps the names of a fleet distinct. */
function hostNameOf(seed: number, agent: number): string {
  faker.seed(hash32(seed, 'host name', agent));
  const word = faker.hacker.noun().replaceAll(' ', '-');
  return `${word}-${faker.location.countryCode().toLowerCase()}-${String(agent).padStart(5, '0')}`.toLowerCase();
}

function addressOf(seed: number, agent: number): string {
  const site = hash32(seed, 'site') & 0x7f;
  return `10.${(site + (agent >>> 16)) & 0xff}.${(agent >>> 8) & 0xff}.${agent & 0xff}`;
}
