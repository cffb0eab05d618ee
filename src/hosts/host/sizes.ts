import { hash32 } from '../../base/kernel/random.ts';
import { column, type HostTables, oncePerData, readSection, readTable, type TableRow } from '../host-data.ts';
import type { PayloadFigures, PayloadSize, SizeClass, VariantInput } from './profile.ts';
import { profileFile } from './roles.ts';

const COUNTS = {
  processes: column.wholeNumber,
  services: column.wholeNumber,
  devices: column.wholeNumber,
  disks: column.wholeNumber,
  interfaces: column.wholeNumber,
};
const SIZE = {
  system: column.oneOf('linux', 'windows', 'macos'),
  size: column.oneOf('tiny', 'small', 'medium', 'large', 'huge'),
  cores: column.number,
  metal: column.number,
  ...COUNTS,
  perCore: column.number,
  packages: column.number,
  guests: column.wholeNumber,
};

const rowsOf = oncePerData((data) => readTable(data, 'sizes.tsv', SIZE));

/** The size classes of a system, smallest first. */
export function sizeClasses(data: HostTables, system: TableRow<typeof SIZE>['system']): readonly SizeClass[] {
  return rowsOf(data)
    .filter((row) => row.system === system)
    .map(({ size: name, cores: coresFactor, metal, perCore: processesPerCore, guests, system: _, line, ...counts }) => {
      return { name, coresFactor, metal, processesPerCore, guests, counts };
    });
}

const PAYLOAD = {
  payload: column.oneOf('full', 'typical', 'lean'),
  ...COUNTS,
  packages: column.wholeNumber,
  checkdataBytes: column.number,
  packagesBytes: column.number,
};

export function payloadFigures(data: HostTables, profile: string): Readonly<Record<PayloadSize, PayloadFigures>> {
  const rows = readSection(data, { file: profileFile(profile), section: 'sizes' }, PAYLOAD);
  const figures = rows.map(({ payload, checkdataBytes: checkdata, packagesBytes: packages, line: _, ...counts }) => {
    return [payload, { counts, averageBytes: { checkdata, packages } }] as const;
  });
  return Object.fromEntries(figures) as Record<PayloadSize, PayloadFigures>;
}

/** Numbers of cores in a size class, scaled from those that are usual for the role. */
export function coresIn(size: SizeClass | undefined, usual: readonly number[]): readonly number[] {
  if (size === undefined) return usual;
  return usual.map((cores) => Math.max(1, Math.round(cores * size.coresFactor)));
}

/** Returns a random number for each label, the same for the hosts of a variant. No role or size affects another. */
export function variantDraws(
  profile: string,
  { role, size, seed, variant }: Pick<VariantInput, 'role' | 'size' | 'seed' | 'variant'>,
): (label: string) => number {
  const stream = size === undefined ? profile : `${profile}.${role}.${size.name}`;
  return (label) => hash32(seed, `${label}.${stream}`, variant);
}
