import { expect, inject, it } from 'vitest';

it('src compiles without a type error', () => {
  expect(inject('typeErrors')).toBe('');
});
