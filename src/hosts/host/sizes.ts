import {
  type HostTables,
  NUMBER,
  oncePerData,
  oneOf,
  readTable,
  type TableColumn,
  type TableRow,
  WHOLE_NUMBER,
} from '../host-data.ts';
import type { SizeClass, VariantInput } from './profile.ts';

const SIZE = {
  system: oneOf('linux', 'windows', 'macos'),
  size: oneOf('tiny', 'small', 'medium', 'large', 'huge'),
  cores: NUMBER,
  metal: NUMBER,
  processes: WHOLE_NUMBER,
  per_core: NUMBER,
  services: WHOLE_NUMBER,
  devices: WHOLE_NUMBER,
  disks: WHOLE_NUMBER,
  interfaces: WHOLE_NUMBER,
  packages: NUMBER,
  guests: WHOLE_NUMBER,
};

const rowsOf = oncePerData((data) => readTable(data, 'sizes.tsv', SIZE));

/** The size classes of a system, smallest first. */
export function sizeClasses(data: HostTables, system: TableRow<typeof SIZE>['system']): readonly SizeClass[] {
  return rowsOf(data)
    .filter((row) => row.system === system)
    .map(({ size: name, cores: coresFactor, metal, per_core: processesPerCore, guests, ...row }) => {
      const { processes, services, devices, disks, interfaces, packages } = row;
      const counts = { processes, services, devices, disks, interfaces, packages };
      return { name, coresFactor, metal, processesPerCore, guests, counts };
    });
}

/** Relative numbers of hosts of a role in each size class. */
export const SIZE_WEIGHTS: TableColumn<readonly number[]> = {
  expected: 'five weights with commas between them, from tiny to huge',
  pattern: /^\d+(\.\d+)?(,\d+(\.\d+)?){4}$/,
  read: (cell) => cell.split(',').map(Number),
};

/** Numbers of cores in a size class, scaled from those that are usual for the role. */
export function coresIn(size: SizeClass | undefined, usual: readonly number[]): readonly number[] {
  if (size === undefined) return usual;
  return usual.map((cores) => Math.max(1, Math.round(cores * size.coresFactor)));
}

/** Distinguishes the random streams of hosts of different roles and sizes, so that no role affects another. */
export function streamOf(profile: string, { role, size }: Pick<VariantInput, 'role' | 'size'>): string {
  return size === undefined ? profile : `${profile}.${role}.${size.name}`;
}
