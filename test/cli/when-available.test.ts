import { expect, it } from 'vitest';
import { NotYetError, UserError } from '../../src/base/kernel/errors.ts';
import { WaitEndedError, whenAvailable } from '../../src/cli/actions/fleet.ts';

/** Tries until the attempt with this number, with a second between two of them. */
async function tried(until: number, error: Error = new NotYetError('The port is in use.'), abortAfter = Number.NaN) {
  const stopping = new AbortController();
  const notes: string[] = [];
  let tries = 0;
  let waitedMs = 0;
  const attempt = async (): Promise<number> => {
    if (++tries < until) throw error;
    return tries;
  };
  const wait = async (ms: number): Promise<void> => {
    waitedMs += ms;
    if (tries === abortAfter) stopping.abort();
  };
  const end = await whenAvailable(attempt, { note: (text) => notes.push(text), signal: stopping.signal }, wait).catch(
    (thrown: unknown) => thrown,
  );
  return { end, notes, tries, waitedMs };
}

it('tries every second until it succeeds, and says why at once and every minute', async () => {
  const { end, notes, waitedMs } = await tried(122);
  expect([end, waitedMs]).toEqual([122, 121_000]);
  expect(notes).toEqual(Array(3).fill('The port is in use. Muster waits and tries again every second.'));
});

it('ends with the signal, and with an error that no time repairs', async () => {
  expect((await tried(99, undefined, 7)).end).toBeInstanceOf(WaitEndedError);
  expect(await tried(99, new UserError('The flag is wrong.'))).toMatchObject({
    tries: 1,
    end: new UserError('The flag is wrong.'),
  });
});
