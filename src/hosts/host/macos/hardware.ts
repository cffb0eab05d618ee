import { randomStream } from '../../../base/kernel/random.ts';
import { column, type HostTables, type TableColumn } from '../../host-data.ts';
import {
  type BlockDevice,
  cardsOf,
  type Hardware,
  type NetworkInterface,
  networkCard,
  type Random,
  trafficFrom,
  varied,
} from '../hardware.ts';
import type { VariantInput } from '../profile.ts';
import { hostsOfRole } from '../roles.ts';
import { variantDraws } from '../sizes.ts';

/** Usual roles of Macs, equally frequent. */
export const USUAL_MAC_ROLES: readonly string[] = ['office', 'developer', 'build', 'studio'];

type Model = { readonly cores: number; readonly gib: number };

const MODELS: TableColumn<readonly Model[]> = {
  expected: 'cores and GiB such as 8/16,10/24',
  pattern: /^\d+\/\d+(,\d+\/\d+)*$/,
  read: (cell) => cell.split(',').map(modelOf),
};

function modelOf(text: string): Model {
  const [cores = 0, gib = 0] = text.split('/').map(Number);
  return { cores, gib };
}

const HOSTS = {
  /** Disk requests per second at usual activity, relative to an office machine. */
  diskWork: column.number,
  laptop: column.yesOrNo,
  /** Terminals that may be open in addition to the console. */
  terminals: column.wholeNumber,
  models: MODELS,
  intelModel: MODELS,
  /** Share of hosts that are guests of other Macs. */
  virtual: column.orEmpty(column.number),
};

export function macRole(data: HostTables, role: string) {
  return hostsOfRole(data, { role, system: 'macos' }, HOSTS);
}

export type MacHardware = Hardware & {
  readonly arm: boolean;
  readonly laptop: boolean;
  /** A guest on another Mac, without sensors. */
  readonly virtual: boolean;
  readonly devices: readonly BlockDevice[];
};

const GUEST: Model = { cores: 2, gib: 8 };

export function macHardware(name: string, intelShare: number, input: VariantInput): MacHardware {
  const random = randomStream(variantDraws(name, input)('variant'));
  const { role } = input;
  const { laptop, diskWork, models, intelModel, virtual: guests = 0 } = macRole(input.data, role);
  const arm = random() >= intelShare;
  const virtual = guests > 0 && random() < guests;
  const physical = (arm ? models[Math.floor(random() * models.length)] : intelModel[0]) ?? GUEST;
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
    interfaces: interfacesOf(input.data, counts.interfaces, random),
    counts,
  };
}

function devicesOf(count: number, diskWork: number, random: Random): readonly BlockDevice[] {
  return Array.from({ length: count }, (_, index) => ({
    name: index === 0 ? 'disk0' : `disk${3 + index}`,
    partitions: [],
    readsPerSecond: index === 0 ? diskWork * (3 + 6 * random()) : diskWork * random(),
    writesPerSecond: index === 0 ? diskWork * (3 + 8 * random()) : diskWork * random(),
    latencyMs: 0.1 + 0.3 * random(),
  }));
}

/** Interfaces, the busiest first. Macs do not report speed and duplex, and count no packets that they dropped. */
function interfacesOf(data: HostTables, count: number, random: Random): readonly NetworkInterface[] {
  const all = cardsOf(data, ['macos'], trafficFrom(random));
  const tunnels = Array.from({ length: Math.max(0, count - all.length) }, (_, index) => {
    return networkCard(`utun${4 + index}`, { up: true });
  });
  const own = [...all, ...tunnels].slice(0, Math.max(1, count));
  return own.map((card) => ({ ...card, countsUnsent: false, loops: card.name === 'lo0' }));
}
