#!/bin/sh
':' //; exec node -- "$0" "$@"
// A shell starts this file with Node, for which the line above is a comment: BusyBox has no env -S. The two dashes keep Node's hands
// off Muster's own --env-file, which it would otherwise look for itself.
// CommonJS without static imports: a Node that is too old has to get as far as the sentence that says so.

// As in main.ts, which takes a moment to load.
process.on('SIGUSR1', () => {});

const { engines } = require('../package.json');

const least = Number.parseInt(engines.node.replace('>=', ''), 10);
const PACKED = '../dist/main.js';
// Both of src/cli/exit-codes.ts, which an old Node cannot load.
const USER_ERROR = 104;
const INTERNAL_ERROR = 107;

if (Number.parseInt(process.versions.node, 10) < least) {
  process.stderr.write(
    `muster needs Node ${least} or newer; this is ${process.versions.node}, at ${process.execPath}; see docs/how-to/install.md.\n`,
  );
  process.exitCode = USER_ERROR;
} else {
  // Main replaces it. If it hung with nothing left to wait for, Node would end an import from here with 0, a pass.
  process.exitCode = INTERNAL_ERROR;
  // A checkout has the sources, and they are newer than what was once compiled from them.
  if (require('node:fs').existsSync(`${__dirname}/main.ts`)) import('./main.ts');
  else import(PACKED);
}
