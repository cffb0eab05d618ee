import type { Clock } from '../../../base/kernel/clock.ts';
import { ATTACK_BOUNDS, HOARDED_CONNECTIONS } from '../../../base/protocol/attacks.ts';
import type { Script } from './script.ts';

/** Limits open sockets, and attacks and bytes per second. */
export type AttackBudget = ReturnType<typeof createAttackBudget>;

/** Creates one worker's share of `ATTACK_BOUNDS`, with room for at least one attack of each kind. */
export function createAttackBudget(clock: Clock, workers: number) {
  const most = {
    sockets: Math.max(HOARDED_CONNECTIONS, Math.floor(ATTACK_BOUNDS.sockets / workers)),
    perSecond: Math.max(1, Math.floor(ATTACK_BOUNDS.perSecond / workers)),
    bytesPerSecond: ATTACK_BOUNDS.bytesPerSecond / workers,
  };
  let sockets = 0;
  let second = Number.NEGATIVE_INFINITY;
  let started = 0;
  let bytes = 0;
  const turn = (): void => {
    const now = Math.floor(clock() / 1000);
    if (now === second) return;
    // The seconds after an attack that is larger than the share of one pay for the rest of it.
    bytes = Math.max(0, bytes - (now - second) * most.bytesPerSecond);
    second = now;
    started = 0;
  };
  return {
    hasRoom: (): boolean => {
      turn();
      return started < most.perSecond && sockets < most.sockets;
    },
    /** Returns false if there is no room for the attack. */
    take: ({ connections, sizeBytes }: Pick<Script, 'connections' | 'sizeBytes'>): boolean => {
      const isSmall = bytes === 0 || bytes + sizeBytes <= most.bytesPerSecond;
      if (!isSmall || sockets + connections.length > most.sockets) return false;
      sockets += connections.length;
      bytes += sizeBytes;
      started++;
      return true;
    },
    giveBack: (count: number) => {
      sockets -= count;
    },
  };
}
