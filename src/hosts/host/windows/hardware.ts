import { randomStream } from '../../../base/kernel/random.ts';
import { column, type HostTables, oncePerData, readTable, type TableColumn, type TableRow } from '../../host-data.ts';
import { type ExporterEntry, exporterEntries } from '../configured-checks.ts';
import {
  cardsOf,
  type Hardware,
  type NetworkInterface,
  networkCard,
  type PhysicalDisk,
  type Random,
  trafficFrom,
  type Volume,
  varied,
} from '../hardware.ts';
import { byWeight, pick } from '../noise.ts';
import type { VariantInput } from '../profile.ts';
import { hostsOfRole } from '../roles.ts';
import { coresIn, variantDraws } from '../sizes.ts';

/** Usual roles of workplaces and servers, equally frequent. */
export const USUAL_CLIENT_ROLES: readonly string[] = ['office', 'developer', 'engineering', 'kiosk'];
export const USUAL_SERVER_ROLES: readonly string[] = ['domain-controller', 'file-server', 'database', 'web'];

const HOSTS = {
  /** Disk requests per second at usual activity, relative to an office machine. */
  diskWork: column.number,
  /** Each host has one of these core counts, and one of these amounts of memory per core. */
  cores: column.numbers,
  gibPerCore: column.numbers,
  volumes: column.orEmpty(column.wholeNumber),
};

export function windowsRole(data: HostTables, role: string) {
  return hostsOfRole(data, { role, system: 'windows' }, HOSTS);
}

export type WindowsHardware = Hardware & {
  readonly client: boolean;
  /** The hypervisor whose guests the hosts are; `metal` if they are physical, as workplaces are. */
  readonly platform: TableRow<typeof SERVER_CARDS>['platform'];
  readonly volumes: readonly Volume[];
  readonly disks: readonly PhysicalDisk[];
  readonly exporters: readonly ExporterEntry[];
};

const LETTERS = [...'CDEFGSTUHIJKLMNOPQRVWXYZ'].map((letter) => `${letter}:`);
const SYSTEM_SIZES_GB = [120, 240, 256, 480, 512, 960];
const DATA_SIZES_GB = [100, 250, 500, 1000, 2000, 4000];

