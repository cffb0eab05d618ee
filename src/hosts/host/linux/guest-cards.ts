import { type Cell, slot, type Text } from '../../document/nodes.ts';
import type { Container, Containers } from '../containers.ts';
import type { NetworkInterface, Random } from '../hardware.ts';
import type { HostGuests } from './guests.ts';
import { PORT_OF_A_GUEST, virtualCard } from './hardware.ts';

export type HostCard = NetworkInterface & {
  /** Holds 0 while the card does not exist, if it can be missing. */
  readonly present?: Cell | undefined;
  /** For a bridge: holds 0 while nothing is attached. */
  readonly carries?: Cell;
  /** The card's name if each host has its own. `name` then determines its position among the others. */
  readonly title?: Text;
  /** The container at the other end, which has the same traffic. */
  readonly container?: Container;
};

type GuestCardsInput = {
  readonly guests: HostGuests;
  /** The container daemon, if any, with the cell that holds 0 on hosts without it. */
  readonly engine: { readonly installed: Cell | undefined } | undefined;
  readonly random: Random;
};

/** Bridges for guests, and a card for each running guest. */
export function guestCards({ guests, engine, random }: GuestCardsInput): readonly HostCard[] {
  const { containers, machines } = guests;
  const packets = (scale: number) => ({ sent: scale * (1 + 12 * random()), received: scale * (1 + 12 * random()) });
  const bridge = (name: string, carries: Cell, scale: number): HostCard => {
    return { ...virtualCard(name), up: true, speed: 10_000, packetsPerSecond: packets(scale), carries };
  };
  // The containers of a Compose project have their own network. Docker's default network stays empty.
  const docker = { ...virtualCard('docker0'), present: engine?.installed };
  const networks = containers === undefined ? [] : [networkOf(containers, bridge)];
  return [
    ...(engine === undefined ? [] : [docker]),
    ...networks,
    ...(containers?.list ?? []).map((container, index): HostCard => {
      const name = containers?.engine === 'podman' ? `veth${index}` : `veth${leadOf(index, containers, random)}`;
      const title = containers?.engine === 'podman' ? {} : { title: slot.text(name, slot.hex(container.card, 4)) };
      return { ...virtualCard(name), ...PORT_OF_A_GUEST, ...title, up: true, container, present: container.running };
    }),
    ...(machines === undefined ? [] : [bridge('virbr0', machines.some, 0.3)]),
    ...(machines?.list ?? []).map(({ index, row }): HostCard => {
      const card = { ...virtualCard(`vnet${index}`), ...PORT_OF_A_GUEST, up: true };
      return { ...card, packetsPerSecond: packets(0.8), present: row.running };
    }),
  ];
}

/** Podman's bridge exists only while a container needs it. */
function networkOf(
  { engine, network, some }: Containers,
  bridge: (name: string, carries: Cell, scale: number) => HostCard,
): HostCard {
  if (engine === 'podman') return { ...bridge('podman0', some, 0.4), present: some };
  return { ...bridge('br-', some, 0.4), title: slot.text('br-', slot.hex(network.start, 8), slot.hex(network.end, 4)) };
}

const LEADS = 0x1000;

/** The first digits of a name. They increase, so that names stay in order whatever the other digits are. */
function leadOf(index: number, containers: Containers | undefined, random: Random): string {
  const all = containers?.list.length ?? 1;
  return Math.floor((LEADS * (index + random())) / all)
    .toString(16)
    .padStart(3, '0');
}
