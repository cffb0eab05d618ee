import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/kernel/errors.ts';
import { WHOLE_FLEET } from '../../src/load/shard.ts';
import { assertRoomFor } from '../../src/run/machine-room.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { MachineLimits } from '../../src/system/limits.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';

const LIMITS: MachineLimits = {
  fileDescriptors: 1064,
  hardFileDescriptors: 1064,
  localPorts: 28_232,
  localPortRange: { first: 32_768, last: 60_999 },
  memoryBytes: 1e9,
  cores: 2,
};

const LISTENING = `fleet: { agents: 1 }
webServer: { listen: 127.20.0.0/16:3333 }
phases: [{ name: a, duration: 1s }]`;

function fleet(agents: number, part = '', target = 'http://127.0.0.1:8080') {
  const text = `target: { url: "${target}" }\nfleet: { agents: ${agents}${part} }\nphases: [{ name: a, register: { rate: 1/s } }]`;
  return scenarioOf(text);
}

function roomFor(scenario: Scenario, limits: MachineLimits): void {
  assertRoomFor(scenario, WHOLE_FLEET, limits);
}

describe('a fleet', () => {
  it('is refused when its connections do not fit into the file descriptors, with the numbers and the remedy', () => {
    expect(() => roomFor(fleet(1000), LIMITS)).not.toThrow();
    expect(() => roomFor(fleet(1001), LIMITS)).toThrow(UserError);
    expect(() => roomFor(fleet(1001), LIMITS)).toThrow(
      /^1001 connections need 1065 file descriptors, and this machine gives a process 1064: .*ulimit -n/,
    );
  });

  it('needs twice as many where the embedded server holds the other ends', () => {
    expect(() => roomFor(fleet(500, '', 'embedded'), LIMITS)).not.toThrow();
    expect(() => roomFor(fleet(501, '', 'embedded'), LIMITS)).toThrow('501 connections need 1066');
  });

  it('is refused when one address has too few local ports for it', () => {
    const limits = { ...LIMITS, fileDescriptors: Number.POSITIVE_INFINITY };
    expect(() => roomFor(fleet(28_233), limits)).toThrow(/28233 local ports.*ip_local_port_range/);
  });

  it('has the ports of each source address that it has connections for', () => {
    const limits = { ...LIMITS, fileDescriptors: Number.POSITIVE_INFINITY };
    const from = (addresses: string, agents: number) => fleet(agents, `, sourceAddresses: [${addresses}]`);
    expect(() => roomFor(from('127.0.0.2-127.0.0.3', 56_464), limits)).not.toThrow();
    expect(() => roomFor(from('127.0.0.2-127.0.0.3', 56_465), limits)).toThrow(
      /^56465 connections need 28233 local ports of one address, and .* 28232: list more .*fleet\.sourceAddresses, or sysctl -w net\.ipv4\.ip_local_port_range/,
    );
    expect(() => roomFor(from('127.0.0.2-127.0.0.3, 192.0.2.7', 56_465), limits)).not.toThrow();
  });

  it('is refused when its listeners and polls do not fit, with both numbers', () => {
    const listening = (agents: number, pull = '') =>
      scenarioOf(`target: { ${pull} }
fleet: { agents: ${agents} }
webServer: { listen: 127.20.0.0/16:3333 }
phases: [{ name: a, duration: 1s }]`);
    expect(() => roomFor(listening(1000), LIMITS)).not.toThrow();
    expect(() => roomFor(listening(1001), LIMITS)).toThrow(
      /^1001 listeners need 1065 file descriptors, and this machine gives a process 1064: .*ulimit -n/,
    );
    expect(() => roomFor(listening(940, 'pull: { concurrency: 30 }'), LIMITS)).not.toThrow();
    expect(() => roomFor(listening(940, 'pull: { concurrency: 31 }'), LIMITS)).toThrow(
      '940 listeners, 31 polls at once need 1066 file descriptors',
    );
  });

  it('that pushes and listens needs room for both', () => {
    const both = { ...fleet(500), webServer: scenarioOf(LISTENING).webServer };
    expect(() => roomFor(both, LIMITS)).not.toThrow();
    expect(() => roomFor({ ...both, fleet: { ...both.fleet, agents: 501 } }, LIMITS)).toThrow(
      '501 connections, 501 listeners need 1066 file descriptors',
    );
  });

  it('may be of any size where agents share connections, or where the machine does not tell', () => {
    expect(() => roomFor(fleet(100_000, ', connections: { shared: 1000 }'), LIMITS)).not.toThrow();
    const unknown = { ...LIMITS, fileDescriptors: undefined, localPorts: undefined };
    expect(() => roomFor(fleet(100_000), unknown)).not.toThrow();
  });
});
