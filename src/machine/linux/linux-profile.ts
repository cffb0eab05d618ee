import { hash32, integerBetween, randomStream } from '../../kernel/random.ts';
import { VARIANT_WEIGHTS, varied } from '../builds.ts';
import type { Inventory, InventoryPackage } from '../inventory/inventory.ts';
import { linuxSoftware } from '../inventory/linux-software.ts';
import { packagesDocument } from '../inventory/package-documents.ts';
import { type Profile, posixRunMs, type VariantInput } from '../profile.ts';
import { ROLE_TRAITS, ROLES } from './data/roles.ts';
import type { Distribution } from './distribution.ts';
import { type Hardware, interfacesOf } from './hardware/hardware.ts';
import { mountedOn } from './hardware/mounts.ts';
import { disksOf, GIB, withDataDisks } from './hardware/storage.ts';
import { linuxCheckdata } from './linux-checkdata.ts';

const SIZES: Profile['sizes'] = {
  full: { processes: 305, services: 560, devices: 36, disks: 28, interfaces: 8, packages: 795, cores: 8 },
  typical: { processes: 72, services: 82, devices: 4, disks: 5, interfaces: 3, packages: 145, cores: 4 },
  lean: { processes: 0, services: 2, devices: 0, disks: 1, interfaces: 1, packages: 8, cores: 1 },
};

export function linuxProfile(distribution: Distribution): Profile {
  return {
    name: distribution.name,
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
      const inventory = inventoryOf(distribution, hardware);
      return {
        rhythm: ROLE_TRAITS[hardware.role].rhythm,
        checkdata: (cells) => linuxCheckdata({ distribution, hardware, inventory, input }, cells),
        packages: (cells) => packagesDocument(linuxSoftware(inventory), cells),
      };
    },
  };
}

function hardwareOf(distribution: Distribution, { seed, variant, counts }: VariantInput): Hardware {
  const { name, layout, interfaces } = distribution;
  const random = randomStream(hash32(seed, `variant.${name}`, variant));
  const role = ROLES[variant % ROLES.length] ?? 'web';
  const physical = role === 'desktop' || random() < 0.3;
  const own = varied(counts, variant, random);
  const cores = Math.max(1, own.cores === 1 ? 1 : 2 * Math.round((own.cores * (0.6 + 0.9 * random())) / 2));
  const memoryBytes = Math.floor(cores * (1 + Math.floor(random() * 4)) * GIB - random() * 0.2 * GIB);
  const storage = { physical, layout, random };
  const hardware = {
    role,
    physical,
    cores,
    memoryBytes: memoryBytes - (memoryBytes % 4096),
    swapBytes: counts.cores === 1 || random() < 0.25 ? 0 : integerBetween(1, 4, random()) * GIB - 4096,
    disks: disksOf(Math.max(1, own.devices), storage),
    interfaces: interfacesOf(own.interfaces, { physical, names: interfaces, random }),
    counts: own,
  };
  if (!own.fixed?.includes('disks')) return hardware;
  const missing = own.disks - mountedOn(hardware, layout).length - distribution.snaps.length;
  return { ...hardware, disks: withDataDisks(hardware.disks, missing, storage) };
}

function inventoryOf(distribution: Distribution, { counts }: Hardware): Inventory {
  const { kernel, packages, updates, system, version, family } = distribution;
  const chosen = packages.slice(0, counts.packages);
  const sorted = [...chosen].sort((a, b) => (nameText(a) < nameText(b) ? -1 : 1));
  const names = { osName: system, osVersion: version, osFamily: family };
  // The series of patches are those of the software that is installed.
  const patches = updates.patches.slice(0, Math.ceil((updates.patches.length * chosen.length) / packages.length));
  return { ...updates, patches, packages: sorted, kernel: kernel.releases, ...names };
}

function nameText({ name }: InventoryPackage): string {
  return typeof name === 'string' ? name : name.head;
}
