import fc from 'fast-check';
import { expect, it } from 'vitest';
import { COSTS, fleetNeeds, needed, roomIn, spareDials, workersOn } from '../../../src/scenario/planning/needs.ts';

it('the capacity is the largest number whose needs are available', () => {
  const costs = [COSTS.external, COSTS.embedded].flatMap((cost) => Object.values(cost));
  fc.assert(
    fc.property(fc.constantFrom(...costs), fc.integer({ min: 300_000_000, max: 2 ** 40 }), (cost, available) => {
      const fits = roomIn(available, cost);
      expect(needed(cost, fits)).toBeLessThanOrEqual(available);
      expect(needed(cost, fits + 1)).toBeGreaterThan(available);
    }),
  );
  expect(roomIn(10, COSTS.embedded.fileDescriptors)).toBe(0);
});

it('a core is reserved for the embedded server, unless there is only one', () => {
  expect([1, 2, 8].map((cores) => workersOn(cores, 'embedded'))).toEqual([1, 1, 7]);
  expect(workersOn(8, 'external')).toBe(8);
});

const NO_ATTACKS = { attackSockets: 0, attackSocketsPerSource: 0, attackBytes: 0 };

it('dials that outlast their requests get the remaining descriptors and ports, or half of them with listeners', () => {
  const fleet = {
    agents: 100,
    connections: 100,
    connectionsPerSource: 50,
    tlsConnections: 0,
    http2Connections: 0,
    listeners: 0,
    tlsContexts: 0,
    polls: 0,
    ...NO_ATTACKS,
  };
  const limits = { fileDescriptors: 1164, localPorts: 5000 };
  expect(spareDials(fleet, 'external', limits)).toBe(1000);
  expect(spareDials(fleet, 'embedded', limits)).toBe(450);
  expect(spareDials({ ...fleet, listeners: 100 }, 'external', limits)).toBe(450);
  expect(spareDials(fleet, 'external', { ...limits, localPorts: 60 })).toBe(10);
  expect(spareDials(fleet, 'external', { ...limits, fileDescriptors: 20 })).toBe(0);
  expect(spareDials({ ...fleet, connections: 0 }, 'external', limits)).toBe(0);
  expect(spareDials(fleet, 'external', { fileDescriptors: undefined, localPorts: undefined })).toBe(
    Number.POSITIVE_INFINITY,
  );
});

/** `count` includes `tls`, which includes `http2`. */
type Measured = {
  readonly what: string;
  readonly server: 'external' | 'embedded';
  readonly count?: number;
  readonly tls?: number;
  readonly http2?: number;
  readonly tookBytes: number;
};

it.each([
  { what: '100 connections to an external server', server: 'external', count: 100, tookBytes: 302e6 },
  { what: '3,000', server: 'external', count: 3000, tookBytes: 334e6 },
  { what: '10,000', server: 'external', count: 10_000, tookBytes: 358e6 },
  { what: '5,000 over TLS', server: 'external', tls: 5000, tookBytes: 568e6 },
  { what: '10,000 over TLS', server: 'external', tls: 10_000, tookBytes: 919e6 },
  { what: '1,500 over HTTP/2', server: 'external', http2: 1500, tookBytes: 423e6 },
  { what: '10,000 over HTTP/2', server: 'external', http2: 10_000, tookBytes: 1588e6 },
  { what: '1,000 to the embedded one', server: 'embedded', tls: 1000, tookBytes: 402e6 },
  { what: '3,000 to the embedded one', server: 'embedded', tls: 3000, tookBytes: 761e6 },
] as const satisfies readonly Measured[])('planned memory is within 15% of the measured value: $what', (measured) => {
  const { server, tookBytes, http2 = 0, tls = http2, count = tls }: Measured = measured;
  const connections = { connections: count, connectionsPerSource: count, tlsConnections: tls, http2Connections: http2 };
  const fleet = { agents: count, ...connections };
  const planned = fleetNeeds(
    'memoryBytes',
    { ...fleet, listeners: 0, tlsContexts: 0, polls: 0, ...NO_ATTACKS },
    server,
  );
  expect(Math.abs(planned / tookBytes - 1)).toBeLessThan(0.15);
});

it.each([
  { how: 'in plain HTTP', agents: 9000, polls: 64, tls: false, tookBytes: 463e6 },
  { how: 'over TLS', agents: 1500, polls: 100, tls: true, tookBytes: 463e6 },
  { how: 'over TLS', agents: 5000, polls: 100, tls: true, tookBytes: 612e6 },
])(
  'planned memory of $agents agents that are polled $how is within 15% of the measured value',
  ({ agents, polls, tls, tookBytes }) => {
    const fleet = { agents, connections: 0, connectionsPerSource: 0, tlsConnections: 0, http2Connections: 0 };
    const planned = fleetNeeds(
      'memoryBytes',
      { ...fleet, listeners: agents, tlsContexts: tls ? agents : 0, polls, ...NO_ATTACKS },
      'embedded',
    );
    expect(Math.abs(planned / tookBytes - 1)).toBeLessThan(0.15);
  },
);
