import { describe, expect, it } from 'vitest';
import { column, readTable } from '../../../src/hosts/host-data.ts';
import { profileNamed } from '../../../src/hosts/profiles.ts';
import { type Parsed, packages, USUAL_SEED, usualFleet } from '../any-machine.ts';
import { HOST_DATA, type TestFleet } from '../host-data.ts';

const DISTRIBUTIONS = ['debian-12', 'ubuntu-24.04'];

/** The dependencies of each package in the index of the distribution. */
function needsIn(list: string): ReadonlyMap<string, readonly string[]> {
  const rows = readTable(HOST_DATA.tables, `packages/${list}.needs.tsv`, { package: column.text, needs: column.names });
  return new Map(rows.map((row) => [row.package, row.needs]));
}

/** Unmet dependencies, as counted by `apt-get check`. */
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

/** Packages of hosts of a role with the natural payload. */
function ofRole(profile: string, role: string, count: number): readonly ReadonlySet<string>[] {
  const group = { name: role, size: { kind: 'weight', weight: 1 } as const, profile, role, checks: {} };
  const groups = [{ ...group, payload: 'natural' as const }];
  const fleet = { ...usualFleet(profile, 'full'), seed: USUAL_SEED, agents: 400, groups };
  return Array.from({ length: count }, (_, agent) => namesOn(fleet, agent));
}

describe.each(DISTRIBUTIONS)('the packages on hosts of %s', (profile) => {
  const needs = needsIn(profile);
  const { roles } = profileNamed(profile);

  it.each(roles)('have no unmet dependencies on hosts with the role %s', (role) => {
    for (const names of ofRole(profile, role, 6)) {
      expect(names.size).toBeGreaterThan(300);
      expect(unmet(names, needs)).toEqual([]);
    }
  });

  it('have no unmet dependencies on hosts with the full payload', () => {
    const fleet = usualFleet(profile, 'full');
    for (let agent = 0; agent < 12; agent++) expect(unmet(namesOn(fleet, agent), needs)).toEqual([]);
  });

  it('match the role even on the smallest hosts', () => {
    for (const names of ofRole(profile, 'desktop', 12)) expect(names).toContain('gdm3');
  });
});
