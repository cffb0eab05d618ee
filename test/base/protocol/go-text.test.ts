import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quote } from '../../../src/base/protocol/go.ts';

it('a quoted text reads back unchanged, and contains no character that Go would have escaped', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'\0\x1f "\\<>&\n\u2028\u2029\ufffda') }));
  fc.assert(
    fc.property(text, (given) => {
      expect(JSON.parse(quote(given))).toBe(given);
      expect(quote(given)).not.toMatch(/[<>&\u2028\u2029\ufffd]/);
    }),
  );
});
