import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/base/protocol/operations.ts';
import type { Delay } from '../../../src/server/faults/delay.ts';
import type { FaultInput } from '../../../src/server/faults/schema.ts';
import { isRequestFault } from '../../../src/server/injection/injector.ts';
import { drawDurationMs, type FaultTarget, planRequest } from '../../../src/server/injection/request-plan.ts';
import { faultsOf } from '../faults/faults-of.ts';

const targets: FaultTarget[] = Array.from({ length: 2000 }, (_, i) => ({
  operation: 'checkdata',
  uuid: `agent-${i % 500}`,
  attempt: 1 + Math.floor(i / 500),
}));

function holding(...faults: FaultInput[]) {
  return faultsOf(...faults)
    .filter(isRequestFault)
    .map((fault, index) => ({ index, fault }));
}

function hits(seed: number, fault: FaultInput, among = targets): FaultTarget[] {
  return among.filter((target) => planRequest(seed, holding(fault), target).refusal !== undefined);
}

const half = { do: 'status', status: 503, share: 0.5 } as const;

it('a share of the requests is affected, distributed over agents and attempts', () => {
  expect(hits(1, half).length / targets.length).toBeCloseTo(0.5, 1);
  for (const attempt of [1, 2, 3, 4]) {
    expect(hits(1, half).filter((target) => target.attempt === attempt).length / 500).toBeCloseTo(0.5, 0);
  }
});

it('the same attempts are affected in whatever order they arrive', () => {
  const key = ({ uuid, attempt }: FaultTarget) => `${uuid} ${attempt}`;
  const reversed = hits(1, half, targets.toReversed()).map(key);
  expect(reversed.sort()).toEqual(hits(1, half).map(key).sort());
});

it('another seed affects other requests', () => {
  expect(hits(2, half)).not.toEqual(hits(1, half));
});

it('two faults draw independently', () => {
  const both = targets.filter((target) => {
    const plan = planRequest(1, holding(half, { do: 'wrong-uuid', share: 0.5 }), target);
    return plan.refusal !== undefined && plan.wrongUuid;
  });
  expect(both.length / targets.length).toBeCloseTo(0.25, 1);
});

it('a share of 0 affects no request, and a share of 1 every request', () => {
  expect(hits(1, { ...half, share: 0 })).toEqual([]);
  expect(hits(1, { ...half, share: 1 })).toHaveLength(targets.length);
});

it('only the named operations are affected', () => {
  const fault = holding({ do: 'half-answer', operations: ['register', 'packages'] });
  const endingOf = (operation: FaultTarget['operation']) =>
    planRequest(1, fault, { operation, uuid: 'a', attempt: 1 }).ending;
  expect(OPERATIONS.map(endingOf)).toEqual(['half', 'whole', 'whole', 'half']);
});

it('latencies add up', () => {
  const latency = (delay: string) => ({ do: 'latency', delay }) as const;
  expect(
    planRequest(1, holding(latency('10ms'), latency('5ms')), { operation: 'register', uuid: 'a', attempt: 1 }).delayMs,
  ).toBe(15);
});

const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const grid = Array.from({ length: 200 }, (_, i) => (i + 0.5) / 200);

function sorted(distribution: Delay): number[] {
  return grid.flatMap((value) => grid.map((other) => drawDurationMs(distribution, value, other))).sort((a, b) => a - b);
}

it('a constant delay is always the same', () => {
  fc.assert(fc.property(unit, unit, (a, b) => drawDurationMs({ kind: 'constant', ms: 7 }, a, b) === 7));
});

it('a uniform delay covers the range between its bounds', () => {
  const distribution = { kind: 'uniform', lowMs: 10, highMs: 20 } as const;
  fc.assert(
    fc.property(
      unit,
      unit,
      (a, b) => drawDurationMs(distribution, a, b) >= 10 && drawDurationMs(distribution, a, b) <= 20,
    ),
  );
  expect([drawDurationMs(distribution, 0, 0), drawDurationMs(distribution, 0.999, 0)]).toEqual([
    10,
    expect.closeTo(19.99),
  ]);
});

it('a lognormal delay has the given median, and the spread of its sigma', () => {
  const draws = sorted({ kind: 'lognormal', medianMs: 100, sigma: 0.5 });
  const quantile = (share: number) => draws[Math.floor(share * draws.length)] ?? Number.NaN;
  expect(quantile(0.5)).toBeCloseTo(100, -1);
  expect(quantile(0.8413)).toBeCloseTo(100 * Math.exp(0.5), -1);
  expect(quantile(0.1587)).toBeCloseTo(100 * Math.exp(-0.5), -1);
});

it("a lognormal delay never exceeds a timer's range", () => {
  fc.assert(
    fc.property(
      unit,
      unit,
      (a, b) => drawDurationMs({ kind: 'lognormal', medianMs: 1e9, sigma: 10 }, a, b) <= 2 ** 31 - 1,
    ),
  );
});

it('a delay from a table has the given quantiles, and is linear between them and constant outside', () => {
  const quantiles = [
    { share: 0.5, ms: 10 },
    { share: 0.9, ms: 50 },
    { share: 1, ms: 100 },
  ];
  const draw = (value: number) => drawDurationMs({ kind: 'table', quantiles }, value, 0);
  expect([0, 0.5, 0.7, 0.9, 0.95].map(draw)).toEqual([10, 10, expect.closeTo(30), 50, expect.closeTo(75)]);
  expect(drawDurationMs({ kind: 'table', quantiles: [{ share: 0.5, ms: 3 }] }, 0.9, 0)).toBe(3);
});
