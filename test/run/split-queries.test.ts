import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSplitQueries } from '../../src/run/split-queries.ts';
import type { ShardQuery } from '../../src/workers/shard-query.ts';
import type { Shards } from '../../src/workers/shards.ts';

type Change = { readonly agent: number; readonly code: number };

/** Workers that share agents in turn, each of which answers with its own agent numbers, as a shard does. */
function machineOf(agents: number, workers: number) {
  const codes = Array.from({ length: agents }, (_, agent) => agent % 251);
  const log: { readonly worker: number; readonly agent: number; readonly code: number }[] = [];
  const own = <T>(worker: number, all: readonly T[]) => all.filter((_, agent) => agent % workers === worker);
  const answer = (worker: number, query: ShardQuery): unknown => {
    switch (query.kind) {
      case 'conditions':
        return Uint8Array.from(own(worker, codes).slice(query.first, query.first + query.count));
      case 'changes': {
        const all = log.filter((entry) => entry.worker === worker);
        const wanted = all.slice(Number(query.since ?? all.length));
        return {
          next: String(all.length),
          missed: 0,
          agents: Uint32Array.from(wanted, ({ agent }) => agent),
          codes: Uint8Array.from(wanted, ({ code }) => code),
        };
      }
      case 'assumed_uuids':
        return [[0, `uuid-of-${worker}`]];
      default:
        return { worker, ...query };
    }
  };
  const ask = (async (worker: number, query: ShardQuery) => answer(worker, query)) as Shards['ask'];
  const change = ({ agent, code }: Change) => {
    log.push({ worker: agent % workers, agent: Math.floor(agent / workers), code });
  };
  const shards = {
    ask,
    askAll: (async ({ kind }: ShardQuery) =>
      kind === 'find_event' ? [{ count: 6, agents: undefined }] : [2, 4]) as unknown as Shards['askAll'],
  };
  return { codes, change, ask: createSplitQueries({ agents, workers }, shards) };
}

const sizes = fc.record({ agents: fc.integer({ min: 1, max: 60 }), workers: fc.integer({ min: 1, max: 7 }) });

describe('a query to a machine', () => {
  it('returns the conditions of any of its agents in order', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(70), fc.nat(70), async ({ agents, workers }, first, count) => {
        const { codes, ask } = machineOf(agents, workers);
        const told = await ask({ kind: 'conditions', first, count });
        expect([...told]).toEqual(codes.slice(first, first + count));
      }),
    );
  });

  it('returns the last change of each agent once to a client that continues from its previous position', async () => {
    const change = fc.record({ agent: fc.nat(59), code: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(sizes, fc.array(fc.array(change)), async ({ agents, workers }, rounds) => {
        const { ask, change: note } = machineOf(agents, workers);
        let { next } = await ask({ kind: 'changes' });
        for (const round of rounds) {
          const changed = round.filter(({ agent }) => agent < agents);
          for (const one of changed) note(one);
          const told = await ask({ kind: 'changes', since: next });
          const seen = [...told.agents].map((agent, n) => `${agent} ${told.codes[n]}`);
          const last = new Map(changed.map(({ agent, code }) => [agent, code]));
          expect(seen.sort()).toEqual(Array.from(last, ([agent, code]) => `${agent} ${code}`).sort());
          expect(told.missed).toBe(0);
          next = told.next;
        }
      }),
    );
  });

  it('counts all agents as missed for a position of another machine', async () => {
    const { ask, change } = machineOf(6, 2);
    for (let n = 0; n < 5; n++) change({ agent: n, code: 1 });
    const { next } = await ask({ kind: 'changes' });
    expect(await ask({ kind: 'changes', since: '[1,"1","2"]' })).toMatchObject({
      next,
      missed: 6,
      codes: new Uint8Array(),
    });
  });

  it('is forwarded if it concerns one agent, and passed to all workers if it concerns all', async () => {
    const { ask } = machineOf(10, 3);
    expect(await ask({ kind: 'agent_details', agent: 7, index: 15 })).toEqual({
      worker: 1,
      kind: 'agent_details',
      agent: 2,
      index: 15,
    });
    expect(await ask({ kind: 'assumed_uuids' })).toEqual([
      [0, 'uuid-of-0'],
      [1, 'uuid-of-1'],
      [2, 'uuid-of-2'],
    ]);
    expect(await ask({ kind: 'affected_by', name: 'reboot', atMs: 5 })).toBe(6);
    const event = {} as Extract<ShardQuery, { kind: 'find_event' }>['event'];
    expect(await ask({ kind: 'find_event', event, withAgents: false })).toEqual({ count: 6, agents: undefined });
  });
});
