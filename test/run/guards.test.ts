import { describe, expect, it } from 'vitest';
import { TargetNotAllowedError, UserError } from '../../src/base/kernel/errors.ts';
import type { MachineLimits } from '../../src/base/system/limits.ts';
import { WHOLE_FLEET } from '../../src/load/shard.ts';
import {
  assertAddressesAllowed,
  assertRoomFor,
  assertSourcesUsable,
  assertTargetAllowed,
  littleRoomForClients,
} from '../../src/run/guards.ts';
import { fleetSizeOf } from '../../src/scenario/planning/fleet-size.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { Target } from '../../src/scenario/target.ts';
import { proxyOf } from '../../src/wire/agent/proxy.ts';
import { recordingOf } from '../hosts/recorded/recorded-fleets.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';

const target = (url: string, allow: string[] = []): Target => ({
  url,
  furtherUrls: [],
  allow,
  apiKey: '',
  proxy: undefined,
  timeoutMs: 1000,
  tls: { verify: true, caFile: undefined, serve: undefined },
  dialect: 'documented',
  faults: [],
  pull: undefined,
});

describe('the target guard', () => {
  it.each([
    'embedded',
    'http://127.0.0.1:8080',
    'http://127.9.8.7',
    'https://[::1]:3/x',
    'http://localhost',
    'http://LOCALHOST:80',
  ])('accepts %s, which is this machine', (url) => {
    expect(() => assertTargetAllowed(target(url))).not.toThrow();
  });

  it.each([
    'http://mon.example',
    'http://10.0.0.1',
    'http://127.0.0.1.example',
    'http://localhost.example',
    'http://128.0.0.1',
    'http://[::2]',
    'http://0.0.0.0',
    'http://evil.example/?127.0.0.1',
    'http://127.0.0.1@evil.example',
  ])('rejects %s and says how to allow it', (url) => {
    expect(() => assertTargetAllowed(target(url))).toThrow(TargetNotAllowedError);
    expect(() => assertTargetAllowed(target(url))).toThrow(`--allow ${new URL(url).hostname}`);
  });

  it('checks each of several base URLs', () => {
    const several = { ...target('http://127.0.0.1', ['mon-1.example']), furtherUrls: ['http://mon-1.example'] };
    expect(() => assertTargetAllowed(several)).not.toThrow();
    const strange = { ...several, furtherUrls: [...several.furtherUrls, 'http://mon-2.example'] };
    expect(() => assertTargetAllowed(strange)).toThrow('--allow mon-2.example');
  });

  it('accepts only hosts that are allowed by name', () => {
    expect(() => assertTargetAllowed(target('https://mon.example/push', ['mon.example']))).not.toThrow();
    expect(() => assertTargetAllowed(target('https://mon.example', ['Mon.Example']))).not.toThrow();
    expect(() => assertTargetAllowed(target('http://[2001:db8::1]', ['2001:db8::1']))).not.toThrow();
    expect(() => assertTargetAllowed(target('http://münchen.example', ['münchen.example']))).not.toThrow();
    expect(() => assertTargetAllowed(target('https://mon.example.', ['mon.example']))).not.toThrow();
    expect(() => assertTargetAllowed(target('https://mon.example', ['mon.example.']))).not.toThrow();
    expect(() => assertTargetAllowed(target('https://sub.mon.example', ['mon.example']))).toThrow(
      TargetNotAllowedError,
    );
  });

  it('checks a proxy and the target behind it, each by its own name', () => {
    const through =
      (proxy: string, url: string, allow: string[] = []) =>
      () =>
        assertTargetAllowed({ ...target(url, allow), proxy: { kind: 'url', url: proxy } });
    expect(through('http://127.0.0.1:3128', 'http://127.0.0.1')).not.toThrow();
    expect(through('socks5://[::1]:1080', 'embedded')).not.toThrow();
    expect(through('http://127.0.0.1:3128', 'http://mon.example')).toThrow(/^The target .*--allow mon\.example/);
    expect(through('http://Proxy.example:3128', 'embedded')).toThrow(
      /^The proxy proxy\.example is .*--allow proxy\.example/,
    );
    expect(through('http://user:secret@proxy.example', 'http://localhost')).toThrow(/^(?!.*secret)/);
    expect(through('http://proxy.example', 'http://mon.example', ['proxy.example'])).toThrow(/^The target/);
    expect(through('http://proxy.example', 'http://mon.example', ['mon.example'])).toThrow(/^The proxy/);
    expect(through('http://Proxy.example', 'http://mon.example', ['mon.example', 'proxy.EXAMPLE'])).not.toThrow();
  });

  it('checks the addresses of a proxy, and not those of the target behind it', () => {
    const proxy = proxyOf('http://proxy.localhost:3128');
    expect(() => assertAddressesAllowed(target('http://mon.example', ['mon.example']), ['10.0.0.1'], proxy)).toThrow(
      /^The proxy proxy\.localhost resolves to 10\.0\.0\.1, which is not this machine/,
    );
    expect(() => assertAddressesAllowed(target('embedded'), ['127.0.0.1'], proxy)).not.toThrow();
  });

  it('uses a proxy from the environment only if the scenario asks for it, and never for this machine', () => {
    const variables = { HTTP_PROXY: 'http://proxy.example:3128' };
    const asking = (url: string) => () =>
      assertTargetAllowed({ ...target(url, ['mon.example']), proxy: { kind: 'environment', variables } });
    expect(asking('http://mon.example')).toThrow(/^The proxy proxy\.example/);
    for (const url of ['https://mon.example', 'http://127.0.0.1', 'embedded']) expect(asking(url)).not.toThrow();
    const cgi = { kind: 'environment', variables: { ...variables, REQUEST_METHOD: 'GET' } } as const;
    expect(() => assertTargetAllowed({ ...target('http://localhost'), proxy: cgi })).toThrow(
      /^target\.proxy: expected/,
    );
  });

  it('rejects a name that only looks like this machine, once its addresses are known', () => {
    const evil = target('http://evil.localhost:80');
    expect(() => assertTargetAllowed(evil)).not.toThrow();
    for (const addresses of [['10.0.0.1'], ['127.0.0.1', '10.0.0.1'], ['::2']]) {
      expect(() => assertAddressesAllowed(evil, addresses)).toThrow(
        /resolves to .*, which is not this machine.*--allow/,
      );
    }
    for (const addresses of [['127.0.0.1', '::1'], ['127.3.2.1'], []]) {
      expect(() => assertAddressesAllowed(evil, addresses)).not.toThrow();
    }
    expect(() => assertAddressesAllowed(target('http://mon.example', ['mon.example']), ['10.0.0.1'])).not.toThrow();
  });
});

