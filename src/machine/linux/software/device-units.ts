import type { UnitLine, UnitState } from '../data/units.ts';
import type { Disk, Partition } from '../hardware/storage.ts';

const PLUGGED: UnitState = ['active', 'loaded', 'plugged'];
const MOUNTED: UnitState = ['active', 'loaded', 'mounted'];
const TERMINALS = 32;

export type DeviceInput = {
  readonly disks: readonly Disk[];
  readonly physical: boolean;
  readonly snaps: readonly { readonly name: string; readonly revision: number }[];
};

/** The units that systemd makes for devices and mounts: each device under all its names. */
export function deviceUnits({ disks, physical, snaps }: DeviceInput): readonly UnitLine[] {
  const mounts = disks.flatMap(({ partitions }) => partitions.flatMap(mountUnits));
  const blocks = disks.flatMap((disk, index) => diskUnits(disk, diskPath(index, physical)));
  const images = snaps.flatMap(({ name, revision }, index) => [
    unit(`snap-${escapeDashes(name)}-${revision}.mount`, `Mount unit for ${name}, revision ${revision}`, MOUNTED),
    plugged(`dev-loop${index}`, `/dev/loop${index}`),
    plugged(`sys-devices-virtual-block-loop${index}`, `/sys/devices/virtual/block/loop${index}`),
  ]);
  const terminals = Array.from({ length: TERMINALS }, (_, index) => [
    plugged(`dev-ttyS${index}`, `/dev/ttyS${index}`),
    plugged(`sys-devices-platform-serial8250-tty-ttyS${index}`, `/sys/devices/platform/serial8250/tty/ttyS${index}`),
  ]);
  return [...mounts, ...images, ...blocks, ...terminals.flat()];
}

function diskUnits({ device, model, serial, partitions }: Disk, path: string): readonly UnitLine[] {
  const id = escapeDashes(`${model.replaceAll(' ', '_')}_${serial}`);
  const names = (own: string, part: string, uuid: string | undefined) => [
    plugged(`dev-${own}`, `${model} ${part}`.trim()),
    plugged(`dev-disk-by\\x2did-ata\\x2d${id}${part && `\\x2dpart${part}`}`, `${model} ${part}`.trim()),
    plugged(`dev-disk-by\\x2dpath-pci\\x2d${path}${part && `\\x2dpart${part}`}`, `${model} ${part}`.trim()),
    plugged(`sys-devices-pci0000:00-${path}-block-${device.name}${part && `-${own}`}`, `${model} ${part}`.trim()),
    ...(uuid === undefined ? [] : [plugged(`dev-disk-by\\x2duuid-${escapeDashes(uuid)}`, `${model} ${part}`)]),
    ...(uuid === undefined ? [] : [plugged(`dev-disk-by\\x2dpartuuid-${escapeDashes(uuid)}`, `${model} ${part}`)]),
  ];
  const parts = partitions.flatMap(({ name, uuid }) =>
    names(name, name.slice(device.name.length).replace('p', ''), uuid),
  );
  const volumes = partitions
    .flatMap((partition) => partition.volumes)
    .flatMap(({ name, uuid }) => [
      plugged(`dev-${escapeDashes(name)}`, `/dev/${name}`),
      plugged(`sys-devices-virtual-block-${escapeDashes(name)}`, `/sys/devices/virtual/block/${name}`),
      plugged(`dev-disk-by\\x2duuid-${escapeDashes(uuid)}`, `/dev/disk/by-uuid/${uuid}`),
    ]);
  return [...names(device.name, '', undefined), ...parts, ...volumes];
}

function diskPath(index: number, physical: boolean): string {
  return physical ? `0000:00:17.0-ata${index + 1}` : `0000:00:0${index % 10}.0-virtio${index}`;
}

function mountUnits({ fileSystems, volumes }: Partition): readonly UnitLine[] {
  const own = fileSystems.filter(({ mountpoint }) => mountpoint !== '/');
  return [
    ...own.map(({ mountpoint }) => {
      const name = escapeDashes(mountpoint.slice(1)).replace(/^\./, '\\x2e').replaceAll('/', '-');
      return unit(`${name}.mount`, mountpoint, MOUNTED);
    }),
    ...volumes.flatMap(mountUnits),
  ];
}

/** A dash in a path stands escaped in a unit's name, because dashes stand for slashes there. */
function escapeDashes(part: string): string {
  return part.replaceAll('-', '\\x2d');
}

function plugged(name: string, description: string): UnitLine {
  return unit(`${name}.device`, description, PLUGGED);
}

function unit(name: string, description: string, state: UnitState): UnitLine {
  return { name, description, state };
}
