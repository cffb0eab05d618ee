import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROFILE_NAMES } from '../../src/hosts/profiles.ts';
import { draws } from '../draws.ts';
import {
  anyCase,
  anyCaseOf,
  checkdataText,
  goText,
  incidentsOfEveryKind,
  packagesText,
  usualFleet,
} from './any-machine.ts';
import { checkdataOf, compileFleet, compilePayloads, packagesOf } from './host-data.ts';

const RUNS = { numRuns: draws(6) };

const INSTANT = 1_790_000_000_000;
const DAY_MS = 86_400_000;

/** At half of all times; at the others, hosts recover from the last ones. A host that is down would hide all of them. */
const INCIDENTS = incidentsOfEveryKind({
  isHit: () => true,
  fromMs: Date.UTC(2024, 11, 20),
  toMs: Date.UTC(2024, 11, 24),
  everyMs: 8 * DAY_MS,
}).filter(({ kind }) => kind !== 'reboot');

describe('rendered payloads', () => {
  // Pacers divide seconds by rates and shares, so nearly every time in a run has a fraction of a millisecond; Windows reports finer
  // times than other systems.
  it.each([
    ['any system', PROFILE_NAMES],
    ['Windows', PROFILE_NAMES.filter((name) => name.startsWith('windows'))],
  ])('of %s equal the encoded plain check data, byte for byte, with and without incidents', (_, names) => {
    fc.assert(
      fc.property(anyCaseOf(names), fc.boolean(), fc.integer({ min: 0, max: 999 }), (whole, isHit, thousandths) => {
        const fleet = isHit ? { ...whole.fleet, incidents: INCIDENTS } : whole.fleet;
        const one = { ...whole, fleet, instantMs: whole.instantMs + thousandths / 1000 };
        expect(checkdataText(one)).toBe(goText(checkdataOf(one.fleet, one.agent, one.instantMs)));
      }),
      RUNS,
    );
  });

  it.each(PROFILE_NAMES)('of %s are valid JSON on any day, however wrong the clock of the machine is', (name) => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) }), (agent, instantMs) => {
        const one = { fleet: usualFleet(name, 'typical'), agent, instantMs };
        JSON.parse(checkdataText(one));
        JSON.parse(packagesText(one));
      }),
      { numRuns: draws(5) },
    );
  });

  it('equal the encoded plain package document, byte for byte', () => {
    fc.assert(
      fc.property(anyCase, (one) => {
        expect(packagesText(one)).toBe(goText(packagesOf(one.fleet, one.agent, one.instantMs)));
      }),
      RUNS,
    );
  });

  it('are the same from another writer, at another offset and after other hosts', () => {
    fc.assert(
      fc.property(anyCase, fc.nat(100_000), (one, other) => {
        const writer = compileFleet(one.fleet).payloads;
        const out = Buffer.alloc(2_000_000);
        writer.writeCheckdata(out, 0, other, one.instantMs + 1234);
        const end = writer.writeCheckdata(out, 7, one.agent, one.instantMs);
        expect(out.toString('utf8', 7, end)).toBe(checkdataText(one));
      }),
      { numRuns: draws(3) },
    );
  });

  it('differ between hosts and between times', () => {
    const fleet = { seed: 1, profiles: { 'ubuntu-24.04': 1 }, payload: 'lean', checkIntervalSeconds: 30 } as const;
    const texts = [0, 1, 2].flatMap((agent) => {
      return [0, 30_000].map((ms) => checkdataText({ fleet, agent, instantMs: 1_800_000_000_000 + ms }));
    });
    expect(new Set(texts).size).toBe(6);
  });
});

// All pairs of few and many processes, services and disks, so that each appears with every extreme of the others.
const COUNTS = [
  { processes: 0, services: 0, disks: 20 },
  { processes: 10, services: 250, disks: 20 },
  { processes: 350, services: 0, disks: 1 },
  { processes: 350, services: 250, disks: 20 },
];

describe.each(PROFILE_NAMES)('the buffer size for documents of %s', (profile) => {
  it('is sufficient for large and for small counts', () => {
    for (const counts of COUNTS) {
      const payload = { ...counts, interfaces: 3, containers: counts.disks };
      const writer = compilePayloads({ seed: 6, profiles: { [profile]: 1 }, payload, checkIntervalSeconds: 30 });
      const out = Buffer.alloc(writer.checkdataRoomBytes(1));
      expect(writer.writeCheckdata(out, 0, 1, INSTANT + 1000)).toBeLessThanOrEqual(out.length);
    }
  });
});

describe('a writer', () => {
  it('rejects a buffer that is too small before it writes anything', () => {
    const writer = compilePayloads({ seed: 6, profiles: { arch: 1 }, payload: 'lean', checkIntervalSeconds: 30 });
    const out = Buffer.alloc(100, '#');
    expect(() => writer.writeCheckdata(out, 0, 1, INSTANT)).toThrow(/may take \d+ bytes, the buffer has room for 100/);
    expect(out.toString()).toBe('#'.repeat(100));
  });
});
