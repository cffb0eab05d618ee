import { expect, it } from 'vitest';
import { type RequestFault, requestFaultSchema } from '../../../src/faults/server-faults.ts';
import { type FaultTarget, planRequest } from '../../../src/monitoring-server/injection/request-plan.ts';

const targets: FaultTarget[] = Array.from({ length: 2000 }, (_, i) => ({
  operation: 'checkdata',
  uuid: `agent-${i % 500}`,
  attempt: 1 + Math.floor(i / 500),
}));

function holding(...faults: object[]) {
  return faults.map((fault, index) => ({ index, fault: requestFaultSchema.parse(fault) as RequestFault }));
}

function hits(seed: number, fault: object, among = targets): FaultTarget[] {
  return among.filter((target) => planRequest(seed, holding(fault), target).refusal !== undefined);
}

const half = { kind: 'status', status: 503, share: 0.5 };

it('a share of the requests is hit, spread over agents and attempts', () => {
  expect(hits(1, half).length / targets.length).toBeCloseTo(0.5, 1);
  for (const attempt of [1, 2, 3, 4]) {
    expect(hits(1, half).filter((target) => target.attempt === attempt).length / 500).toBeCloseTo(0.5, 0);
  }
});

it('the same attempts are hit whatever the order they arrive in', () => {
  const key = ({ uuid, attempt }: FaultTarget) => `${uuid} ${attempt}`;
  const reversed = hits(1, half, targets.toReversed()).map(key);
  expect(reversed.sort()).toEqual(hits(1, half).map(key).sort());
});

it('another seed hits others', () => {
  expect(hits(2, half)).not.toEqual(hits(1, half));
});

it('two faults draw independently', () => {
  const both = targets.filter((target) => {
    const plan = planRequest(1, holding(half, { kind: 'wrong_uuid', share: 0.5 }), target);
    return plan.refusal !== undefined && plan.wrongUuid;
  });
  expect(both.length / targets.length).toBeCloseTo(0.25, 1);
});

it('a share of 0 hits nothing and a share of 1 everything', () => {
  expect(hits(1, { ...half, share: 0 })).toEqual([]);
  expect(hits(1, { ...half, share: 1 })).toHaveLength(targets.length);
});

it('only the endpoints named are hit; registration and authorization share one', () => {
  const fault = holding({ kind: 'half_answer', endpoints: ['register_agent'] });
  const endingOf = (operation: FaultTarget['operation']) =>
    planRequest(1, fault, { operation, uuid: 'a', attempt: 1 }).ending;
  expect([endingOf('register'), endingOf('authorize'), endingOf('checkdata')]).toEqual(['half', 'half', 'whole']);
});

it('latencies add up', () => {
  const latency = (ms: number) => ({ kind: 'latency', distribution: { kind: 'constant', ms } });
  expect(
    planRequest(1, holding(latency(10), latency(5)), { operation: 'register', uuid: 'a', attempt: 1 }).delayMs,
  ).toBe(15);
});
