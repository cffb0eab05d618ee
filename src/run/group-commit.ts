import { batchPerTurn } from '../runtime/event-loop.ts';

/** Saves what several callers hand over in one turn of the event loop together, and tells each when it is saved. */
export type GroupCommit<T> = (entries: readonly T[]) => Promise<void>;

/**
 * `save` returns once its entries are durable. If it throws, `onFailure` is told and the entries' callers wait for
 * ever: nobody may act on an entry that is not saved.
 */
export function createGroupCommit<T>(
  save: (entries: readonly T[]) => void,
  onFailure: (error: unknown) => void,
): GroupCommit<T> {
  const add = batchPerTurn<{ entries: readonly T[]; confirm: () => void }>((group) => {
    try {
      save(group.flatMap(({ entries }) => entries));
    } catch (error) {
      onFailure(error);
      return;
    }
    for (const { confirm } of group) confirm();
  });
  return (entries) => new Promise((confirm) => add({ entries, confirm }));
}
