import { describe, expect, it } from 'vitest';
import { createOutbox } from '../../src/cluster/outbox.ts';
import type { Frame } from '../../src/metrics/recording/frame.ts';
import { frameOf } from '../metrics/recordings.ts';

type Said = { readonly frame: Frame } | string;

/** An outbox with servers that the test makes available and unavailable. */
function outbox(mostFrames: number) {
  const said: string[] = [];
  let back = Promise.withResolvers<void>();
  back.resolve();
  const text = (message: Said) => (typeof message === 'string' ? message : `second ${message.frame.second}`);
  const box = createOutbox<Said>({
    publish: async (id, message) => {
      await back.promise;
      said.push(`${id}: ${text(message)}`);
    },
    frameOf: (message) => (typeof message === 'string' ? undefined : message.frame),
    skipped: (seconds) => `${seconds} left out`,
    mostFrames,
  });
  return {
    ...{ said, flushed: box.flushed, say: (message: string) => box.send(message) },
    second: (second: number) => box.send({ frame: frameOf(second, []) }),
    away: () => {
      back = Promise.withResolvers();
    },
    back: () => back.resolve(),
  };
}

describe("a machine's messages", () => {
  it('are sent in order, and wait while the servers are down', async () => {
    const { said, second, say, flushed, away, back } = outbox(10);
    second(0);
    await flushed();
    away();
    second(1);
    say('account');
    second(2);
    expect(said).toEqual(['0: second 0']);
    back();
    await flushed();
    expect(said).toEqual(['0: second 0', '1: second 1', '2: account', '3: second 2']);
  });

  it('lose only their oldest seconds above the limit, and report how many', async () => {
    const { said, second, say, flushed, away, back } = outbox(2);
    away();
    // The first one is already being sent.
    for (const n of [0, 1, 2]) second(n);
    say('a worker was lost');
    for (const n of [3, 4]) second(n);
    back();
    await flushed();
    expect(said).toEqual(['0: second 0', '1: 2 left out', '2: a worker was lost', '3: second 3', '4: second 4']);
  });
});
