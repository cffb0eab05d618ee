import type { Random } from '../../builds.ts';
import type { NetworkInterface } from '../../common/network.ts';
import type { Counts } from '../../profile.ts';
import type { Role } from '../data/roles.ts';
import { hexFrom } from './identifiers.ts';
import type { Disk } from './storage.ts';

/** What the hosts of a variant are built from. */
export type Hardware = {
  readonly role: Role;
  readonly physical: boolean;
  readonly cores: number;
  /** Each host has one of these. */
  readonly memoryGibs: readonly number[];
  readonly swapGibs: readonly number[];
  readonly disks: readonly Disk[];
  readonly interfaces: readonly NetworkInterface[];
  readonly counts: Counts;
  readonly guests: GuestCounts;
};

/** How many containers and virtual machines there are. */
export type GuestCounts = { readonly containers: number; readonly machines: number };

/** How a distribution calls its network cards and the bridges that its software makes. */
export type InterfaceNames = {
  readonly virtual: readonly [string, string];
  readonly bridges: readonly [string, string];
};

type CardInput = { readonly physical: boolean; readonly names: InterfaceNames; readonly random: Random };

/** The network cards of a host; the loopback device counts, but does not come alone. */
export function interfacesOf(count: number, { physical, names, random }: CardInput): readonly NetworkInterface[] {
  const card = physical ? { speed: 1000, duplex: 2 as const } : { speed: -1, duplex: 0 as const };
  const packets = (scale: number) => ({ sent: scale * (4 + 20 * random()), received: scale * (6 + 24 * random()) });
  const slot = 1 + Math.floor(random() * 5);
  const [first, second] = physical ? [`enp${slot}s0`, `enp${slot + 1}s0`] : names.virtual;
  const [containers, machines] = names.bridges;
  const all: readonly NetworkInterface[] = [
    { ...virtual('lo'), up: true, speed: 0, mtu: 65_536, loops: true, packetsPerSecond: packets(0.4) },
    { name: first, up: true, ...card, mtu: 1500, loops: false, packetsPerSecond: packets(6) },
    { ...virtual(containers), up: true, packetsPerSecond: packets(0.5) },
    { name: second, up: true, ...card, mtu: 9000, loops: false, packetsPerSecond: packets(2) },
    virtual(machines),
  ];
  const veths = Array.from({ length: Math.max(0, count - all.length) }, () => {
    return { ...virtual(`veth${hexFrom(random, 7)}`), up: true, speed: 10_000, packetsPerSecond: packets(0.5) };
  });
  return count === 1 ? all.slice(1, 2) : [...all, ...veths].slice(0, count);
}

function virtual(name: string): NetworkInterface {
  const packetsPerSecond = { sent: 0, received: 0 };
  return { name, up: false, duplex: 0, speed: -1, mtu: 1500, loops: false, packetsPerSecond };
}