const LIMITS: MachineLimits = {
  fileDescriptors: 1064,
  hardFileDescriptors: 1064,
  addressBytes: undefined,
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
  it('is rejected if its attackers need what its connections leave', () => {
    const attackers = 'events: [{ do: misbehave, how: hoarded-connections, cohort: 0..9 }]\n';
    const scenario = scenarioOf(
      `${attackers}target: { url: "http://127.0.0.1:8080" }\nfleet: { agents: 600 }\nphases: [{ name: a, duration: 9s, checkdata: { every: 5s } }]`,
    );
    expect(() => roomFor(scenario, LIMITS)).toThrow(
      /^600 connections, 500 attack sockets need 1164 file descriptors, but this machine allows 1064 per process/,
    );
    expect(() => roomFor({ ...scenario, events: [] }, LIMITS)).not.toThrow();
  });

  it('is rejected if its connections exceed the file descriptors, with the numbers and the remedy', () => {
    expect(() => roomFor(fleet(1000), LIMITS)).not.toThrow();
    expect(() => roomFor(fleet(1001), LIMITS)).toThrow(UserError);
    expect(() => roomFor(fleet(1001), LIMITS)).toThrow(
      /^1001 connections need 1065 file descriptors, but this machine allows 1064 per process: .*ulimit -n/,
    );
  });

  it('is rejected if a limit of the address space keeps threads from starting', () => {
    expect(() => roomFor(fleet(1), { ...LIMITS, addressBytes: 32e9 })).not.toThrow();
    expect(() => roomFor(fleet(1), { ...LIMITS, addressBytes: 28e9 })).toThrow(
      /^ulimit -v: expected at least 32 GB of addresses.*, found 28 GB; lift it with ulimit -v unlimited/,
    );
  });

  it('is rejected if a worker cannot hold its recorded hosts', () => {
    const { hosts, ...recording } = recordingOf('ubuntu-24.04');
    const copied = (count: number) => {
      const recorded = { ...recording, hosts: Array.from({ length: count }, () => hosts).flat() };
      const scenario = fleet(1000, ', profiles: { ubuntu-24.04: 1 }');
      return {
        ...scenario,
        fleet: { ...scenario.fleet, agents: 20 * count, recordings: { 'ubuntu-24.04': recorded } },
      } as Scenario;
    };
    const limits = { ...LIMITS, fileDescriptors: undefined, localPorts: undefined };
    expect(() => roomFor(copied(100), limits)).not.toThrow();
    expect(() => roomFor(copied(40_000), limits)).toThrow(
      /^fleet\.profiles: expected recorded hosts that take at most 4\.0 GB in each worker, found some that take [\d.]+ GB; use more machines/,
    );
  });

  it('needs twice as many descriptors if the embedded server holds the other ends', () => {
    expect(() => roomFor(fleet(500, '', 'embedded'), LIMITS)).not.toThrow();
    expect(() => roomFor(fleet(501, '', 'embedded'), LIMITS)).toThrow('501 connections need 1066');
  });

  it('is rejected if one address has too few local ports', () => {
    const limits = { ...LIMITS, fileDescriptors: Number.POSITIVE_INFINITY };
    expect(() => roomFor(fleet(28_233), limits)).toThrow(/28233 local ports.*ip_local_port_range/);
  });

  it('may use the ports of each source address that has connections', () => {
    const limits = { ...LIMITS, fileDescriptors: Number.POSITIVE_INFINITY };
    const from = (addresses: string, agents: number) => fleet(agents, `, sourceAddresses: [${addresses}]`);
    expect(() => roomFor(from('127.0.0.2-127.0.0.3', 56_464), limits)).not.toThrow();
    expect(() => roomFor(from('127.0.0.2-127.0.0.3', 56_465), limits)).toThrow(
      /^56465 connections need 28233 local ports of one address, but .* 28232: list more .*fleet\.sourceAddresses, widen the range with sysctl -w net\.ipv4\.ip_local_port_range/,
    );
    expect(() => roomFor(from('127.0.0.2-127.0.0.3, 192.0.2.7', 56_465), limits)).not.toThrow();
  });

  it('causes a warning if external clients cannot have a connection to each agent at the same time', () => {
    const little = (agents: number, limits: Partial<MachineLimits> = {}, sets: readonly string[] = []) => {
      const scenario = scenarioOf(LISTENING, [`fleet.agents=${agents}`, ...sets]);
      return littleRoomForClients(scenario.target, fleetSizeOf(scenario, WHOLE_FLEET), { ...LIMITS, ...limits });
    };
    expect(little(500)).toBeUndefined();
    expect(little(501)).toMatch(
      /^501 listening agents leave file descriptors for 499 concurrent client connections: agents close any beyond that, .*ulimit -n/,
    );
    expect(little(501, {}, ['target.pull={}'])).toBeUndefined();
    expect(little(501, { fileDescriptors: undefined })).toBeUndefined();
  });

  it('is rejected if its listeners and polls exceed the file descriptors, with both numbers', () => {
    const listening = (agents: number, pull = '') =>
      scenarioOf(`target: { ${pull} }
fleet: { agents: ${agents} }
webServer: { listen: 127.20.0.0/16:3333 }
phases: [{ name: a, duration: 1s }]`);
    expect(() => roomFor(listening(1000), LIMITS)).not.toThrow();
    expect(() => roomFor(listening(1001), LIMITS)).toThrow(
      /^1001 listeners need 1065 file descriptors, but this machine allows 1064 per process: .*ulimit -n/,
    );
    expect(() => roomFor(listening(940, 'pull: { concurrency: 30 }'), LIMITS)).not.toThrow();
    expect(() => roomFor(listening(940, 'pull: { concurrency: 31 }'), LIMITS)).toThrow(
      '940 listeners, 31 concurrent polls need 1066 file descriptors',
    );
  });

  it('that pushes and listens needs descriptors for both', () => {
    const both = { ...fleet(500), webServer: scenarioOf(LISTENING).webServer };
    expect(() => roomFor(both, LIMITS)).not.toThrow();
    expect(() => roomFor({ ...both, fleet: { ...both.fleet, agents: 501 } }, LIMITS)).toThrow(
      '501 connections, 501 listeners need 1066 file descriptors',
    );
  });

  it('may have any size if agents share connections, or if the machine does not report its limits', () => {
    expect(() => roomFor(fleet(100_000, ', connections: { shared: 1000 }'), LIMITS)).not.toThrow();
    const unknown = { ...LIMITS, fileDescriptors: undefined, localPorts: undefined };
    expect(() => roomFor(fleet(100_000), unknown)).not.toThrow();
  });
});

