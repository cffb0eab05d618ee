import { describe, expect, it } from 'vitest';
import { createGroupCommit } from '../../src/run/group-commit.ts';

describe('a group commit', () => {
  it('saves what comes in one turn together, and confirms each caller afterwards', async () => {
    const log: string[] = [];
    const commit = createGroupCommit<number>(
      (entries) => log.push(`save ${entries.join()}`),
      () => log.push('failed'),
    );
    await Promise.all([
      commit([1, 2]).then(() => log.push('first confirmed')),
      commit([3]).then(() => log.push('second confirmed')),
    ]);
    await commit([4]);
    expect(log).toEqual(['save 1,2,3', 'first confirmed', 'second confirmed', 'save 4']);
  });

  it('never confirms what could not be saved', async () => {
    const failures: unknown[] = [];
    const full = new Error('disk full');
    const commit = createGroupCommit<number>(
      () => {
        throw full;
      },
      (error) => failures.push(error),
    );
    const confirmed = commit([1]).then(() => 'confirmed');
    expect(await Promise.race([confirmed, twoTurns()])).toBe('two turns');
    expect(failures).toEqual([full]);
  });
});

async function twoTurns(): Promise<string> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  return 'two turns';
}
