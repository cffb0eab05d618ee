import { type Cell, hex, type Text, text } from '../../document/nodes.ts';
import type { Container, Containers } from '../containers.ts';
import type { NetworkInterface, Random } from '../hardware.ts';
import type { HostGuests } from './guests.ts';
import { PORT_OF_A_GUEST, virtualCard } from './hardware.ts';

/** A card of a host. */
export type HostCard = NetworkInterface & {
  /** Holds 0 while it is not there, if that can be. */
  readonly present?: Cell | undefined;
  /** Of a bridge: holds 0 while nothing is at it. */
  readonly carries?: Cell;
  /** Its name if that is the host's own; `name` then says where it stands among the others. */
  readonly title?: Text;
  /** What is at its other end, and moves the same. */
  readonly container?: Container;
};

type GuestCardsInput = {
  readonly guests: HostGuests;
  /** Whether there is a daemon for containers, and the cell that holds 0 on hosts without it. */
  readonly engine: { readonly installed: Cell | undefined } | undefined;
  readonly random: Random;
};

/** Bridges that software makes for guests, and a card at them for each guest that runs. */
export function guestCards({ guests, engine, random }: GuestCardsInput): readonly HostCard[] {
  const { containers, machines } = guests;
  const packets = (scale: number) => ({ sent: scale * (1 + 12 * random()), received: scale * (1 + 12 * random()) });
  const bridge = (name: string, carries: Cell, scale: number): HostCard => {
    return { ...virtualCard(name), up: true, speed: 10_000, packetsPerSecond: packets(scale), carries };
  };
  // Containers with names like those of Compose have a network of their own; Docker's default one stays empty.
  const docker = { ...virtualCard('docker0'), present: engine?.installed };
  const networks = containers === undefined ? [] : [networkOf(containers, bridge)];
  return [
    ...(engine === undefined ? [] : [docker]),
    ...networks,
    ...(containers?.list ?? []).map((container, place): HostCard => {
      const name = containers?.engine === 'podman' ? `veth${place}` : `veth${leadOf(place, containers, random)}`;
      const title = containers?.engine === 'podman' ? {} : { title: text(name, hex(container.card, 4)) };
      return { ...virtualCard(name), ...PORT_OF_A_GUEST, ...title, up: true, container, present: container.running };
    }),
    ...(machines === undefined ? [] : [bridge('virbr0', machines.some, 0.3)]),
    ...(machines?.list ?? []).map(({ index, row }): HostCard => {
      const card = { ...virtualCard(`vnet${index}`), ...PORT_OF_A_GUEST, up: true };
      return { ...card, packetsPerSecond: packets(0.8), present: row.running };
    }),
  ];
}

/** Podman's is there only while it is needed. */
function networkOf(
  { engine, network, some }: Containers,
  bridge: (name: string, carries: Cell, scale: number) => HostCard,
): HostCard {
  if (engine === 'podman') return { ...bridge('podman0', some, 0.4), present: some };
  return { ...bridge('br-', some, 0.4), title: text('br-', hex(network.start, 8), hex(network.end, 4)) };
}

const LEADS = 0x1000;

/** The first digits of a name, which rise, so that names stay in order whatever the rest of them is. */
function leadOf(place: number, containers: Containers | undefined, random: Random): string {
  const all = containers?.list.length ?? 1;
  return Math.floor((LEADS * (place + random())) / all)
    .toString(16)
    .padStart(3, '0');
}
