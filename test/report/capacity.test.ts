import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CapacityResult } from '../../src/capacity/find-capacity.ts';
import { answerOf, capacityText } from '../../src/report/capacity.ts';
import { capacityPage } from '../../src/report/html/capacity-page.ts';
import { COLORED, PLAIN } from '../../src/report/palette.ts';
import { BLUNT, GENERATOR, resultOf, SHARP, UNREACHABLE } from './capacities.ts';

describe('the text of a capacity search', () => {
  it.each<[string, CapacityResult]>([
    ['sharp', SHARP],
    ['blunt', BLUNT],
    ['generator', GENERATOR],
    ['unreachable', UNREACHABLE],
  ])('matches the golden file for a %s result', async (name, result) => {
    await expect(capacityText(result, PLAIN)).toMatchFileSnapshot(`golden/capacity-${name}.txt`);
  });

  it('is the same with and without colors', () => {
    expect(stripVTControlCharacters(capacityText(SHARP, COLORED))).toBe(capacityText(SHARP, PLAIN));
  });

  it('has a page that matches the golden file', async () => {
    const page = capacityPage(SHARP).replace(/<style>.*<\/style>/s, '');
    await expect(page).toMatchFileSnapshot('golden/capacity-sharp.html');
  });

  it('has a page without a curve if only one load was tried', () => {
    expect(capacityPage(UNREACHABLE)).not.toContain('<svg');
    expect(capacityPage(UNREACHABLE)).toContain('none of 120 operations reached the target');
  });

  it.each([
    ['held', 'good', '●'],
    ['gave_way', 'bad', '✕'],
    ['generator', 'caution', '○'],
    ['undrained', 'caution', '○'],
    ['unreachable', 'bad', '✕'],
    ['incomplete', 'caution', '○'],
  ] as const)(
    'marks a step that ends as %s alike in the terminal, and in chart and table of the page',
    (outcome, tone, sign) => {
      const result = resultOf('interrupted', [
        [500, 'climb', 'held', 10],
        [1000, 'climb', outcome, 12],
      ]);
      const page = capacityPage(result);
      const marked = (name: string) => (text: string) => `<${name}>${text}`;
      const paints = { good: marked('good'), bad: marked('bad'), caution: marked('caution') };
      expect(capacityText(result, { ...PLAIN, ...paints })).toMatch(new RegExp(`1,000.* <${tone}>▇`));
      expect(page).toContain(`<path class="${tone}"`);
      expect(page).toContain(`<span class="${tone}" aria-hidden="true">${sign}</span> 1,000`);
    },
  );

  it('fits a narrow terminal', () => {
    const lines = capacityText(SHARP, { ...PLAIN, columns: 60 }).split('\n');
    expect(lines.filter((line) => line.length > 60)).toEqual([]);
  });

  it('never calls a knee confirmed if the search is undecided or lacks repetitions', () => {
    const rows = SHARP.steps.map(({ load, purpose, outcome }) => [load, purpose, outcome, 12] as const);
    const knee = (ending: 'undecided' | 'interrupted', count: number) =>
      new Map(answerOf(resultOf(ending, rows.slice(0, count))).facts).get('knee');
    expect(knee('undecided', rows.length)).toBe(
      '1,782 to 1,829 agents; not confirmed, because not all repetitions ran',
    );
    expect(knee('interrupted', 7)).toContain('not confirmed');
    expect(new Map(answerOf(SHARP).facts).get('knee')).toContain('all runs at both ends agree');
  });

  it('is good only if all runs agree, and otherwise says how the search ended', () => {
    const rows = [[1000, 'climb', 'held', 12] as const];
    const told = (['top_held', 'interrupted', 'undecided'] as const).map((ending) => answerOf(resultOf(ending, rows)));
    expect([SHARP, BLUNT, GENERATOR].map((result) => answerOf(result).kind)).toEqual(['good', 'caution', 'bad']);
    expect(told.map(({ headline }) => headline)).toEqual([
      '✓ HOLDS 1,000 agents in 1 of 1 run, the highest load to try',
      '✗ INTERRUPTED: at least 1,000 agents hold',
      '✗ UNDECIDED, because runs at the same load disagree: at least 1,000 agents hold',
    ]);
    const none = resultOf('nothing_held', [[1000, 'climb', 'gave_way', 900]]);
    expect(answerOf(none).headline).toBe('✗ DOES NOT HOLD 1,000 agents, the lowest load tried');
  });
});
