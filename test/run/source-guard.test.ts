import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/kernel/errors.ts';
import { WHOLE_FLEET } from '../../src/load/shard.ts';
import { assertSourcesUsable } from '../../src/run/source-guard.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';

// Set aside for documentation (RFC 5737).
const NOT_HERE = '203.0.113.9';
const LOOPBACK = ['127.0.0.1'];

function from(addresses: string, agents = 10) {
  return scenarioOf(`fleet: { agents: ${agents}, sourceAddresses: [${addresses}] }
phases: [{ name: a, register: { rate: 1/s } }]`);
}

describe('source addresses', () => {
  it('that this machine has pass', async () => {
    await assertSourcesUsable(from('127.0.0.2-127.0.0.9'), WHOLE_FLEET, LOOPBACK);
  });

  it('that this machine does not have are refused with the address and what to do', async () => {
    const refused = assertSourcesUsable(from(`127.0.0.2, ${NOT_HERE}`), WHOLE_FLEET, LOOPBACK);
    await expect(refused).rejects.toThrow(UserError);
    await expect(refused).rejects.toThrow(
      `fleet.sourceAddresses: expected addresses of this machine, found ${NOT_HERE}, which it does not have: ` +
        `add it with ip address add ${NOT_HERE} dev INTERFACE, or leave it out.`,
    );
  });

  it('from which no way leads to the target are refused', async () => {
    const refused = assertSourcesUsable(from('127.0.0.2'), WHOLE_FLEET, [NOT_HERE]);
    await expect(refused).rejects.toThrow(`found 127.0.0.2, from which no way leads to ${NOT_HERE}`);
  });

  it('that have no connection are not asked for', async () => {
    await assertSourcesUsable(from(`127.0.0.2, ${NOT_HERE}`, 1), WHOLE_FLEET, LOOPBACK);
  });
});
