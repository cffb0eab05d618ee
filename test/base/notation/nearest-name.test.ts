import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { suggestionFor } from '../../../src/base/notation/finding.ts';
import { editDistance, nearestName } from '../../../src/base/notation/nearest-name.ts';

describe('the nearest name', () => {
  it.each([
    ['agnets', 'agents'],
    ['Profile', 'profiles'],
    ['check', 'checkdata'],
    ['seeds', 'seed'],
  ])('to %s is %s', (typed, meant) => {
    expect(nearestName(typed, ['agents', 'seed', 'profiles', 'checkdata'])).toBe(meant);
  });

  it.each(['', 'x', 'webServer', 'duration'])('does not exist for %j', (typed) => {
    expect(nearestName(typed, ['agents', 'seed', 'profiles'])).toBeUndefined();
  });

  it('may differ by one edit per three letters, and always by one', () => {
    expect([nearestName('reistr', ['register']), nearestName('reistrxy', ['register'])]).toEqual([
      'register',
      undefined,
    ]);
    expect([nearestName('uk', ['up']), nearestName('ok', ['up'])]).toEqual(['up', undefined]);
  });
});

describe('part of a name', () => {
  it.each([
    ['windows', 'windows-11'],
    ['server-2022', 'windows-server-2022'],
    ['ubuntu2404', 'ubuntu-24.04'],
    ['linux', undefined],
  ])('%s suggests %s', (typed, meant) => {
    expect(nearestName(typed, ['ubuntu-24.04', 'almalinux-9', 'windows-11', 'windows-server-2022'])).toBe(meant);
  });
});

describe('the edit distance', () => {
  it('is zero only for equal words, symmetric, and at most the length of the longer word', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b);
        expect(distance).toBe(editDistance(b, a));
        expect(distance === 0).toBe(a === b);
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });

  it('counts swapped neighbors as one edit, and two edits if only one of them is the same', () => {
    expect(editDistance('agnets', 'agents')).toBe(1);
    expect([editDistance('ab', 'bc'), editDistance('ab', 'ca')]).toEqual([2, 2]);
  });
});

describe('a common name of an operating system', () => {
  const candidates = ['ubuntu-24.04', 'debian-12', 'almalinux-9', 'macos-26'];

  it.each([
    ['linux', 'ubuntu-24.04'],
    ['rhel', 'almalinux-9'],
    ['darwin', 'macos-26'],
  ])('%s suggests the profile %s', (name, profile) => {
    const finding = { path: ['fleet'], focus: 'value', expected: 'a profile', found: `"${name}"`, candidates } as const;
    expect(suggestionFor(finding)).toBe(profile);
    expect(suggestionFor({ ...finding, candidates: ['debian-12'] })).toBeUndefined();
  });
});
