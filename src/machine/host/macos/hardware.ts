import { hash32, randomStream } from '../../../kernel/random.ts';
import { BUILD_WEEK, OFFICE_WEEK, type Rhythm } from '../activity.ts';
import { type BlockDevice, type NetworkInterface, type Random, varied } from '../hardware.ts';
import type { Counts, VariantInput } from '../profile.ts';

export type MacRole = 'office' | 'developer' | 'build' | 'studio';

export const MAC_ROLES: readonly MacRole[] = ['office', 'developer', 'build', 'studio'];

type MacRoleTraits = {
  readonly rhythm: Rhythm;
  /** Share of memory that programs hold. */
  readonly memoryUsed: number;
  /** Requests per second to its disk at usual activity, relative to an office machine. */
  readonly diskWork: number;
  readonly laptop: boolean;
  /** Terminals that may be open beside the console. */
  readonly terminals: number;
};

/** How hosts of a role behave. */
export const MAC_ROLE_TRAITS: Readonly<Record<MacRole, MacRoleTraits>> = {
  office: {
    rhythm: { busy: 0.07, week: OFFICE_WEEK },
    memoryUsed: 0.6,
    diskWork: 1,
    laptop: true,
    terminals: 0,
  },
  developer: {
    rhythm: { busy: 0.15, week: OFFICE_WEEK },
    memoryUsed: 0.72,
    diskWork: 4,
    laptop: true,
    terminals: 4,
  },
  build: {
    rhythm: { busy: 0.3, week: BUILD_WEEK },
    memoryUsed: 0.55,
    diskWork: 9,
    laptop: false,
    terminals: 1,
  },
  studio: {
    rhythm: { busy: 0.2, week: OFFICE_WEEK },
    memoryUsed: 0.66,
    diskWork: 5,
    laptop: false,
    terminals: 0,
  },
};

/** What the hosts of a variant are built from. */
export type MacHardware = {
  readonly role: MacRole;
  readonly arm: boolean;
  readonly laptop: boolean;
  /** A guest on another Mac: it has no sensors. */
  readonly virtual: boolean;
  readonly cores: number;
  /** Each host has one of these. */
  readonly memoryGibs: readonly number[];
  readonly swapGibs: readonly number[];
  readonly devices: readonly BlockDevice[];
  readonly interfaces: readonly NetworkInterface[];
  readonly counts: Counts;
};

/** Cores and GiB of memory that the models of a role come with. */
type Model = { readonly cores: number; readonly gib: number };

const ARM_MODELS: Readonly<Record<MacRole, readonly Model[]>> = {
  office: [
    { cores: 8, gib: 16 },
    { cores: 10, gib: 16 },
    { cores: 10, gib: 24 },
  ],
  developer: [
    { cores: 12, gib: 36 },
    { cores: 14, gib: 48 },
    { cores: 11, gib: 18 },
  ],
  build: [
    { cores: 10, gib: 32 },
    { cores: 14, gib: 64 },
    { cores: 8, gib: 16 },
  ],
  studio: [
    { cores: 16, gib: 64 },
    { cores: 24, gib: 128 },
    { cores: 12, gib: 32 },
  ],
};

const INTEL_MODELS: Readonly<Record<MacRole, Model>> = {
  office: { cores: 4, gib: 8 },
  developer: { cores: 12, gib: 32 },
  build: { cores: 12, gib: 32 },
  studio: { cores: 16, gib: 64 },
};

const GUEST: Model = { cores: 2, gib: 8 };

export function macHardware(name: string, intelShare: number, input: VariantInput): MacHardware {
  const random = randomStream(hash32(input.seed, `variant.${name}`, input.variant));
  const role = MAC_ROLES[input.variant % MAC_ROLES.length] ?? 'office';
  const { laptop, diskWork } = MAC_ROLE_TRAITS[role];
  const arm = random() >= intelShare;
  const models = ARM_MODELS[role];
  // Builds run in guests of other Macs, too.
  const virtual = role === 'build' && random() < 0.35;
  const physical = arm ? (models[Math.floor(random() * models.length)] as Model) : INTEL_MODELS[role];
  const model = virtual ? GUEST : physical;
  const counts = varied(input.counts, input.variant, random);
  return {
    role,
    arm,
    laptop: laptop && !virtual,
    virtual,
    cores: model.cores,
    memoryGibs: virtual ? [model.gib] : [model.gib, 2 * model.gib],
    swapGibs: [0, 1, 2, 3],
    devices: devicesOf(counts.devices, diskWork, random),
    interfaces: interfacesOf(counts.interfaces, random),
    counts,
  };
}

function devicesOf(count: number, diskWork: number, random: Random): readonly BlockDevice[] {
  return Array.from({ length: count }, (_, place) => ({
    name: place === 0 ? 'disk0' : `disk${3 + place}`,
    partitions: [],
    readsPerSecond: place === 0 ? diskWork * (3 + 6 * random()) : diskWork * random(),
    writesPerSecond: place === 0 ? diskWork * (3 + 8 * random()) : diskWork * random(),
    latencyMs: 0.1 + 0.3 * random(),
  }));
}

/** Interfaces as every Mac has them, the busy one first. */
function interfacesOf(count: number, random: Random): readonly NetworkInterface[] {
  const packets = (scale: number) => ({ sent: scale * (4 + 20 * random()), received: scale * (6 + 24 * random()) });
  const all = [
    card('en0', { packetsPerSecond: packets(6) }),
    card('lo0', { mtu: 16_384, loops: true, packetsPerSecond: packets(1) }),
    card('gif0', { up: false, mtu: 1280 }),
    card('stf0', { up: false, mtu: 1280 }),
    card('awdl0', { packetsPerSecond: packets(0.02) }),
    card('llw0', {}),
    card('utun0', { packetsPerSecond: packets(0.05) }),
    card('utun1', { mtu: 1380 }),
    card('bridge0', {}),
    card('en1', {}),
    card('en2', {}),
    card('anpi0', {}),
    card('ap1', { up: false }),
    card('utun2', { mtu: 2000 }),
    card('anpi1', {}),
    card('en3', {}),
    card('utun3', { mtu: 1000, packetsPerSecond: packets(0.3) }),
    card('p2p0', { mtu: 2304 }),
  ];
  const tunnels = Array.from({ length: Math.max(0, count - all.length) }, (_, index) => card(`utun${4 + index}`, {}));
  return [...all, ...tunnels].slice(0, Math.max(1, count));
}

/** Speed and duplex are never told. */
function card(name: string, own: Partial<NetworkInterface>): NetworkInterface {
  const packetsPerSecond = { sent: 0, received: 0 };
  return {
    name,
    up: true,
    duplex: 0,
    speed: 0,
    mtu: 1500,
    loops: false,
    countsUnsent: false,
    packetsPerSecond,
    ...own,
  };
}
