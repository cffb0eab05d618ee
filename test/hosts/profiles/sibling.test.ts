import { describe, expect, it } from 'vitest';
import { createCells } from '../../../src/hosts/document/nodes.ts';
import { ALMALINUX_9, almalinux9 } from '../../../src/hosts/profiles/almalinux-9.ts';
import { linuxProfile } from '../../../src/hosts/profiles/linux.ts';
import { HOST_DATA } from '../host-data.ts';

/** The complete profile file of a distribution that is built from the same sources. */
const rocky = linuxProfile({
  ...ALMALINUX_9,
  name: 'rocky-9',
  siblingOf: 'almalinux-9',
  system: 'rocky',
  packages: { ...ALMALINUX_9.packages, texts: { almalinux: 'rocky', '.alma.1': '.rocky.0.1', '.el9.alma': '.el9' } },
});

/** The texts of a profile's documents, for one variant. */
function textsOf(profile: typeof rocky) {
  const counts = profile.sizes.full;
  const variant = profile.variant({
    data: HOST_DATA.tables,
    seed: 1,
    variant: 4,
    role: 'web',
    counts,
    incidents: [],
    checks: {},
  });
  return {
    checkdata: JSON.stringify(variant.checkdata(createCells()).node),
    packages: JSON.stringify(variant.packages(createCells()).node),
  };
}

describe('a sibling of AlmaLinux, defined by its differences', () => {
  const own = textsOf(rocky);
  const alma = textsOf(almalinux9);
  const namesIn = (text: string) => new Set([...text.matchAll(/"Name":"([^"]+)"/g)].map(([, name = '']) => name));

  it('uses its own names for itself and its packages', () => {
    expect(own.packages).toContain('"OsName":"rocky"');
    expect(own.checkdata).toContain('"rocky"');
    expect(`${own.packages}${own.checkdata}`).not.toMatch(/alma/i);
    for (const name of ['rocky-release', 'rocky-repos', 'rocky-logos']) expect(namesIn(own.packages)).toContain(name);
  });

  it('has the other packages of AlmaLinux, and its services', () => {
    const [here, there] = [namesIn(own.packages), namesIn(alma.packages)];
    const common = [...here].filter((name) => there.has(name)).length;
    expect(common).toBeGreaterThan(500);
    expect(common / there.size).toBeGreaterThan(0.95);
    for (const unit of ['firewalld.service', 'sshd.service', 'dnf-makecache.timer'])
      expect([own.checkdata.includes(unit), alma.checkdata.includes(unit)]).toEqual([true, true]);
  });
});
