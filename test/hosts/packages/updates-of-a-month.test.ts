import { describe, expect, it } from 'vitest';
import { PROFILE_NAMES } from '../../../src/hosts/profiles.ts';
import { compilePayloads } from '../host-data.ts';

const HOSTS = 60;
const DAYS = 30;
const DAY_MS = 86_400_000;
/** On November 1, 2026; Patch Tuesday is the 10th. */
const FIRST_EVENING = Date.UTC(2026, 10, 1, 20);
const out = Buffer.alloc(200_000);

/** For each evening of the month, the share of hosts of a profile with security updates due. */
function critical(profile: string): readonly number[] {
  const fleet = { seed: 2, profiles: { [profile]: 1 }, payload: 'lean', checkIntervalSeconds: 60 } as const;
  const { writeCheckdata } = compilePayloads(fleet);
  return Array.from({ length: DAYS }, (_, day) => {
    let count = 0;
    for (let agent = 0; agent < HOSTS; agent++) {
      const instantMs = FIRST_EVENING + day * DAY_MS + agent * 60_000;
      const document = JSON.parse(out.toString('utf8', 0, writeCheckdata(out, 0, agent, instantMs)));
      if (document.packagemanager.Stats?.SecurityUpdates > 0) count++;
    }
    return count / HOSTS;
  });
}

const SYSTEMS = PROFILE_NAMES.filter((name) => !/^(arch|macos)/.test(name));
const shares = new Map(SYSTEMS.map((name) => [name, critical(name)]));

describe('security updates over a month', () => {
  it.each(SYSTEMS)('of %s are due on few hosts on most evenings, and never on all hosts at the same time', (name) => {
    const sorted = [...(shares.get(name) ?? [])].sort((a, b) => a - b);
    expect(sorted[DAYS / 2]).toBeLessThan(0.3);
    // Debian keeps back the update of its kernel, which would be the most frequent one.
    expect(sorted.at(-1)).toBeGreaterThan(name === 'debian-12' ? 0.1 : 0.3);
    expect(sorted.at(-1)).toBeLessThan(0.85);
  });

  it('of a mixed fleet are never due on half of it', () => {
    const weights: Readonly<Record<string, number>> = {
      'ubuntu-24.04': 0.3,
      'debian-12': 0.2,
      'almalinux-9': 0.15,
      'windows-server-2022': 0.15,
      'windows-11': 0.1,
    };
    for (let day = 0; day < DAYS; day++) {
      const all = Object.entries(weights).reduce(
        (sum, [name, weight]) => sum + weight * (shares.get(name)?.[day] ?? 0),
        0,
      );
      expect(all).toBeLessThan(0.5);
    }
  });
});
