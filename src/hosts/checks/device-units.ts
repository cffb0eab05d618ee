import { slot, type Text } from '../document/nodes.ts';
import type { FileSystem, NetworkInterface } from '../host/hardware.ts';
import type { Snap } from '../host/linux/hardware.ts';
import type { Disk, Partition, Platform } from '../host/linux/storage.ts';
import { column, type HostTables, oncePerData, readTable } from '../host-data.ts';

/** Active, load and sub state, as `systemctl` calls them. */
export type UnitState = readonly [active: string, load: string, sub: string];

/** A systemd unit without a process. Lists have the most important units first. */
export type UnitLine = {
  readonly unit: string;
  /** The name as hosts report it, if it moves with releases. */
  readonly named?: string | Text;
  readonly description: string | Text;
  readonly state: UnitState;
  readonly while?: 'users' | undefined;
};

const PLUGGED: UnitState = ['active', 'loaded', 'plugged'];
const MOUNTED: UnitState = ['active', 'loaded', 'mounted'];

export type DeviceInput = {
  readonly data: HostTables;
  readonly disks: readonly Disk[];
  readonly fileSystems: readonly FileSystem[];
  readonly platform: Platform;
  /** Cards with hardware, or that the host makes itself. */
  readonly interfaces: readonly NetworkInterface[];
  /** Where it swaps to if not to a partition or volume; `undefined` without swap. */
  readonly swapFile: string | undefined;
  /** Number of serial ports that the kernel is built for, whether or not they exist. */
  readonly serialPorts: number;
  readonly snaps: readonly Snap[];
};

/** The units that systemd creates for devices and mounts: each device under all of its names. */
export function deviceUnits(input: DeviceInput): readonly UnitLine[] {
  const { disks, fileSystems, serialPorts, snaps } = input;
  const mounts = fileSystems.filter(({ mountpoint }) => mountpoint !== '/').map(mountUnit);
  const blocks = disks.flatMap((disk, index) => diskUnits(disk, index, input));
  const images = snaps.flatMap(({ name, revision }, index) => [
    {
      ...mounted(`snap-${escapeDashes(name)}`, slot.text(`Mount unit for ${name}, revision `, ...revision)),
      named: slot.text(`snap-${escapeDashes(name)}-`, ...revision, '.mount'),
    },
    plugged(`dev-loop${index}`, `/dev/loop${index}`),
    plugged(`sys-devices-virtual-block-loop${index}`, `/sys/devices/virtual/block/loop${index}`),
  ]);
  const terminals = Array.from({ length: serialPorts }, (_, index) => [
    plugged(`dev-ttyS${index}`, `/dev/ttyS${index}`),
    plugged(`sys-devices-platform-serial8250-tty-ttyS${index}`, `/sys/devices/platform/serial8250/tty/ttyS${index}`),
  ]);
  return [...mounts, ...swapUnits(input), ...cardUnits(input), ...images, ...blocks, ...terminals.flat()];
}

/** Swap is on the first partition or volume of the system disk without a file system. */
function swapUnits({ disks: [system], swapFile }: DeviceInput): readonly UnitLine[] {
  if (swapFile === undefined) return [];
  const parts = system?.partitions.flatMap((partition) => [partition, ...partition.volumes]) ?? [];
  const free = parts.find(({ fileSystems, volumes }) => fileSystems.length === 0 && volumes.length === 0);
  const path = free === undefined ? swapFile : `/dev/${free.name}`;
  return [{ unit: `${unitOf(path)}.swap`, description: path, state: ['active', 'loaded', 'active'] }];
}