/** A host does not depend on how much it reports: everything but the counts is drawn in the same order. */
export function windowsHardware(name: string, client: boolean, input: VariantInput): WindowsHardware {
  const draw = variantDraws(name, input);
  const random = randomStream(draw('variant'));
  const { role } = input;
  const { cores: usualCores, gibPerCore, diskWork, volumes: more = 0 } = windowsRole(input.data, role);
  const choices = coresIn(input.size, usualCores);
  const cores = pick(choices, random());
  const memoryGibs = gibPerCore.map((gib) => gib * cores);
  const counts = varied(input.counts, input.variant, random);
  const exact = counts.fixed?.includes('disks') ?? false;
  const extra = exact || input.counts.devices === 0 ? 0 : more;
  const volumes = volumesOf(counts.disks + extra);
  const disks = randomStream(draw('storage'));
  const cards = randomStream(draw('cards'));
  const installed = client ? undefined : serverCardsOf(input, cards);
  return {
    role,
    client,
    platform: installed?.platform ?? 'metal',
    cores,
    memoryGibs,
    swapGibs: [1.25, 2, 2.375, 4, 6.5, 8].map((gib) => gib * Math.max(1, cores / 8)),
    volumes,
    disks: counts.devices === 0 ? [] : disksOf(volumes, diskWork, disks),
    interfaces: interfacesOf({ ...input, installed, count: counts.interfaces }, cards),
    exporters: exporterEntries('windows', input.checks.prometheus_exporters ?? 0),
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
  const onSystemDisk = letters.length > 1 && random() < 0.3 ? 2 : 1;
  const names = [letters.slice(0, onSystemDisk).join(' '), ...letters.slice(onSystemDisk)];
  const bootPartition = { name: 'HarddiskVolume1', readsPerSecond: 0.002, writesPerSecond: 0.001, latencyMs: 0.3 };
  const lettered = names.map((name) => ({
    name,
    readsPerSecond: diskWork * (1 + 4 * random()),
    writesPerSecond: diskWork * (2 + 6 * random()),
    latencyMs: 0.15 + 0.5 * random(),
  }));
  return [...lettered, bootPartition];
}

const CARD_NAMES: TableColumn<readonly string[]> = {
  expected: 'names with bars between them',
  pattern: /^[^|]+(\|[^|]+)*$/,
  read: (cell) => cell.split('|'),
};
/** Cards of a server: one, or two that are a team of Windows, or of a Hyper-V switch. */
const SERVER_CARDS = {
  /** The role whose hosts have them; that of all other hosts if absent. */
  on: column.orEmpty(column.text),
  platform: column.oneOf('metal', 'hyper-v', 'kvm', 'vmware'),
  weight: column.wholeNumber,
  cards: CARD_NAMES,
  team: column.orEmpty(column.text),
  speed: column.wholeNumber,
};
const serverCards = oncePerData((data) => {
  const rows = readTable(data, 'server-cards.tsv', SERVER_CARDS);
  return Map.groupBy(byWeight(rows), ({ on }) => on);
});

type ServerCards = TableRow<typeof SERVER_CARDS>;
type CardsOf = Pick<VariantInput, 'data' | 'role' | 'checks'> & { readonly count: number };
type Packets = ReturnType<typeof trafficFrom>;

function serverCardsOf({ data, role }: Pick<VariantInput, 'data' | 'role'>, random: Random): ServerCards {
  const cards = serverCards(data);
  return pick(cards.get(role) ?? cards.get(undefined) ?? [], random());
}

/** A short list has one card of a team and not the team, whose traffic is that of all. */
function serverInterfaces({ data, checks, count }: CardsOf, packets: Packets, { cards, team, speed }: ServerCards) {
  const members = team === undefined || count < cards.length + 2 ? cards.slice(0, 1) : cards;
  const cardsInUse = members.map((name) => networkCard(name, { up: true, speed, packetsPerSecond: packets(14) }));
  const teams =
    members.length < 2 ? [] : [networkCard(team ?? '', { up: true, speed: members.length * speed, members })];
  const others = cardsOf(
    data,
    ['windows', ...((checks.docker ?? 0) > 0 ? ['server-containers' as const] : []), 'server'],
    packets,
  );
  const names = new Set(cards);
  return [...cardsInUse, ...teams, ...others.filter(({ name }) => !names.has(name))];
}

function clientInterfaces({ data, role }: CardsOf, packets: Packets, random: Random) {
  const wireless = random() < 0.5;
  const active = { up: true, packetsPerSecond: packets(5) };
  const wired = networkCard('Ethernet', wireless ? {} : { ...active, speed: 1000 });
  const wifi = networkCard('Wi-Fi', wireless ? { ...active, speed: 866 } : {});
  const machines = role === HYPERV_ROLE ? (['client-machines'] as const) : [];
  return [...(wireless ? [wifi, wired] : [wired, wifi]), ...cardsOf(data, ['windows', 'client', ...machines], packets)];
}

/** The workplaces that run Hyper-V, with its switches. */
const HYPERV_ROLE = 'developer';

/** Network interfaces, the one in use first. Filter drivers on top of a card are not listed. */
function interfacesOf(
  { installed, ...input }: CardsOf & { readonly installed: ServerCards | undefined },
  random: Random,
): readonly NetworkInterface[] {
  const packets = trafficFrom(random);
  const known =
    installed === undefined ? clientInterfaces(input, packets, random) : serverInterfaces(input, packets, installed);
  const more = Array.from({ length: Math.max(0, input.count - known.length) }, (_, index) => {
    return networkCard(`${installed === undefined ? 'Local Area Connection*' : 'Ethernet'} ${10 + index}`);
  });
  return [...known, ...more].slice(0, Math.max(1, input.count));
}
