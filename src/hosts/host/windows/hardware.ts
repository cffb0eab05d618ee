import { hash32, randomStream } from '../../../ground/kernel/random.ts';
import { column, type HostTables } from '../../host-data.ts';
import {
  cardsOf,
  type NetworkInterface,
  networkCard,
  type PhysicalDisk,
  type Random,
  trafficFrom,
  type Volume,
  varied,
} from '../hardware.ts';
import type { ItemCounts, VariantInput } from '../profile.ts';
import { hostsOfRole } from '../roles.ts';
import { coresIn, streamOf } from '../sizes.ts';

/** Usual roles of workplaces and servers, equally frequent. */
export const USUAL_CLIENT_ROLES: readonly string[] = ['office', 'developer', 'engineering', 'kiosk'];
export const USUAL_SERVER_ROLES: readonly string[] = ['domain-controller', 'file-server', 'database', 'web'];

const HOSTS = {
  /** Disk requests per second at usual activity, relative to an office machine. */
  diskWork: column.number,
  /** Each host has one of these core counts, and one of these amounts of memory per core. */
  cores: column.numbers,
  gibPerCore: column.numbers,
  /** Volumes in addition to those of every host. */
  volumes: column.orEmpty(column.wholeNumber),
};

export function windowsRole(data: HostTables, role: string) {
  return hostsOfRole(data, { role, system: 'windows' }, HOSTS);
}

/** What the hosts of a variant are built from. */
export type WindowsHardware = {
  readonly role: string;
  readonly cores: number;
  /** Each host has one of these. */
  readonly memoryGibs: readonly number[];
  readonly swapGibs: readonly number[];
  readonly volumes: readonly Volume[];
  readonly disks: readonly PhysicalDisk[];
  readonly interfaces: readonly NetworkInterface[];
  readonly counts: ItemCounts;
};

const LETTERS = [...'CDEFGSTUHIJKLMNOPQRVWXYZ'].map((letter) => `${letter}:`);
const SYSTEM_SIZES_GB = [120, 240, 256, 480, 512, 960];
const DATA_SIZES_GB = [100, 250, 500, 1000, 2000, 4000];

/** A host does not depend on how much it reports: everything but the counts is drawn in the same order. */
export function windowsHardware(name: string, client: boolean, input: VariantInput): WindowsHardware {
  const stream = streamOf(name, input);
  const random = randomStream(hash32(input.seed, `variant.${stream}`, input.variant));
  const { role } = input;
  const { cores: usualCores, gibPerCore, diskWork, volumes: more = 0 } = windowsRole(input.data, role);
  const choices = coresIn(input.size, usualCores);
  const cores = choices[Math.floor(random() * choices.length)] ?? 4;
  const memoryGibs = gibPerCore.map((gib) => gib * cores);
  const counts = varied(input.counts, input.variant, random);
  const exact = counts.fixed?.includes('disks') ?? false;
  const extra = exact || input.counts.devices === 0 ? 0 : more;
  const volumes = volumesOf(counts.disks + extra);
  const disks = randomStream(hash32(input.seed, `storage.${stream}`, input.variant));
  const cards = randomStream(hash32(input.seed, `cards.${stream}`, input.variant));
  return {
    role,
    cores,
    memoryGibs,
    swapGibs: [1.25, 2, 2.375, 4, 6.5, 8].map((gib) => gib * Math.max(1, cores / 8)),
    volumes,
    disks: counts.devices === 0 ? [] : disksOf(volumes, diskWork, disks),
    interfaces: interfacesOf(
      counts.interfaces,
      { data: input.data, client, machines: HOSTS_MACHINES.includes(role) },
      cards,
    ),
    counts,
  };
}

function volumesOf(count: number): readonly Volume[] {
  return LETTERS.slice(0, Math.max(1, count)).map((mountpoint, index) => {
    return { mountpoint, sizesGb: index === 0 ? SYSTEM_SIZES_GB : DATA_SIZES_GB };
  });
}

/** Most volumes have a disk of their own. Some second volumes share the system's disk. */
function disksOf(volumes: readonly Volume[], diskWork: number, random: Random): readonly PhysicalDisk[] {
  const letters = volumes.map(({ mountpoint }) => mountpoint);
  const together = letters.length > 1 && random() < 0.3 ? 2 : 1;
  const names = [letters.slice(0, together).join(' '), ...letters.slice(together)];
  // The boot partition has no letter.
  const starter = { name: 'HarddiskVolume1', readsPerSecond: 0.002, writesPerSecond: 0.001, latencyMs: 0.3 };
  const lettered = names.map((name) => ({
    name,
    readsPerSecond: diskWork * (1 + 4 * random()),
    writesPerSecond: diskWork * (2 + 6 * random()),
    latencyMs: 0.15 + 0.5 * random(),
  }));
  return [...lettered, starter];
}

/** Roles whose hosts run Hyper-V, with its switches. */
const HOSTS_MACHINES = ['developer', 'hypervisor'];

type CardsOf = { readonly data: HostTables; readonly client: boolean; readonly machines: boolean };

/** Network interfaces, the one in use first. Filter drivers on top of a card are not listed. */
function interfacesOf(count: number, { data, client, machines }: CardsOf, random: Random): readonly NetworkInterface[] {
  const packets = trafficFrom(random);
  const wireless = client && random() < 0.5;
  const talking = { up: true, packetsPerSecond: packets(client ? 5 : 14) };
  const wired = networkCard('Ethernet', wireless ? {} : { ...talking, speed: client ? 1000 : 10_000 });
  const radio = networkCard('Wi-Fi', wireless ? { ...talking, speed: 866 } : {});
  const others = cardsOf(data, machines ? ['windows', 'windows-machines'] : ['windows'], packets);
  const first = wireless ? [radio, wired] : client ? [wired, radio] : [wired];
  const known = [...first, ...others];
  const filters = Array.from({ length: Math.max(0, count - known.length) }, (_, index) => {
    return networkCard(`Local Area Connection* ${10 + index}`);
  });
  return [...known, ...filters].slice(0, Math.max(1, count));
}
