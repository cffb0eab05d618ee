import { describe, expect, it } from 'vitest';
import { SERVER_CASES } from '../../../src/conformance/server/mode.ts';
import { correct, serveCalls } from './correct-server.ts';
import { brokenIn, tryAt } from './try-server.ts';

describe('a push server of forty lines', () => {
  it('keeps every rule of the levels written and agent', async () => {
    const server = await serveCalls(correct);
    const strict = SERVER_CASES.filter(({ level }) => level === 'written' || level === 'agent');
    const { results } = await tryAt(server.url, SERVER_CASES, { apiKey: 'Key7' });
    await server.stop();
    expect(brokenIn(results).filter((id) => strict.some((one) => one.id === id))).toEqual([]);
  });

  it('takes a UUID in capital letters for another agent, even if the random UUID of the run has no letters', async () => {
    const server = await serveCalls(correct);
    const cases = SERVER_CASES.filter(({ id }) => id === 'register.39');
    const uuid = '12345678-1234-4123-8123-000000000000';
    const { results } = await tryAt(server.url, cases, { apiKey: 'Key7', uuid });
    await server.stop();
    expect(results.map(({ verdict }) => verdict)).toEqual([{ kind: 'holds' }]);
  });
});
