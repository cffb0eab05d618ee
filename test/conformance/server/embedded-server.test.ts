import { describe, expect, it } from 'vitest';
import { SERVER_CASES } from '../../../src/conformance/server/mode.ts';
import { startMonitoringServer } from '../../../src/server/start.ts';
import { isDeviation } from '../deviations.ts';
import { brokenIn, tryAt } from './try-server.ts';

describe.each(['documented', 'shipped'] as const)('the embedded server with the dialect %s', (dialect) => {
  it.each(['automatic', 'manual'] as const)(
    'breaks exactly the rules that the page says, with hosts %s',
    async (kind) => {
      const assigned = { uuid: '11111111-1111-4111-8111-111111111111', password: 'abc'.repeat(10) };
      const server = await startMonitoringServer({
        dialect,
        apiKey: 'Key7',
        hostAssignment: { kind },
        registrations: [assigned],
      });
      const { results } = await tryAt(server.url, SERVER_CASES, { apiKey: 'Key7', assigned });
      await server.stop();
      expect(brokenIn(results)).toEqual(SERVER_CASES.filter((one) => isDeviation(one, dialect)).map(({ id }) => id));
      const untried = results.filter(({ verdict }) => verdict.kind === 'untried').map(({ rule }) => rule.id);
      expect(untried).toEqual(kind === 'automatic' ? ['checkdata.11', 'packages.11'] : []);
    },
  );
});
