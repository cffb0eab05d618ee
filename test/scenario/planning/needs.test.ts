import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  COSTS,
  memoryNeeds,
  needed,
  resultsBytes,
  roomIn,
  spareDials,
  workersOn,
} from '../../../src/scenario/planning/needs.ts';

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

const NO_ATTACKS = { attackSockets: 0, attackSocketsPerSource: 0, attackBytes: 0, documents: [] };

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

type Documents = Parameters<typeof memoryNeeds>[0]['documents'];

const FULL = (agents: number): Documents => [{ payload: 'full', agents, withPackages: false, recorded: undefined }];

/** Agents of one worker that copy so many recorded hosts. */
const recorded = (documents: number, withPackages = false): Documents => [
  { payload: 'full', agents: 1000, withPackages, recorded: { documents, checkdata: 42e3, packages: 16e3 } },
];

/** `count` includes `tls`, which includes `http2`. */
type Measured = {
  readonly what: string;
  readonly server: 'external' | 'embedded';
  readonly count?: number;
  readonly tls?: number;
  readonly http2?: number;
  readonly listeners?: number;
  readonly documents?: Documents;
  readonly workers?: number;
  readonly tookBytes: number;
};

/** A kept fleet of three profiles, an hour or some minutes after its start. */
const kept = (payload: Documents[number]['payload'], count: number, withPackages = false) => {
  const documents = [0.5, 0.3, 0.2].map((part) => ({
    payload,
    agents: count * part,
    withPackages,
    recorded: undefined,
  }));
  return { what: `${count} ${payload}`, server: 'external', count, documents } as const;
};

it.each([
  { what: '100 connections to an external server', server: 'external', count: 100, tookBytes: 302e6 },
  {
    what: '100 recorded hosts',
    server: 'embedded',
    count: 1000,
    documents: recorded(100),
    workers: 1,
    tookBytes: 307e6,
  },
  { what: '300', server: 'embedded', count: 1000, documents: recorded(300), workers: 1, tookBytes: 385e6 },
  { what: '1,000', server: 'embedded', count: 1000, documents: recorded(1000), workers: 1, tookBytes: 468e6 },
  { what: 'packages', server: 'embedded', count: 1000, documents: recorded(1000, true), workers: 1, tookBytes: 597e6 },
  { what: '3,000', server: 'external', count: 3000, tookBytes: 334e6 },
  { what: '10,000', server: 'external', count: 10_000, tookBytes: 358e6 },
  { what: '5,000 over TLS', server: 'external', tls: 5000, tookBytes: 568e6 },
  { what: '10,000 over TLS', server: 'external', tls: 10_000, tookBytes: 919e6 },
  { what: '1,500 over HTTP/2', server: 'external', http2: 1500, tookBytes: 423e6 },
  { what: '10,000 over HTTP/2', server: 'external', http2: 10_000, tookBytes: 1588e6 },
  { what: '1,000 to the embedded one', server: 'embedded', tls: 1000, workers: 1, tookBytes: 402e6 },
  { what: '3,000 to the embedded one', server: 'embedded', tls: 3000, workers: 1, tookBytes: 761e6 },
  { ...kept('lean', 100), workers: 1, tookBytes: 207e6 },
  { ...kept('lean', 100), tookBytes: 250e6 },
  { ...kept('lean', 5000), tookBytes: 321e6 },
  { ...kept('lean', 2000), workers: 3, tookBytes: 341e6 },
  { ...kept('lean', 10_000), tookBytes: 320e6 },
  { ...kept('typical', 100, true), tookBytes: 297e6 },
  { ...kept('typical', 1000), tookBytes: 323e6 },
  { ...kept('typical', 1000), workers: 4, tookBytes: 446e6 },
  { ...kept('typical', 1000, true), tookBytes: 347e6 },
  { ...kept('typical', 3000, true), tookBytes: 393e6 },
  { ...kept('full', 1000), tookBytes: 468e6 },
  { ...kept('full', 1000, true), tookBytes: 508e6 },
  { ...kept('full', 100, true), listeners: 100, tookBytes: 404e6 },
  { ...kept('full', 500, true), listeners: 500, tookBytes: 508e6 },
  { ...kept('full', 300, true), listeners: 300, workers: 1, tookBytes: 336e6 },
  { ...kept('natural', 300), tookBytes: 468e6 },
  { ...kept('natural', 800), tookBytes: 585e6 },
  { ...kept('natural', 300, true), tookBytes: 621e6 },
  { ...kept('natural', 300, true), listeners: 300, tookBytes: 617e6 },
] as const satisfies readonly Measured[])('planned memory is within 15% of the measured value: $what', (measured) => {
  const { server, tookBytes, http2 = 0, tls = http2, count = tls, listeners = 0, workers = 2 }: Measured = measured;
  const { documents = FULL(count) }: Measured = measured;
  const connections = { connections: count, connectionsPerSource: count, tlsConnections: tls, http2Connections: http2 };
  const others = { ...NO_ATTACKS, listeners, tlsContexts: 0, polls: 0, documents };
  const planned = memoryNeeds({ agents: count, ...connections, ...others }, server, workers);
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
    const others = { ...NO_ATTACKS, documents: FULL(agents), listeners: agents, tlsContexts: tls ? agents : 0, polls };
    const planned = memoryNeeds({ ...fleet, ...others }, 'embedded', 1);
    expect(Math.abs(planned / tookBytes - 1)).toBeLessThan(0.15);
  },
);

it('the results of a run grow with its seconds and operations', () => {
  const phase = (seconds: number, operations: number) => ({ durationMs: seconds * 1000, loads: Array(operations) });
  expect(resultsBytes([])).toBe(180_000);
  expect(resultsBytes([phase(2, 1), phase(20, 1)])).toBe(180_000 + 22 * 3300);
});
