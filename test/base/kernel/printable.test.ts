import { expect, test } from 'vitest';
import { printable } from '../../../src/base/kernel/printable.ts';

test('keeps letters of any script, signs and emoji', () => {
  const text = 'Zürich “ok” שלום 日本 👍🏽 C:\\agents\\7';
  expect(printable(text)).toBe(text);
});

test.each([
  ['\u001b[31mred', '\\u001b[31mred'],
  ['\u009b31m', '\\u009b31m'],
  ['a\u0000\u0007\u007fb', 'a\\u0000\\u0007\\u007fb'],
  ['one\r\n\ttwo', 'one\\r\\n\\ttwo'],
  ['\u2028\u2029\u0085', '\\u2028\\u2029\\u0085'],
  ['\u202egnp.exe\u202c', '\\u202egnp.exe\\u202c'],
  ['\u2066a\u2069\u200e\u200f\u061c', '\\u2066a\\u2069\\u200e\\u200f\\u061c'],
  ['\u200b\ufeff\u00ad', '\\u200b\\ufeff\\u00ad'],
  ['\ud800 alone', '\\ud800 alone'],
  ['\u{e0041}', '\\u{e0041}'],
])('escapes control and invisible characters: %j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});
