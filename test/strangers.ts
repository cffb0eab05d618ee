import { chownSync } from 'node:fs';
import { vi } from 'vitest';

/** The user nobody of most systems. */
const STRANGER = 65_534;

/** Makes files and folders those of another user: root gives them away, another user is someone else until `vi.restoreAllMocks`. */
export function giveAway(...paths: readonly string[]): void {
  if (process.getuid?.() === 0) for (const path of paths) chownSync(path, STRANGER, STRANGER);
  else vi.spyOn(process, 'geteuid').mockReturnValue((process.getuid?.() ?? 0) + 1);
}
