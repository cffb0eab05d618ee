import { describe, expect, it } from 'vitest';
import { NAMES, readTable, TEXT } from '../../../src/machine/host-data.ts';
import { profileNamed } from '../../../src/machine/profiles.ts';
import { type Parsed, packages, USUAL_SEED, usualFleet } from '../any-machine.ts';
import { HOST_DATA, type TestFleet } from '../host-data.ts';

const DISTRIBUTIONS = ['debian-12', 'ubuntu-24.04'];

/** What a distribution's own index says that each package needs. */
function needsIn(list: string): ReadonlyMap<string, readonly string[]> {
  const rows = readTable(HOST_DATA.tables, `packages/${list}.needs.tsv`, { package: TEXT, needs: NAMES });
  return new Map(rows.map((row) => [row.package, row.needs]));
}

/** As `apt-get check` counts them. */
function unmet(names: ReadonlySet<string>, needs: ReadonlyMap<string, readonly string[]>): readonly string[] {
  return [...names].flatMap((name) => {
    const missing = (needs.get(name) ?? []).filter((group) => !group.split('|').some((one) => names.has(one)));
    return missing.map((group) => `${name}: ${group}`);
  });
}

function namesOn(fleet: TestFleet, agent: number): ReadonlySet<string> {
  const { LinuxPackages } = packages({ fleet, agent, instantMs: Date.UTC(2026, 10, 22, 13) + agent * 37 * 86_400_000 });
  return new Set(LinuxPackages.map(({ Name }: Parsed) => Name));
}

/** Packages of hosts of a role that tell all that they have. */
function ofRole(profile: string, role: string, count: number): readonly ReadonlySet<string>[] {
  const group = { name: role, size: { kind: 'weight', weight: 1 } as const, profile, role, checks: {} };
  const groups = [{ ...group, payload: 'natural' as const }];
  const fleet = { ...usualFleet(profile, 'full'), seed: USUAL_SEED, agents: 400, groups };
  return Array.from({ length: count }, (_, agent) => namesOn(fleet, agent));
}

describe.each(DISTRIBUTIONS)('the packages on hosts of %s', (profile) => {
  const needs = needsIn(profile);
  const { roles } = profileNamed(profile);

  it.each(roles)('lack nothing that they need on hosts for %s', (role) => {
    for (const names of ofRole(profile, role, 12)) {
      expect(names.size).toBeGreaterThan(300);
      expect(unmet(names, needs)).toEqual([]);
    }
  });

  it('lack nothing that they need on hosts at full size', () => {
    const fleet = usualFleet(profile, 'full');
    for (let agent = 0; agent < 24; agent++) expect(unmet(namesOn(fleet, agent), needs)).toEqual([]);
  });

  it('are there for what they are there for, on the smallest hosts, too', () => {
    for (const names of ofRole(profile, 'desktop', 20)) expect(names).toContain('gdm3');
  });
});
