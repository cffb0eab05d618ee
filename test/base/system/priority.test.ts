import { spawnSync } from 'node:child_process';
import { constants, getPriority } from 'node:os';
import { expect, it } from 'vitest';

// A process that was started with another priority, such as by `nice npm test`, keeps it.
const IS_NORMAL = getPriority() === constants.priority.PRIORITY_NORMAL;
const MAY_RAISE = process.platform === 'linux' && process.getuid?.() === 0 && IS_NORMAL;

const PRIORITIES = `
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { raisePriority } from '${new URL('../../../src/base/system/priority.ts', import.meta.url).pathname}';
raisePriority();
console.log(JSON.stringify(readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)))));
`;

it.skipIf(!MAY_RAISE)('raises the threads that already run as well, for which a worker waits', () => {
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', PRIORITIES], { encoding: 'utf8' });
  const priorities = JSON.parse(stdout) as readonly number[];
  expect(priorities.length).toBeGreaterThan(1);
  expect(new Set(priorities)).toEqual(new Set([-7]));
});
