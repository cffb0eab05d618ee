import { batchPerTurn } from '../base/runtime/event-loop.ts';

/**
 * Saves the entries of all callers within one turn of the event loop together, and resolves when they are saved. `save` returns when its
 * entries are durable. If it throws, `onFailure` is called and the callers wait forever: they must not use an entry that is not saved.
 */
export function createGroupCommit<T>(
  save: (entries: readonly T[]) => void,
  onFailure: (error: unknown) => void,
): (entries: readonly T[]) => Promise<void> {
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
