import { describe, expect, it } from 'vitest';
import { PROFILE_NAMES } from '../../src/machine/profiles.ts';
import { compilePayloads } from './host-data.ts';

const INSTANT = 1_790_000_000_000;
const PROCESSES = [0, 10, 350];
const SERVICES = [0, 250];
const DISKS = [1, 20];
// Processes and services in all combinations, each with other disks than the one before.
const GRID = PROCESSES.flatMap((processes, row) => {
  return SERVICES.map((services, column) => ({ processes, services, disks: DISKS[(row + column) % 2] ?? 1 }));
});

describe.each(PROFILE_NAMES)('the room for documents of %s', (profile) => {
  it('is enough for every combination of counts', () => {
    for (const counts of GRID) {
      const payload = { ...counts, interfaces: 3, containers: counts.disks };
      const writer = compilePayloads({ seed: 6, profiles: { [profile]: 1 }, payload, checkIntervalSeconds: 30 });
      for (let agent = 0; agent < 5; agent++) {
        const out = Buffer.alloc(writer.checkdataRoomBytes(agent));
        expect(writer.writeCheckdata(out, 0, agent, INSTANT + 1000 * agent)).toBeLessThanOrEqual(out.length);
      }
    }
  });
});

describe('a writer', () => {
  it('refuses a buffer without room, before it writes anything', () => {
    const writer = compilePayloads({ seed: 6, profiles: { arch: 1 }, payload: 'lean', checkIntervalSeconds: 30 });
    const out = Buffer.alloc(100, '#');
    expect(() => writer.writeCheckdata(out, 0, 1, INSTANT)).toThrow(/may take \d+ bytes, the buffer has room for 100/);
    expect(out.toString()).toBe('#'.repeat(100));
  });
});
