import { hash32, randomStream } from '../../../kernel/random.ts';
import { OFFICE_WEEK, PUBLIC_WEEK, type Rhythm, STEADY_WEEK } from '../activity.ts';
import { type NetworkInterface, type PhysicalDisk, type Random, type Volume, varied } from '../hardware.ts';
import type { Counts, VariantInput } from '../profile.ts';

type ClientRole = 'office' | 'developer' | 'engineering' | 'kiosk';

type ServerRole = 'domain-controller' | 'file-server' | 'database' | 'web-server';

export type WindowsRole = ClientRole | ServerRole;

export const CLIENT_ROLES: readonly ClientRole[] = ['office', 'developer', 'engineering', 'kiosk'];

export const SERVER_ROLES: readonly ServerRole[] = ['domain-controller', 'file-server', 'database', 'web-server'];

type WindowsRoleTraits = {
  readonly rhythm: Rhythm;
  /** Share of memory that programs hold. */
  readonly memoryUsed: number;
  /** Requests per second to its disks at usual activity, relative to an office machine. */
  readonly diskWork: number;
};

/** How hosts of a role behave. */
export const WINDOWS_ROLE_TRAITS: Readonly<Record<WindowsRole, WindowsRoleTraits>> = {
  office: { rhythm: { busy: 0.06, week: OFFICE_WEEK }, memoryUsed: 0.52, diskWork: 1 },
  developer: { rhythm: { busy: 0.14, week: OFFICE_WEEK }, memoryUsed: 0.66, diskWork: 4 },
  engineering: { rhythm: { busy: 0.2, week: OFFICE_WEEK }, memoryUsed: 0.6, diskWork: 3 },
  kiosk: { rhythm: { busy: 0.03, week: PUBLIC_WEEK }, memoryUsed: 0.45, diskWork: 0.5 },
  'domain-controller': { rhythm: { busy: 0.05, week: OFFICE_WEEK }, memoryUsed: 0.4, diskWork: 2 },
  'file-server': { rhythm: { busy: 0.08, week: OFFICE_WEEK }, memoryUsed: 0.35, diskWork: 12 },
  database: { rhythm: { busy: 0.16, week: STEADY_WEEK }, memoryUsed: 0.82, diskWork: 20 },
  'web-server': { rhythm: { busy: 0.12, week: PUBLIC_WEEK }, memoryUsed: 0.48, diskWork: 3 },
};

/** What the hosts of a variant are built from. */
export type WindowsHardware = {
  readonly role: WindowsRole;
  readonly cores: number;
  /** Each host has one of these. */
  readonly memoryGibs: readonly number[];
  readonly swapGibs: readonly number[];
  readonly volumes: readonly Volume[];
  readonly disks: readonly PhysicalDisk[];
  readonly interfaces: readonly NetworkInterface[];
  readonly counts: Counts;
};

const LETTERS = [...'CDEFGSTUHIJKLMNOPQRVWXYZ'].map((letter) => `${letter}:`);
/** Volumes that a role has beyond those of every host. */
const EXTRA_VOLUMES: Partial<Readonly<Record<WindowsRole, number>>> = { 'file-server': 3, database: 2, engineering: 1 };
const SYSTEM_SIZES_GB = [120, 240, 256, 480, 512, 960];
const DATA_SIZES_GB = [100, 250, 500, 1000, 2000, 4000];
/** Cores of the hosts of a role, and GiB of memory for each of them. */
const CLIENT_CORES = [4, 8, 8, 12];
const SERVER_CORES = [2, 4, 8, 8, 16];
const GIB_PER_CORE = [2, 4];
const DATABASE_GIB_PER_CORE = [8, 12];

/** What a host is does not depend on how much it tells: everything but the counts is drawn in the same order. */
export function windowsHardware(name: string, roles: readonly WindowsRole[], input: VariantInput): WindowsHardware {
  const random = randomStream(hash32(input.seed, `variant.${name}`, input.variant));
  const role = roles[input.variant % roles.length] ?? 'office';
  const client = roles.includes('office');
  const choices = client ? CLIENT_CORES : SERVER_CORES;
  const cores = choices[Math.floor(random() * choices.length)] ?? 4;
  const memoryGibs = (role === 'database' ? DATABASE_GIB_PER_CORE : GIB_PER_CORE).map((gib) => gib * cores);
  const counts = varied(input.counts, input.variant, random);
  const exact = counts.fixed?.includes('disks') ?? false;
  const extra = exact || input.counts.devices === 0 ? 0 : (EXTRA_VOLUMES[role] ?? 0);
  const volumes = volumesOf(counts.disks + extra);
  const disks = randomStream(hash32(input.seed, `storage.${name}`, input.variant));
  const cards = randomStream(hash32(input.seed, `cards.${name}`, input.variant));
  return {
    role,
    cores,
    memoryGibs,
    swapGibs: [1.25, 2, 2.375, 4, 6.5, 8].map((gib) => gib * Math.max(1, cores / 8)),
    volumes,
    disks: counts.devices === 0 ? [] : disksOf(volumes, WINDOWS_ROLE_TRAITS[role].diskWork, disks),
    interfaces: interfacesOf(counts.interfaces, client, cards),
    counts,
  };
}

function volumesOf(count: number): readonly Volume[] {
  return LETTERS.slice(0, Math.max(1, count)).map((mountpoint, index) => {
    return { mountpoint, sizesGb: index === 0 ? SYSTEM_SIZES_GB : DATA_SIZES_GB };
  });
}

/** Most volumes have a disk of their own; some second volumes lie next to the system. */
function disksOf(volumes: readonly Volume[], diskWork: number, random: Random): readonly PhysicalDisk[] {
  const letters = volumes.map(({ mountpoint }) => mountpoint);
  const together = letters.length > 1 && random() < 0.3 ? 2 : 1;
  const names = [letters.slice(0, together).join(' '), ...letters.slice(together)];
  // The partition that the machine starts from has no letter.
  const starter = { name: 'HarddiskVolume1', readsPerSecond: 0.002, writesPerSecond: 0.001, latencyMs: 0.3 };
  const lettered = names.map((name) => ({
    name,
    readsPerSecond: diskWork * (1 + 4 * random()),
    writesPerSecond: diskWork * (2 + 6 * random()),
    latencyMs: 0.15 + 0.5 * random(),
  }));
  return [...lettered, starter];
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
  return {
    name,
    up: false,
    duplex: 0,
    speed: 0,
    mtu: 1500,
    loops: false,
    countsUnsent: true,
    packetsPerSecond,
    ...own,
  };
}
