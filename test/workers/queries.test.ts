import { expect, it } from 'vitest';
import type { FleetEvent } from '../../src/load/events/event.ts';
import { findEvent } from '../../src/workers/queries.ts';
import type { Shards } from '../../src/workers/shards.ts';

it('agents that several shards found are counted together, and listed in the order of their indices', async () => {
  const parts = [
    { count: 3, agents: [0, 10, 20] },
    { count: 0, agents: [] },
    { count: 2, agents: [1, 11] },
  ];
  const shards = { askAll: (async () => parts) as unknown as Shards['askAll'] };
  const event = {} as FleetEvent;
  expect(await findEvent(shards, event, true)).toEqual({ count: 5, agents: [0, 1, 10, 11, 20] });
  expect(await findEvent(shards, event, false)).toEqual({ count: 5, agents: undefined });
});
