import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fileBytes, fileText } from '../../../src/base/protocol/agent-files.ts';
import { anyCharacter } from '../../any-character.ts';

it('the text of a file converts back to the same bytes, whatever it contains', () => {
  const anyBytes = fc.oneof(
    fc.uint8Array(),
    fc.string({ unit: anyCharacter }).map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(anyBytes, (given) => {
      const bytes = Buffer.from(given);
      // Not toEqual, which compares byte by byte and takes a second.
      expect(fileBytes(fileText(bytes)).equals(bytes)).toBe(true);
    }),
  );
});

it('the text of a file keeps UTF-8, and the ASCII characters of any other encoding', () => {
  expect(fileText(Buffer.from('; grün ✓'))).toBe('; grün ✓');
  expect(fileText(Buffer.from('interval = 5 ; gr\xfcn', 'latin1'))).toMatch(/^interval = 5 ; gr.n$/);
});
