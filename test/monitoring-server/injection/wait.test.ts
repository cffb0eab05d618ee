import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { waitAtLeast } from '../../../src/monitoring-server/injection/wait.ts';

const openAnswer = () => new EventEmitter() as unknown as ServerResponse;

it('a delay with a fraction never ends early, however late in its turn it begins', async () => {
  const early: number[] = [];
  for (let turn = 0; turn < 20; turn++) {
    const endOfTurn = performance.now() + 2;
    while (performance.now() < endOfTurn);
    await Promise.all(
      [0.3, 1.9, 3.7, 5.2].map(async (delayMs) => {
        const from = performance.now();
        await waitAtLeast(delayMs, openAnswer());
        if (performance.now() - from < delayMs) early.push(delayMs);
      }),
    );
  }
  expect(early).toEqual([]);
});

it('a delay ends when the client leaves', async () => {
  const answer = openAnswer();
  const ended = waitAtLeast(3_600_000, answer);
  answer.emit('close');
  await ended;
  expect(answer.listenerCount('close')).toBe(0);
});
