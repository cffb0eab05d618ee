import { describe, expect, it } from 'vitest';
import { hostOfFile } from '../../src/recording/intake.ts';

describe('the host of a file', () => {
  it.each([
    ['dumps/web-1.checkdata.json', 'web-1'],
    ['dumps/web-1-packages.json', 'web-1'],
    ['dumps/web-1_checkdata_2.json', 'web-1'],
    ['dumps/checkdata-web-1.json', 'web-1'],
    ['dumps/web-1-2026-01-31T12:00:00Z.json', 'web-1'],
    ['dumps/web-1/checkdata.json', 'web-1'],
    ['web-1.json', 'web-1'],
    ['checkdata.json', 'host'],
  ])('is named after the file or its folder: %s', (path, host) => {
    expect(hostOfFile(path)).toBe(host);
  });
});
