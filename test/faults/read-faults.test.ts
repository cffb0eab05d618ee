import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFaults, writtenFault } from '../../src/faults/schema.ts';
import { faultsOf } from './faults-of.ts';

function problemsOf(...written: readonly unknown[]): readonly string[] {
  const read = readFaults(written);
  return read.kind === 'problems' ? read.problems : [];
}

describe('faults that are set on a server', () => {
  it('are written as in a scenario, their times counted from that moment', () => {
    expect(faultsOf({ do: 'freeze', at: '1m', for: '2s' }, { do: 'forget', share: '30%' })).toEqual([
      { do: 'freeze', atMs: 60_000, forMs: 2000 },
      { do: 'forget', atMs: 0, share: 0.3 },
    ]);
  });

  it('know no phases', () => {
    expect(problemsOf({ do: 'freeze', at: '1s' }, { do: 'freeze', at: 'steady+5s' })).toEqual([
      '1.at: expected a time from the moment the faults are set such as 12s, as a server knows no phases, found the phase steady',
    ]);
  });

  it('are a list', () => {
    expect(readFaults({ do: 'freeze' })).toMatchObject({
      kind: 'problems',
      problems: ['expected a list of faults, found a section'],
    });
  });

  it('read back as they are written', () => {
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
        expect(read.kind === 'faults' && readFaults(read.faults.map(writtenFault))).toEqual(read);
      }),
    );
  });
});
