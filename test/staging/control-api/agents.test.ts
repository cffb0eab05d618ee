import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { LIFECYCLE_STATES } from '../../../src/base/protocol/operations.ts';
import { membership } from '../../../src/load/cohorts/cohort.ts';
import { cohortFactsOf } from '../../../src/scenario/cohort-members.ts';
import { readCohort } from '../../../src/scenario/events.ts';
import type { AgentSummary } from '../../../src/staging/control-api/schemas.ts';
import { draws } from '../../draws.ts';
import { closeServed, type ServedFleet, serveFleet } from './served-fleet.ts';

afterEach(closeServed);

type Page = { readonly agents: readonly AgentSummary[]; readonly next: string | null };

/** The agents of a cohort from all pages. */
async function allPages({ ask }: ServedFleet, query: Readonly<Record<string, string>>): Promise<AgentSummary[]> {
  const agents: AgentSummary[] = [];
  let cursor: string | null = '0';
  while (cursor !== null) {
    const answer = await ask(`/api/v1/agents?${new URLSearchParams({ ...query, cursor })}`);
    expect(answer.status).toBe(200);
    const page = (await answer.json()) as Page;
    expect(page.agents.length).toBeLessThanOrEqual(Number(query.limit));
    agents.push(...page.agents);
    cursor = page.next;
  }
  return agents;
}

describe('paginated agents', () => {
  it('are all members of the cohort, once each and in order, whatever the page size', async () => {
    const served = await serveFleet({ agents: 120 });
    const { fleet } = served.run.fleet.scenario;
    const facts = {
      ...cohortFactsOf(fleet),
      state: (index: number) => LIFECYCLE_STATES[index % 5] ?? 'unregistered',
    };
    const choices = ['100%', '30%', 'not 30%', 'profile=windows-*', 'state=refused', '10..19 or host=*-de-*', '0%'];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...choices), fc.integer({ min: 3, max: 150 }), fc.string(), async (...drawn) => {
        const [cohort, limit, draw] = drawn;
        const found = await allPages(served, { cohort, draw, limit: String(limit) });
        const read = readCohort(cohort);
        if (read.kind !== 'cohort') throw new Error(read.mistake.expected);
        const isMember = membership(read.cohort, draw, facts);
        const expected = Array.from({ length: 120 }, (_, index) => index).filter(isMember);
        expect(found.map(({ index }) => index)).toEqual(expected);
      }),
      { numRuns: draws(15) },
    );
  });

  it('are those of the local shard', async () => {
    const served = await serveFleet({ agents: 20, shard: { index: 1, count: 3 } });
    const found = await allPages(served, { limit: '4' });
    expect(found.map(({ index }) => index)).toEqual([1, 4, 7, 10, 13, 16, 19]);
    // By their positions in the shard.
    expect(found.map(({ state }) => state)).toEqual([...LIFECYCLE_STATES, ...LIFECYCLE_STATES].slice(0, 7));
  });

  it('have their current uuids, which events may have changed', async () => {
    const served = await serveFleet({ agents: 4 }, { assumedUuids: async () => new Map([[2, 'another']]) });
    const drawn = await allPages(await serveFleet({ agents: 4 }), { limit: '9' });
    const uuids = drawn.map(({ uuid }) => uuid);
    const found = await allPages(served, { limit: '3' });
    expect(found.map(({ uuid }) => uuid)).toEqual([uuids[0], uuids[1], 'another', uuids[3]]);
  });

  it('do not block other requests, even with 100,000 uuids to compute', async () => {
    const { ask } = await serveFleet({ agents: 100_000 });
    let answered = false;
    let turns = 0;
    const count = ask('/api/v1/cohorts?cohort=uuid=*zz*').then((answer) => {
      answered = true;
      return answer.json();
    });
    while (!answered) {
      await new Promise((resolve) => setImmediate(resolve));
      turns++;
    }
    expect(await count).toMatchObject({ count: 0 });
    expect(turns).toBeGreaterThan(10);
  });

  it.each([
    [
      'cohort=stat=x',
      'cohort, column 1: expected one of profile, role, group, host, uuid, state, found "stat"; did you mean state?',
      1,
    ],
    ['cohort=10% and (role=web', 'cohort, column 18: expected', 18],
    ['cohort=40', 'cohort: expected agents from 0 to 39, found "40".', 1],
    ['limit=0', 'limit: expected a whole number from 1 to 1000.', undefined],
    ['cursor=-1', 'cursor: expected a whole number from 0 to 10000000.', undefined],
  ])('are rejected for invalid queries: %s', async (query, error, column) => {
    const { ask } = await serveFleet();
    const answer = await ask(`/api/v1/agents?${query.replaceAll('%', '%25')}`);
    expect(answer.status).toBe(400);
    const said = (await answer.json()) as { detail: string; column?: number };
    expect(said.detail.slice(0, error.length)).toBe(error);
    expect(said.column).toBe(column);
  });
});
