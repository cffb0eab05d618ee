import { expect, it } from 'vitest';
import { createTraceLog } from '../../../src/cli/output/trace-log.ts';

const message = (operations: number) => ({ kind: 'left_out', operations }) as const;

it('a slow reader blocks no caller: one text is in flight, and nothing counts as shown before it is written', async () => {
  const written: string[] = [];
  const shown: number[] = [];
  let read: () => void = () => {};
  const log = createTraceLog({
    write: () => expect.unreachable('that would wait for the reader'),
    post: (text, done) => {
      written.push(text);
      read = done;
    },
  });
  for (const operations of [1, 2]) log.show({ message: message(operations), shown: () => shown.push(operations) });
  log.sink.write('progress\n');
  const flushed = log.flush();
  await Promise.resolve();
  expect([written.length, shown]).toEqual([1, []]);
  read();
  await expect.poll(() => written.length).toBe(2);
  expect(shown).toEqual([1]);
  read();
  await expect.poll(() => written.at(-1)).toBe('progress\n');
  read();
  await flushed;
  expect(shown).toEqual([1, 2]);
});
