// Runs after `npm ci` in a checkout: puts the command `muster` beside the Node of the checkout, and drops what nothing uses of that Node.
import { globSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

/** Headers and manuals of Node, 68 MB. */
for (const path of globSync('node_modules/node/node_modules/node-*/{include,share}', { cwd: ROOT }))
  rmSync(join(ROOT, path), { recursive: true });

const command = join(ROOT, 'node_modules/.bin/muster');
rmSync(command, { force: true });
symlinkSync('../../src/launcher.cjs', command);
