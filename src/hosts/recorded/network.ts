import { netIoCheck } from '../checks/network.ts';
import type { Cells } from '../document/nodes.ts';
import type { HostCard } from '../host/linux/guest-cards.ts';
import type { Part } from '../host/part.ts';
import { type RecordedCard, type RecordedCheckdata, secondsCounted, told } from './shapes.ts';

/** The check `net_io`: packet rates, sizes and losses match the recorded counters on average. */
export function recordedNetIo(document: RecordedCheckdata, cells: Cells): Part {
  const counted = { seconds: secondsCounted(document), countsUnsent: document.agent.goos !== 'darwin' };
  const cards = Object.entries(told(document.net_io) ?? {});
  return netIoCheck(
    cards.map(([name, card]) => cardOf(name, card, counted)),
    cells,
  );
}

type Counted = { readonly seconds: number; readonly countsUnsent: boolean };

function cardOf(name: string, card: RecordedCard, { seconds, countsUnsent }: Counted): HostCard {
  const { packets_sent: sent, packets_recv: received } = card;
  const each = (sum: number, packets: number) => (packets === 0 ? 0 : sum / packets);
  return {
    ...{ name, up: true, duplex: 0, speed: 0, mtu: 0, countsUnsent },
    packetsPerSecond: { sent: sent / seconds, received: received / seconds },
    loops: sent > 0 && sent === received && card.bytes_sent === card.bytes_recv,
    measured: {
      sentBytes: each(card.bytes_sent, sent),
      receivedBytes: each(card.bytes_recv, received),
      errin: each(card.errin, received),
      errout: each(card.errout, sent),
      dropin: each(card.dropin, received),
      dropout: each(card.dropout, sent),
    },
  };
}
