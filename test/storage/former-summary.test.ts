import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compare } from '../../src/metrics/comparing/compare.ts';
import { RESULT_SCHEMA_VERSION } from '../../src/metrics/results/summary-schema.ts';
import { readSummary } from '../../src/storage/recorded-result.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-former-'));
afterAll(() => rmSync(folder, { recursive: true }));

function former() {
  copyFileSync(resolve(import.meta.dirname, 'golden/summary-version-1.json'), join(folder, 'summary.json'));
  const summary = readSummary(folder);
  if (summary === undefined) throw new Error('there is no summary');
  return summary;
}

describe('a summary of the former schema version', () => {
  it('is told in the words of the present one, figure by figure', () => {
    const { schemaVersion, overall, thresholds, delivery, validity, scenario } = former();
    expect(schemaVersion).toBe(RESULT_SCHEMA_VERSION);
    expect(overall.map(({ operation, succeeded }) => [operation, succeeded])).toEqual([
      ['register', 20],
      ['checkdata', 60],
      ['packages', 20],
    ]);
    expect(
      thresholds.map((threshold) => (threshold.kind === 'operation' ? threshold.operation : threshold.figure)),
    ).toEqual(['checkdata', 'lost']);
    expect(delivery).toMatchObject({ observed: true, received: 100, operations: [{}, { operation: 'checkdata' }, {}] });
    expect([validity.problems, validity.schedulingDelayP99Ms]).toEqual([[], 6.351]);
    expect(Object.keys(scenario.thresholds as object)).toEqual(['checkdata', 'delivery']);
  });

  it('can be compared with others', () => {
    const { figures, onlyBase, onlyCandidate } = compare([former()], [former()], 0.05);
    expect([onlyBase, onlyCandidate]).toEqual([[], []]);
    expect(new Set(figures.map(({ operation }) => operation))).toEqual(new Set(['register', 'checkdata', 'packages']));
    expect(figures.every(({ judgement }) => judgement === 'within_noise')).toBe(true);
  });
});
