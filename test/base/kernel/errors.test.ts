import { expect, it } from 'vitest';
import { isDiskFull, writeFailure, writtenTo } from '../../../src/base/kernel/errors.ts';

it.each([
  [{ code: 'ENOSPC' }, /free disk space$/],
  [{ code: 'EDQUOT' }, /free disk space$/],
  // SQLite: full, read-only, and an error of the disk.
  [{ errcode: 13 }, /free disk space$/],
  [{ errcode: 8 }, /check that the file exists, that this user may write it/],
  [{ code: 'EIO' }, /check that the file exists, that this user may write it, and that its disk works$/],
])('a failed write with %o asks to free disk space only if the disk is full', (codes, remedy) => {
  const text = writeFailure(Object.assign(new Error('the reason'), codes));
  expect(text).toMatch(/^the reason; /);
  expect(text).toMatch(remedy);
});

it('a failed write names the file, and stays known as one to a full disk', () => {
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const write = () =>
    writtenTo('incident.trace', () => {
      throw full;
    });
  expect(write).toThrow('Cannot write incident.trace: no space; free disk space.');
  expect(write).toThrow(expect.toSatisfy(isDiskFull));
});
