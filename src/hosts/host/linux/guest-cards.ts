import { type Cell, slot, type Text } from '../../document/nodes.ts';
import type { Container, Containers } from '../containers.ts';
import type { NetworkInterface, Random } from '../hardware.ts';
import { type HostGuests, leadingDigits, type VirtualMachines } from './guests.ts';
import { PORT_OF_A_GUEST, virtualCard } from './hardware.ts';

/** A network card as the system lists it, also one that exists only at times or on some hosts. */
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
  /** The daemon of Docker, if any, with the cell that holds 0 on hosts without it. */
  readonly docker: { readonly installed: Cell | undefined } | undefined;
  readonly random: Random;
};

/** Bridges for guests, and a card for each guest, which exists while the guest runs. */
export function guestCards({ guests: { containers, machines }, docker, random }: GuestCardsInput): readonly HostCard[] {
  return [
    // Docker's default network stays empty: the containers of a Compose project have their own.
    ...(docker === undefined ? [] : [{ ...virtualCard('docker0'), present: docker.installed }]),
    ...(containers === undefined ? [] : containerCards(containers, random)),
    ...(machines === undefined ? [] : machineCards(machines, random)),
  ];
}

/** Podman numbers its cards, and its bridge exists only while a container needs it. Docker's names differ between hosts. */
function containerCards({ engine, list, network, some }: Containers, random: Random): readonly HostCard[] {
  const isPodman = engine === 'podman';
  const bridge = bridgeCard(isPodman ? 'podman0' : 'br-', some, packets(0.4, random));
  const title = slot.text('br-', slot.hex(network.start, 8), slot.hex(network.end, 4));
  const cards = list.map((container, index): HostCard => {
    const name = `veth${isPodman ? index : leadingDigits((index + random()) / list.length, 3)}`;
    const card = { ...virtualCard(name), ...PORT_OF_A_GUEST, up: true, container, present: container.running };
    return isPodman ? card : { ...card, title: slot.text(name, slot.hex(container.card, 4)) };
  });
  return [{ ...bridge, ...(isPodman ? { present: some } : { title }) }, ...cards];
}

function machineCards({ list, some }: VirtualMachines, random: Random): readonly HostCard[] {
  const bridge = bridgeCard('virbr0', some, packets(0.3, random));
  const cards = list.map(({ index, row }): HostCard => {
    const card = { ...virtualCard(`vnet${index}`), ...PORT_OF_A_GUEST, up: true };
    return { ...card, packetsPerSecond: packets(0.8, random), present: row.running };
  });
  return [bridge, ...cards];
}

function bridgeCard(name: string, carries: Cell, packetsPerSecond: HostCard['packetsPerSecond']): HostCard {
  return { ...virtualCard(name), up: true, speed: 10_000, packetsPerSecond, carries };
}

/** From `scale` to 13 times as many each way. Chosen, like the scales. */
function packets(scale: number, random: Random): HostCard['packetsPerSecond'] {
  return { sent: scale * (1 + 12 * random()), received: scale * (1 + 12 * random()) };
}
