import { describe, expect, it } from 'vitest';
import { deliveryOf } from '../../src/run/delivery.ts';
import type { RunTarget } from '../../src/run/target.ts';

const target = (observe: RunTarget['observe']): RunTarget => ({
  url: 'http://127.0.0.1:1',
  knownPasswords: undefined,
  saveCredentials: () => {},
  startFaults: () => {},
  observe,
  close: async () => {},
});
const silent = async (): Promise<undefined> => undefined;
const column = new Uint32Array(4);
const counts = { sent: column, acknowledged: column, refused: column };

describe('a delivery without a observer', () => {
  it.each([
    ['of a foreign target', 1, undefined, 'the target is not the embedded server'],
    ['of a fleet that lost a worker', 2, silent, 'a worker was lost, and with it what its agents sent'],
    ['of a server that is gone', 1, silent, 'the embedded server ended before the run did'],
  ] as const)('%s says why', async (_, workers, observe, reason) => {
    const deliveryCounts = new Map([[0, counts]]);
    expect(await deliveryOf({ seed: 1, workers, deliveryCounts }, target(observe))).toEqual({
      observed: false,
      reason,
    });
  });
});
