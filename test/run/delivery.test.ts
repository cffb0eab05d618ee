import { describe, expect, it } from 'vitest';
import { WHOLE_FLEET } from '../../src/load/shard.ts';
import { deliveryOf } from '../../src/run/delivery.ts';

const silent = async (): Promise<undefined> => undefined;
const column = new Uint32Array(4);
const delivery = { sent: column, acknowledged: column, refused: column };

describe('a delivery that nobody observed', () => {
  it.each([
    ['of a foreign target', 1, undefined, 'the target is not the embedded server'],
    ['of a fleet that lost a worker', 2, silent, 'a worker was lost, and with it what its agents sent'],
    ['of a server that is gone', 1, silent, 'the embedded server ended, or hung, before the run did'],
  ] as const)('%s says why', async (_, workers, observe, reason) => {
    const accounts = new Map([[0, { delivery }]]);
    expect(await deliveryOf({ seed: 1, shard: WHOLE_FLEET, workers, accounts }, { observe })).toEqual({
      observed: false,
      reason,
    });
  });
});
