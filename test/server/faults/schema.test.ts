import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/base/protocol/operations.ts';
import { formatFaults, readFaults } from '../../../src/server/faults/schema.ts';
import { problemsOf, scenarioOf, withPhases } from '../../scenario/read-scenario.ts';
import { faultsOf } from './faults-of.ts';

const PHASES = withPhases(`  - { name: enroll, register: { rate: 50/s } }
  - { name: steady, duration: 10s, checkdata: { every: 5s } }
`);
const withFault = (fault: string) => `target: { faults: [${fault}] }\n${PHASES}`;
const readFault = (fault: string) => scenarioOf(withFault(fault)).target.faults[0];
const complaints = (fault: string) =>
  problemsOf(withFault(fault)).map(({ path, expected, found, suggestion }) => [path, expected, found, suggestion]);

describe('a fault of the embedded server', () => {
  it('applies from start to end, to all requests, by default', () => {
    expect(readFault('{ do: half-answer }')).toEqual({ do: 'half-answer', atMs: 0, share: 1, operations: OPERATIONS });
    expect(readFault('{ do: freeze }')).toEqual({ do: 'freeze', atMs: 0 });
    expect(readFault('{ do: status, status: 503, share: 30%, for: 5s, operations: [register] }')).toEqual({
      do: 'status',
      status: 503,
      body: 'json',
      share: 0.3,
      atMs: 0,
      forMs: 5000,
      operations: ['register'],
    });
  });

  it.each([
    ['11s', 11_000],
    ['steady', 2000],
    ['steady+500ms', 2500],
    ['enroll+1s', 1000],
  ])('with a start at %s starts %d ms into the run', (at, atMs) => {
    expect(readFault(`{ do: outage, at: ${at} }`)).toEqual({ do: 'outage', atMs });
  });

  it.each([
    ['20ms', { kind: 'constant', ms: 20 }],
    ['10ms..30ms', { kind: 'uniform', lowMs: 10, highMs: 30 }],
    ['{ median: 20ms, sigma: 0.5 }', { kind: 'lognormal', medianMs: 20, sigma: 0.5 }],
    [
      '{ "99%": 200ms, "50%": 10ms }',
      {
        kind: 'table',
        quantiles: [
          { share: 0.5, ms: 10 },
          { share: 0.99, ms: 200 },
        ],
      },
    ],
  ])('delays by %s', (delay, distribution) => {
    expect(readFault(`{ do: latency, delay: ${delay} }`)).toMatchObject({ do: 'latency', delay: distribution });
  });

  it.each([
    ['{ do: freze }', 'target.faults.0.do', 'freeze'],
    ['{ do: freeze, at: stedy+5s }', 'target.faults.0.at', 'steady'],
    ['{ do: freeze, fro: 5s }', 'target.faults.0.fro', 'for'],
    ['{ do: reset, operations: [chekdata] }', 'target.faults.0.operations.0', 'checkdata'],
    ['{ do: reset, share: 130% }', 'target.faults.0.share', undefined],
    ['{ do: freeze, share: 30% }', 'target.faults.0.share', undefined],
    ['{ do: latency, delay: 5 }', 'target.faults.0.delay', undefined],
    ['{ do: latency, delay: 30ms..10ms }', 'target.faults.0.delay', undefined],
    ['{ do: latency, delay: { "50%": 5ms, "99%": 1ms } }', 'target.faults.0.delay', undefined],
    ['{ do: latency, delay: { "50%": 5 } }', 'target.faults.0.delay.50%', undefined],
    ['{ do: status, status: 200 }', 'target.faults.0.status', undefined],
    ['freeze', 'target.faults.0', undefined],
    ['{ do: freeze, at: 12s }', 'target.faults.0.at', undefined],
    ['{ do: reset, operations: [packages, authorize] }', 'target.faults.0.operations', undefined],
  ])('%s is reported once', (fault, path, meant) => {
    expect(complaints(fault).map(([where, , , suggestion]) => [where, suggestion])).toEqual([[path, meant]]);
  });

  it('explains how a time is written', () => {
    const form = 'a phase name with an optional offset such as steady+5s, or a time from the start such as 12s';
    expect(complaints('{ do: freeze, at: stedy }')).toEqual([
      ['target.faults.0.at', `${form}; this scenario has enroll, steady`, '"stedy"', 'steady'],
    ]);
    expect(complaints('{ do: freeze, at: 5 }')).toEqual([['target.faults.0.at', form, 'the number 5', undefined]]);
  });
});

function refusalsOf(...written: readonly unknown[]): readonly string[] {
  const read = readFaults(written);
  return read.kind === 'problems' ? read.problems : [];
}

describe('faults set on a server', () => {
  it('are written as in a scenario, with times relative to when they are set', () => {
    expect(faultsOf({ do: 'freeze', at: '1m', for: '2s' }, { do: 'forget', share: '30%' })).toEqual([
      { do: 'freeze', atMs: 60_000, forMs: 2000 },
      { do: 'forget', atMs: 0, share: 0.3 },
    ]);
  });

  it('cannot refer to phases', () => {
    expect(refusalsOf({ do: 'freeze', at: '1s' }, { do: 'freeze', at: 'steady+5s' })).toEqual([
      '1.at: expected a time after the faults are set, such as 12s, because a server has no phases, found the phase steady',
    ]);
  });

  it('must be a list', () => {
    expect(readFaults({ do: 'freeze' })).toMatchObject({
      kind: 'problems',
      problems: ['expected a list of faults, found a section'],
    });
  });

  it('read back as written', () => {
    const text = fc.integer({ min: 0, max: 10 ** 9 }).map((us) => `${us}us`);
    const fault = fc.oneof(
      fc.record({ do: fc.constant('drip'), bytesPerSecond: fc.integer({ min: 1 }), at: text }),
      fc.record({ do: fc.constant('latency'), delay: fc.constantFrom('20ms', '1ms..2s', { median: '1s', sigma: 2 }) }),
      fc.record({ do: fc.constant('status'), status: fc.constant(503), operations: fc.constant(['packages']) }),
      fc.record({ do: fc.constantFrom('outage', 'forget'), at: text }),
    );
    fc.assert(
      fc.property(fc.array(fault), (written) => {
        const read = readFaults(written);
        expect(read.kind === 'faults' && readFaults(formatFaults(read.faults))).toEqual(read);
      }),
    );
  });
});
