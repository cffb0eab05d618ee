import { describe, expect, it } from 'vitest';
import { type Poller, runPoller } from '../../../src/wire/poller/poller.ts';

/** Runs a poller that is told to stop immediately. Its agents are busy for this many checks. */
async function runBusy(looks: number): Promise<readonly string[]> {
  const calls: string[] = [];
  const stop = new AbortController();
  let left = looks;
  let nowMs = 0;
  const poller: Poller = {
    advance: () => {
      calls.push('advance');
      stop.abort();
      return Number.POSITIVE_INFINITY;
    },
    stop: () => calls.push('stop'),
    cancel: () => calls.push(left > 0 ? 'cancel what is under way' : 'cancel'),
    busyAgents: () => (left-- > 0 ? 1 : 0),
    agentStates: () => ({ unregistered: 0, waiting: 0, refused: 0, registered: 0, authorized: 0 }),
    counts: () => ({
      states: { waiting: 1, exchange_failed: 0, ready: 0, answering: 0, failing: 0 },
      agents: 1,
      exchanged: 0,
      configured: 0,
      answering: 0,
    }),
    close: async () => void calls.push('close'),
  };
  await runPoller(poller, () => (nowMs += 300), stop.signal);
  return calls;
}

describe('the loop of a poller', () => {
  it('lets pending requests finish, so that the state of certificates stays known', async () => {
    expect(await runBusy(3)).toEqual(['advance', 'stop', 'cancel', 'close']);
  });

  it('stops waiting after a time limit', async () => {
    expect(await runBusy(1_000_000)).toEqual(['advance', 'stop', 'cancel what is under way', 'close']);
  });
});
