import { writeFile } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { isatty } from 'node:tty';
import { setFlagsFromString } from 'node:v8';
import { openCompileCache } from './base/storage/compile-cache.ts';
import { raisePriority } from './base/system/priority.ts';
import { EXIT_CODES } from './cli/exit-codes.ts';
import { showLoading } from './cli/output/loading.ts';

// Node's own listener would open a debugger to every user of the machine.
process.on('SIGUSR1', () => {});

// Nearly all that loading makes stays, and V8 would let the part of the heap for what is new grow over it, to 67 MB.
// `workers` lets it grow again, for the threads.
setFlagsFromString('--semi-space-growth-factor=1');

// Node keeps what it has compiled for the next start: that halves the time to load the rest, which is imported below for that reason. Worker
// threads are told by the environment, where the user may have chosen a folder.
if (!process.env.NODE_COMPILE_CACHE && !process.env.NODE_DISABLE_COMPILE_CACHE) {
  const cache = openCompileCache(process.env);
  if (cache.kind === 'folder') {
    process.env.NODE_COMPILE_CACHE = cache.path;
    enableCompileCache(cache.path);
  } else if (cache.kind === 'foreign')
    process.stderr.write(
      `! ${cache.problem}: Muster keeps no compiled code there and starts more slowly; set XDG_CACHE_HOME to a folder of this user.\n`,
    );
}
// A terminal that nobody sized, as docker run -t gives to CI, says 0.
for (const stream of [process.stdout, process.stderr])
  if (stream.isTTY && stream.columns === 0) Object.assign(stream, { columns: 80, rows: 24 });
/** Commands that generate load. */
const GENERATORS: ReadonlySet<string> = new Set(['run', 'capacity', 'fleet', 'join']);
const words = process.argv.slice(2);
const first = words.find((word) => !word.startsWith('-')) ?? '';
const command = /\.ya?ml$/.test(first) ? 'run' : first;
if (GENERATORS.has(command)) raisePriority();

const isShown =
  process.stderr.isTTY && process.env.TERM !== 'dumb' && !words.some((word) => /^(-q|--quiet)$/.test(word));
const loaded =
  GENERATORS.has(command) && isShown
    ? showLoading(`muster ${command}: loading`, process.stderr, process.stdout)
    : () => {};
process.once('exit', loaded);

const { runMuster } = await import('./cli/muster.ts');

const interruptListeners = new Set<() => void>();

let isInterrupted = false;

function interrupt(): void {
  isInterrupted = true;
  if (interruptListeners.size === 0) process.exit(EXIT_CODES.interrupted);
  for (const listener of [...interruptListeners]) listener();
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);

// Node undoes what nohup asks for, but nohup also leaves no stream at the terminal. Asked early: a closed terminal is none.
const hasTerminal = [0, 1, 2].some(isatty);
process.on('SIGHUP', () => {
  if (hasTerminal) interrupt();
});

const PARENT_CHECKED_EVERY_MS = 500;

// npx and npm run start a shell that starts this program. A signal to npm ends the shell, which does not pass it on.
if (process.env.npm_command !== undefined) {
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    if (isInterrupted) return;
    process.stderr.write(
      'npm, which started this command, has ended, so it ends too; start muster without npm to keep it.\n',
    );
    interrupt();
  }, PARENT_CHECKED_EVERY_MS);
  check.unref();
}

/** A reader that has seen enough (`| head`), or a terminal that was closed, is no fault: the work goes on. */
const READER_GONE: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO']);

let isOutputLost = false;
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (READER_GONE.has(error.code) || isOutputLost) return;
    isOutputLost = true;
    if (stream === process.stdout) process.stderr.write(`Cannot write to the standard output: ${error.message}\n`);
  });
process.on('exit', (code) => {
  if (isOutputLost && code === EXIT_CODES.pass) process.exitCode = EXIT_CODES.notStored;
});

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    process.stderr.write('The current folder no longer exists: change to another one.\n');
    return process.exit(EXIT_CODES.userError);
  }
}

/** A stopped terminal blocks its writer: here that is a thread of Node's pool. Pipes never block. */
function post(text: string, done: () => void): void {
  const { stderr } = process;
  loaded();
  if (stderr.isTTY) writeFile(stderr.fd, text, () => done());
  else stderr.write(text, () => done());
}

/** Node's own exit waits for threads, also for one that a hanging disk blocks. The program that replaces this one only exits. */
function leave(code: number): void {
  try {
    process.execve?.(process.execPath, [process.execPath, '-e', `process.exit(${code})`], {
      PATH: process.env.PATH ?? '',
    });
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}

process.exitCode = await runMuster(words, {
  // Opened only by a command that reads it.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: Object.assign(process.stderr, { post }),
  env: process.env,
  cwd: currentFolder(),
  onInterrupt: (listener) => {
    interruptListeners.add(listener);
    return () => interruptListeners.delete(listener);
  },
  leave,
});