// Reserved for documentation (RFC 5737).
const NOT_HERE = '203.0.113.9';
const LOOPBACK = ['127.0.0.1'];

function from(addresses: string, agents = 10) {
  return scenarioOf(`fleet: { agents: ${agents}, sourceAddresses: [${addresses}] }
phases: [{ name: a, register: { rate: 1/s } }]`);
}

describe('source addresses', () => {
  it('are accepted if this machine has them', async () => {
    await assertSourcesUsable(from('127.0.0.2-127.0.0.9'), WHOLE_FLEET, LOOPBACK);
  });

  it('are rejected with the address and the remedy if this machine does not have them', async () => {
    const refused = assertSourcesUsable(from(`127.0.0.2, ${NOT_HERE}`), WHOLE_FLEET, LOOPBACK);
    await expect(refused).rejects.toThrow(UserError);
    await expect(refused).rejects.toThrow(
      `fleet.sourceAddresses: expected addresses of this machine, found ${NOT_HERE}: ` +
        `add it with ip address add ${NOT_HERE} dev INTERFACE, or remove it from the list.`,
    );
  });

  it('are rejected if they have no route to the target', async () => {
    const refused = assertSourcesUsable(from('127.0.0.2'), WHOLE_FLEET, [NOT_HERE]);
    await expect(refused).rejects.toThrow(`found 127.0.0.2, which has no route to ${NOT_HERE}`);
  });

  it('are not checked if they have no connection', async () => {
    await assertSourcesUsable(from(`127.0.0.2, ${NOT_HERE}`, 1), WHOLE_FLEET, LOOPBACK);
  });
});
