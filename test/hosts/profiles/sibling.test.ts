import { describe, expect, it } from 'vitest';
import { createCells } from '../../../src/hosts/document/nodes.ts';
import { linuxProfile } from '../../../src/hosts/profiles/linux.ts';
import { HOST_DATA } from '../host-data.ts';

/** The shipped data, and the file of a distribution that is built from the same sources. */
const tables = {
  ...HOST_DATA.tables,
  'profiles/rocky-9.tsv': rocky(HOST_DATA.tables['profiles/almalinux-9.tsv'] ?? ''),
};

function rocky(almalinux: string): string {
  const names = [
    ['packages', 'almalinux', 'rocky'],
    ['packages', '.alma.1', '.rocky.0.1'],
    ['packages', '.el9.alma', '.el9'],
  ];
  return almalinux
    .replace('system\talmalinux', 'system\trocky\nsibling_of\talmalinux-9')
    .replace('[texts]\nof\there\tthere', (head) => [head, ...names.map((name) => name.join('\t'))].join('\n'));
}

/** The texts of a profile's documents, for one variant. */
function textsOf(name: string) {
  const profile = linuxProfile(name);
  const { counts } = profile.payloads(tables).full;
  const variant = profile.variant({
    data: tables,
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
  const own = textsOf('rocky-9');
  const alma = textsOf('almalinux-9');
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
