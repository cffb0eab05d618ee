import { beforeAll, describe, expect, it } from 'vitest';
import { realTimer } from '../../../src/base/runtime/event-loop.ts';
import { CONNECTIONS_OF_AGENTS } from '../../../src/conformance/server/connection.ts';
import { SERVER_CASES } from '../../../src/conformance/server/mode.ts';
import { correct, serveCalls } from './correct-server.ts';
import { MUTANTS } from './mutants.ts';
import { brokenIn, tryAt } from './try-server.ts';

const LARGE = ['checkdata.22', 'checkdata.23'];
const CASES = SERVER_CASES.filter(({ id }) => !LARGE.includes(id));

describe('a push server with one defect', () => {
  let usual: readonly string[] = [];

  beforeAll(async () => {
    const server = await serveCalls(correct);
    usual = brokenIn((await tryAt(server.url, CASES, { apiKey: 'Key7' })).results);
    await server.stop();
  });

  it('is one of at least sixty', () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(60);
  });

  it.concurrent.each(MUTANTS.map((mutant, number) => ({ number, ...mutant })))(
    '$number breaks exactly $rule',
    async ({ rule, handle, early, isSlow }) => {
      const server = await serveCalls(handle, early);
      const { results } = isSlow
        ? await tryAt(
            server.url,
            CONNECTIONS_OF_AGENTS.filter(({ slow }) => !slow),
            { apiKey: 'Key7', pauses: realTimer },
          )
        : await tryAt(server.url, CASES, { apiKey: 'Key7' });
      await server.stop();
      expect(brokenIn(results).filter((id) => !usual.includes(id))).toEqual([rule]);
    },
  );
});