/** Each card has a unit for its class and one for its slot. */
function cardUnits({ interfaces, platform }: DeviceInput): readonly UnitLine[] {
  const cards = interfaces.filter(({ loops }) => !loops);
  return cards.flatMap(({ name, members }, index) => {
    const isVirtual = members !== undefined || /^(wg|\w+\.\d)/.test(name);
    const bus = platform.on === 'metal' ? '0000:04:00' : '0000:00:12';
    const slotPath = isVirtual ? 'virtual' : `pci0000:00/${bus}.${index}`;
    const paths = [`/sys/subsystem/net/devices/${name}`, `/sys/devices/${slotPath}/net/${name}`];
    return paths.map((path) => plugged(unitOf(path), isVirtual ? path : platform.card));
  });
}

/** Units of a disk, under all of its names. A hypervisor's disks have no model, so their descriptions are their paths. */
function diskUnits(disk: Disk, index: number, input: DeviceInput): readonly UnitLine[] {
  const { device, model, partitions } = disk;
  const isParavirtual = /^x?vd/.test(device.name);
  const { links, bus } = busOf(disk, index, input);
  const unitsOf = (name: string, part: string, partition?: Partition) => {
    const paths = [
      `/dev/${name}`,
      ...links.map((link) => `/dev/disk/${link}${part && `-part${part}`}`),
      `/sys/devices/${bus}/${device.name}${part && `/${name}`}`,
      ...(partition === undefined
        ? []
        : [`/dev/disk/by-uuid/${partition.uuid}`, `/dev/disk/by-partuuid/${partition.partUuid}`]),
    ];
    return paths.map((path) => plugged(unitOf(path), isParavirtual ? path : `${model} ${part}`.trim()));
  };
  const parts = partitions.flatMap((partition) =>
    unitsOf(partition.name, partition.name.slice(device.name.length).replace('p', ''), partition),
  );
  const volumes = partitions
    .flatMap((partition) => partition.volumes)
    .flatMap(({ name, uuid }) => [
      plugged(`dev-${escapeDashes(name)}`, `/dev/${name}`),
      plugged(`sys-devices-virtual-block-${escapeDashes(name)}`, `/sys/devices/virtual/block/${name}`),
      plugged(`dev-disk-by\\x2duuid-${escapeDashes(uuid)}`, `/dev/disk/by-uuid/${uuid}`),
    ]);
  return [...unitsOf(device.name, ''), ...parts, ...volumes];
}

/** The links that udev creates for a disk, and its path on the bus. `{16i+9}` is a number that follows from the disk's index. */
const BUS = { disk: column.text, platform: column.orEmpty(column.text), links: column.text, bus: column.text };
const buses = oncePerData((data) => readTable(data, 'disk-buses.tsv', BUS));

function busOf(
  { device: { name }, model, serial }: Disk,
  index: number,
  { data, platform: { platform } }: DeviceInput,
) {
  const row = buses(data).find((bus) => name.startsWith(bus.disk) && (bus.platform ?? platform) === platform);
  const replaced = (pattern = '') =>
    pattern
      .replace(/\{(\d*)i\+?(\d*)\}/g, (_, factor, offset) => String(Number(factor || 1) * index + Number(offset)))
      .replaceAll('{slot}', (index + 4).toString(16).padStart(2, '0'))
      .replaceAll('{drive}', name.replace(/n\d+$/, ''))
      .replaceAll('{id}', `${model.replaceAll(' ', '_')}_${serial}`);
  return { links: replaced(row?.links).split('|'), bus: replaced(row?.bus) };
}

function unitOf(path: string): string {
  return escapeDashes(path.slice(1)).replaceAll('/', '-');
}

function mountUnit({ mountpoint }: FileSystem): UnitLine {
  return mounted(unitOf(mountpoint).replace(/^\./, '\\x2e'), mountpoint);
}

/** Escapes the dashes of a path, because a dash in a unit's name means a slash. */
function escapeDashes(part: string): string {
  return part.replaceAll('-', '\\x2d');
}

function mounted(name: string, description: string | Text): UnitLine {
  return { unit: `${name}.mount`, description, state: MOUNTED };
}

function plugged(name: string, description: string): UnitLine {
  return { unit: `${name}.device`, description, state: PLUGGED };
}
