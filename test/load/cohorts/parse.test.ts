import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { suggestionFor } from '../../../src/base/notation/finding.ts';
import { type CohortMistake, parseCohort } from '../../../src/load/cohorts/parse.ts';

const KNOWN = { profile: ['ubuntu-24.04', 'windows-11'], role: ['web', 'database'] };

function mistakeIn(text: string): CohortMistake {
  const read = parseCohort(text, KNOWN);
  if (read.kind === 'cohort') throw new Error(`${text} has no mistake`);
  return read.mistake;
}

function suggestionIn(text: string): string | undefined {
  return suggestionFor({ path: [], focus: 'value', ...mistakeIn(text) });
}

describe('a mistake', () => {
  it.each([
    ['30% and', 8, 'nothing'],
    ['', 1, 'nothing'],
    ['and 30%', 1, '"and"'],
    ['(1 or 2', 8, 'nothing'],
    ['1 or 2)', 7, '")"'],
    ['30% 10..19', 5, '"10..19"'],
    ['130%', 1, '"130%"'],
    ['1 or 19..10', 6, '"19..10"'],
    ['1 or 0.3', 6, '"0.3"'],
    ['not profil=windows-11', 5, '"profil"'],
    ['1 or profile=windwos-11', 14, '"windwos-11"'],
    ['role=', 6, 'nothing'],
    ['host="web 1', 6, '"\\"web 1"'],
    ['host=a"b"', 6, '"a\\"b\\""'],
    ['state=broken', 7, '"broken"'],
    ['1 && 2', 3, '"&&"'],
  ])('in %j is at column %i', (text, column, found) => {
    expect(mistakeIn(text)).toMatchObject({ column, found });
  });

  it.each([
    ['profil=windows-11', 'profile'],
    ['profile=windwos-11', 'windows-11'],
    ['role=databse', 'database'],
    ['state=refussed', 'refused'],
    ['1 AND 2', 'and'],
    ['1 adn 2', 'and'],
    ['windows-11', 'profile=windows-11'],
    ['1 and database', 'role=database'],
    ['refused', 'state=refused'],
  ])('in %j has a suggestion: %s', (text, meant) => {
    expect(suggestionIn(text)).toBe(meant);
  });

  it.each([
    ['0.3', 'a share in percent, such as 30%'],
    ['profile!=windows-11', 'not profile=windows-11 for a negation'],
    ['host =web', 'host= with a value directly after it'],
    ['(1 or (2 and 3)', 'and, or, or a ) for the ( at column 1'],
    ['20..10', 'the lower index before the higher one'],
  ])('in %j explains how to fix it', (text, expected) => {
    expect(mistakeIn(text).expected).toBe(expected);
  });

  it('is the first one, not a consequence of it', () => {
    expect(mistakeIn('(profil=x or').column).toBe(2);
  });

  it('is a pattern that matches no known value, but no other pattern', () => {
    expect(parseCohort('profile=*-11', KNOWN).kind).toBe('cohort');
    expect(mistakeIn('profile=linux-*')).toMatchObject({ column: 9, found: '"linux-*"' });
    expect(parseCohort('host=linux-*', KNOWN).kind).toBe('cohort');
  });
});

it('any text is a cohort, or has one mistake at a position in the text', () => {
  const piece = fc.constantFrom('(', ')', 'and', 'or', 'not', '30%', '7', 'host=a', 'state=', '"', ' ', 'x', '\\');
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece).map((pieces) => pieces.join(' ')),
        fc.string(),
      ),
      (text) => {
        const read = parseCohort(text);
        if (read.kind === 'cohort') return;
        expect(read.mistake.column).toBeGreaterThanOrEqual(1);
        expect(read.mistake.column).toBeLessThanOrEqual(text.length + 1);
      },
    ),
  );
});

it('a text of a thousand parentheses is accepted, and a longer one refused', () => {
  expect(parseCohort(`${'('.repeat(499)}1${')'.repeat(499)}`).kind).toBe('cohort');
  expect(mistakeIn('('.repeat(1001)).found).toBe('1001 characters');
});
