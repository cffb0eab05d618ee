import { netIoCheck } from '../checks/network.ts';
import type { HostCard } from '../host/linux/guest-cards.ts';
import type { Part } from '../host/part.ts';
import { type RecordedChecks, secondsCounted } from './shapes.ts';
import { mean } from './storage.ts';
import type { LiveCells } from './template.ts';

/** The check `net_io`: packet rates, sizes and losses match the recorded counters on average. */
export function recordedNetIo(recorded: RecordedChecks, { cells }: LiveCells): Part {
  const seconds = secondsCounted(recorded);
  const countsUnsent = recorded.agent.goos !== 'darwin';
  const cards = Object.entries(recorded.net_io ?? {}).map(([name, card]): HostCard => {
    const { packets_sent: sent, packets_recv: received } = card;
    return {
      ...{ name, up: true, duplex: 0, speed: 0, mtu: 0, countsUnsent },
      packetsPerSecond: { sent: sent / seconds, received: received / seconds },
      loops: sent > 0 && sent === received && card.bytes_sent === card.bytes_recv,
      measured: {
        sentBytes: mean(card.bytes_sent, sent),
        receivedBytes: mean(card.bytes_recv, received),
        errin: mean(card.errin, received),
        errout: mean(card.errout, sent),
        dropin: mean(card.dropin, received),
        dropout: mean(card.dropout, sent),
      },
    };
  });
  return netIoCheck(cards, cells);
}
