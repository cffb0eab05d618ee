import { expect, it } from 'vitest';
import { afterAtLeast } from '../../../src/monitoring-server/injection/at-least.ts';

it('a delay with a fraction never ends early, however late in its turn it begins', async () => {
  const early: number[] = [];
  for (let turn = 0; turn < 20; turn++) {
    const endOfTurn = performance.now() + 2;
    while (performance.now() < endOfTurn);
    await Promise.all(
      [0.3, 1.9, 3.7, 5.2].map((delayMs) => {
        const from = performance.now();
        return new Promise<void>((resolve) => {
          afterAtLeast(delayMs, () => {
            if (performance.now() - from < delayMs) early.push(delayMs);
            resolve();
          });
        });
      }),
    );
  }
  expect(early).toEqual([]);
});

it('a delay that is called off never ends', async () => {
  let ended = false;
  afterAtLeast(1, () => {
    ended = true;
  })();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(ended).toBe(false);
});
