import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fileBytes, fileText } from '../../src/protocol/agent-files.ts';

it('the text of a file comes back to the byte, whatever it holds', () => {
  const anyBytes = fc.oneof(
    fc.uint8Array(),
    fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(anyBytes, (given) => {
      const bytes = Buffer.from(given);
      expect(fileBytes(fileText(bytes))).toEqual(bytes);
    }),
  );
});

it('the text of a file in UTF-8 is what it says, and of another what is ASCII in it', () => {
  expect(fileText(Buffer.from('; grün ✓'))).toBe('; grün ✓');
  expect(fileText(Buffer.from('interval = 5 ; gr\xfcn', 'latin1'))).toMatch(/^interval = 5 ; gr.n$/);
});
