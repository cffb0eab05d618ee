import { readdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** A late generator measures itself, while a server that runs beside it still gets most of a core that both want. */
const RAISED = constants.priority.PRIORITY_ABOVE_NORMAL;

/** Raises the priority of this process and its later threads where it may, unless it was started with another priority. */
export function raisePriority(): void {
  try {
    if (getPriority() !== constants.priority.PRIORITY_NORMAL) return;
    setPriority(RAISED);
    // On Linux, each thread has its own priority. A worker waits for those that already run, which compile and collect garbage.
    if (process.platform === 'linux')
      for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), RAISED);
  } catch {
    // Without the permission, everything works as before.
  }
}

/** `undefined` if the process has the normal priority. */
export function niceValue(): number | undefined {
  const nice = getPriority();
  return nice === constants.priority.PRIORITY_NORMAL ? undefined : nice;
}
