import { hash32, integerBetween, randomStream } from '../../../kernel/random.ts';
import { type Random, varied } from '../../builds.ts';
import type { NetworkInterface } from '../../common/network.ts';
import type { Counts, VariantInput } from '../../profile.ts';
import type { PhysicalDisk } from '../checks/disk-io.ts';
import type { Volume } from '../checks/volumes.ts';
import { ROLE_TRAITS, type WindowsRole } from '../data/roles.ts';

/** What the hosts of a variant are built from. */
export type Hardware = {
  readonly role: WindowsRole;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly pageFileMib: number;
  readonly volumes: readonly Volume[];
  readonly disks: readonly PhysicalDisk[];
  readonly interfaces: readonly NetworkInterface[];
  readonly counts: Counts;
};

const GIB = 1024 ** 3;
const PAGE_BYTES = 4096;
const LETTERS = [...'CDEFGSTUHIJKLMNOPQRVWXYZ'].map((letter) => `${letter}:`);
/** Volumes that a role has beyond those of every host. */
const EXTRA_VOLUMES: Partial<Readonly<Record<WindowsRole, number>>> = { 'file-server': 3, database: 2, engineering: 1 };
const SYSTEM_SIZES_GB = [120, 240, 256, 480, 512, 960];
const DATA_SIZES_GB = [100, 250, 500, 1000, 2000, 4000];

export function hardwareOf(name: string, roles: readonly WindowsRole[], input: VariantInput): Hardware {
  const random = randomStream(hash32(input.seed, `variant.${name}`, input.variant));
  const role = roles[input.variant % roles.length] ?? 'office';
  const counts = varied(input.counts, input.variant, random);
  const lean = input.counts.cores === 1;
  const cores = lean ? 2 : 2 * Math.max(1, Math.round((counts.cores * (0.5 + random())) / 2));
  const gib = cores * (role === 'database' ? 8 : 2 + 2 * Math.floor(random() * 2));
  // Firmware and graphics keep a part of what is built in.
  const memoryBytes = gib * GIB - PAGE_BYTES * Math.floor(12_000 + 60_000 * random());
  const extra = lean || counts.fixed?.includes('disks') ? 0 : (EXTRA_VOLUMES[role] ?? 0);
  const volumes = volumesOf(counts.disks + extra, random);
  return {
    role,
    cores,
    memoryBytes,
    pageFileMib: 128 * integerBetween(10, 8 * gib, random()),
    volumes,
    disks: counts.devices === 0 ? [] : disksOf(volumes, ROLE_TRAITS[role].diskWork, random),
    interfaces: interfacesOf(counts.interfaces, roles.includes('office'), random),
    counts,
  };
}

function volumesOf(count: number, random: Random): readonly Volume[] {
  return LETTERS.slice(0, Math.max(1, count)).map((letter, index) => {
    const sizes = index === 0 ? SYSTEM_SIZES_GB : DATA_SIZES_GB;
    const gigabytes = sizes[Math.floor(random() * sizes.length)] ?? 120;
    // Partitions for start and recovery lie next to the volume.
    return { letter, sizeMib: Math.floor((gigabytes * 1e9) / 1024 ** 2) - integerBetween(600, 1200, random()) };
  });
}

/** Most volumes have a disk of their own; some second volumes lie next to the system. */
function disksOf(volumes: readonly Volume[], diskWork: number, random: Random): readonly PhysicalDisk[] {
  const letters = volumes.map(({ letter }) => letter);
  const together = letters.length > 1 && random() < 0.3 ? 2 : 1;
  const names = [letters.slice(0, together).join(' '), ...letters.slice(together)];
  return names.map((name) => ({
    name,
    readsPerSecond: diskWork * (1 + 4 * random()),
    writesPerSecond: diskWork * (2 + 6 * random()),
    latencyMs: 0.15 + 0.5 * random(),
  }));
}

/** What a network card that talks looks like; filters on top of it are not told. */
function interfacesOf(count: number, client: boolean, random: Random): readonly NetworkInterface[] {
  const packets = (scale: number) => ({ sent: scale * (4 + 20 * random()), received: scale * (6 + 24 * random()) });
  const wireless = client && random() < 0.5;
  const talking = { up: true, packetsPerSecond: packets(client ? 5 : 14) };
  const wired = card('Ethernet', wireless ? {} : { ...talking, speed: client ? 1000 : 10_000 });
  const radio = card('Wi-Fi', wireless ? { ...talking, speed: 866 } : {});
  const others = [
    card('Loopback Pseudo-Interface 1', { up: true, speed: 1073, mtu: 4_294_967_295 }),
    card('vEthernet (Default Switch)', { up: true, speed: 10_000, packetsPerSecond: packets(0.2) }),
    card('Local Area Connection* 1', {}),
    card('Local Area Connection* 2', {}),
    card('Bluetooth Network Connection', { speed: 3 }),
    card('Ethernet 2', {}),
    card('Local Area Connection* 9', { mtu: 1280 }),
    card('vEthernet (WSL (Hyper-V firewall))', { up: true, speed: 10_000, packetsPerSecond: packets(0.3) }),
    card('Ethernet 3', {}),
  ];
  const first = wireless ? [radio, wired] : client ? [wired, radio] : [wired];
  const known = [...first, ...others];
  const filters = Array.from({ length: Math.max(0, count - known.length) }, (_, index) => {
    return card(`Local Area Connection* ${10 + index}`, {});
  });
  return [...known, ...filters].slice(0, Math.max(1, count));
}

function card(name: string, own: Partial<NetworkInterface>): NetworkInterface {
  const packetsPerSecond = { sent: 0, received: 0 };
  return { name, up: false, duplex: 0, speed: 0, mtu: 1500, loops: false, packetsPerSecond, ...own };
}
