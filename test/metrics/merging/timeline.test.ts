import { describe, expect, it } from 'vitest';
import { LIFECYCLE_STATES, type LifecycleState } from '../../../src/base/protocol/operations.ts';
import { stateOf } from '../../../src/metrics/merging/timeline.ts';

const agents = Object.fromEntries(LIFECYCLE_STATES.map((state) => [state, 0])) as Record<LifecycleState, number>;

describe('the state of a fleet', () => {
  it('lists even the only address of its target if some connections use HTTP/2 and others do not', () => {
    const address = { host: 'mon.example', port: 443, address: '192.0.2.7', connections: 3, failedDials: 0 };
    const shard = (protocols: { http1: number; http2: number }) => ({
      agents,
      inFlight: 0,
      listening: 0,
      down: 0,
      addresses: [{ ...address, requests: 5, failed: 1, protocols }],
    });
    const of = (...shards: { http1: number; http2: number }[]) => stateOf(shards.map(shard)).addresses;
    expect(of({ http1: 0, http2: 3 }, { http1: 0, http2: 2 })).toBeUndefined();
    expect(of({ http1: 3, http2: 0 }, { http1: 1, http2: 0 })).toBeUndefined();
    expect(of({ http1: 0, http2: 3 }, { http1: 1, http2: 2 })).toEqual([
      { ...address, connections: 6, requests: 10, failed: 2, protocols: { http1: 1, http2: 5 } },
    ]);
  });
});
