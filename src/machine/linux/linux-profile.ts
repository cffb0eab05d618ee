import { hash32, randomStream } from '../../kernel/random.ts';
import { VARIANT_WEIGHTS, varied } from '../builds.ts';
import type { Inventory } from '../inventory/inventory.ts';
import { linuxSoftware } from '../inventory/linux-software.ts';
import { packagesDocument } from '../inventory/package-documents.ts';
import { inventories, type Told } from '../inventory/told.ts';
import type { Profile, VariantInput } from '../profile.ts';
import { posixRunMs } from '../time/run-length.ts';
import { ROLE_TRAITS, ROLES, type Role } from './data/roles.ts';
import type { Distribution } from './distribution.ts';
import { type Hardware, interfacesOf } from './hardware/hardware.ts';
import { mountedOn } from './hardware/mounts.ts';
import { disksOf, withDataDisks } from './hardware/storage.ts';
import { linuxCheckdata } from './linux-checkdata.ts';
import { guestCounts } from './software/guests.ts';
import { presenceOf } from './software/running-software.ts';

const SIZES: Profile['sizes'] = {
  full: { processes: 305, services: 560, devices: 36, disks: 28, interfaces: 8, packages: 795 },
  typical: { processes: 72, services: 82, devices: 4, disks: 5, interfaces: 3, packages: 145 },
  lean: { processes: 0, services: 2, devices: 0, disks: 1, interfaces: 1, packages: 8 },
};

export function linuxProfile(distribution: Distribution): Profile {
  const packagesOf = inventories(distribution.packages);
  return {
    name: distribution.name,
    system: 'linux',
    sizes: {
      full: { ...SIZES.full, ...distribution.sizes.full },
      typical: { ...SIZES.typical, ...distribution.sizes.typical },
      lean: { ...SIZES.lean, ...distribution.sizes.lean },
    },
    averageBytes: distribution.averageBytes,
    runMs: posixRunMs,
    variantWeights: VARIANT_WEIGHTS,
    variant(input) {
      const hardware = hardwareOf(distribution, input);
      const told = packagesOf(
        { all: ROLES, own: hardware.role, services: presenceOf(distribution, hardware) },
        hardware.counts.packages,
      );
      const inventory = inventoryOf(distribution, told);
      return {
        rhythm: ROLE_TRAITS[hardware.role].rhythm,
        checkdata: (cells) => linuxCheckdata({ distribution, hardware, inventory, input }, cells),
        packages: (cells) => packagesDocument(linuxSoftware(inventory), cells),
      };
    },
  };
}

/** Cores of the hosts of a role, and GiB of memory for each of them. */
const BUILT: Readonly<Record<Role, { readonly cores: readonly number[]; readonly gibPerCore: readonly number[] }>> = {
  web: { cores: [2, 4, 4, 8], gibPerCore: [2, 4] },
  database: { cores: [4, 8, 8, 16], gibPerCore: [4, 8] },
  build: { cores: [4, 8, 8, 16], gibPerCore: [2, 4] },
  desktop: { cores: [4, 8, 8, 12], gibPerCore: [2, 4] },
};

/** A disk, and the partition with the root. */
const LEAST_DEVICES = 2;

/** What a host is does not depend on how much it tells: everything but the counts is drawn in the same order. */
function hardwareOf(distribution: Distribution, { seed, variant, counts, checks }: VariantInput): Hardware {
  const { name, layout, interfaces } = distribution;
  const random = randomStream(hash32(seed, `variant.${name}`, variant));
  const role = ROLES[variant % ROLES.length] ?? 'web';
  const physical = role === 'desktop' || random() < 0.3;
  const { cores: choices, gibPerCore } = BUILT[role];
  const cores = choices[Math.floor(random() * choices.length)] ?? 4;
  const swapGibs = random() < 0.25 ? [0] : [1, 2, 4, 8];
  const own = varied(counts, variant, random);
  const storage = { physical, layout, random: randomStream(hash32(seed, `storage.${name}`, variant)) };
  const cards = randomStream(hash32(seed, `cards.${name}`, variant));
  const hardware = {
    role,
    physical,
    cores,
    memoryGibs: gibPerCore.map((gib) => gib * cores),
    swapGibs,
    disks: disksOf(Math.max(LEAST_DEVICES, own.devices), storage),
    interfaces: interfacesOf(own.interfaces, { physical, names: interfaces, random: cards }),
    counts: own,
    guests: guestCounts(checks, { role, physical }),
  };
  if (!own.fixed?.includes('disks')) return hardware;
  const missing = own.disks - mountedOn(hardware).length - distribution.snaps.length;
  return { ...hardware, disks: withDataDisks(hardware.disks, missing, storage) };
}

function inventoryOf(distribution: Distribution, { packages, known, share }: Told): Inventory {
  const { kernel, updates, system, version, family } = distribution;
  // The series of patches are those of the software that is told.
  const patches = updates.patches.slice(0, Math.ceil(updates.patches.length * share));
  const names = { osName: system, osVersion: version, osFamily: family };
  return { ...updates, patches, packages, known, kernel: kernel.releases, ...names };
}
