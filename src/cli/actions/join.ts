import { hostname } from 'node:os';
import { printable } from '../../base/kernel/printable.ts';
import { joinCluster } from '../../cluster/join.ts';
import type { JoinFlags } from '../commands/machines.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { connectCluster } from '../flags/cluster-request.ts';
import { workerCount } from '../flags/run.ts';
import { matching, readFlag } from '../flags/values.ts';
import type { Io } from '../io.ts';

const NAME = matching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, 'up to 63 letters, digits, dashes and underscores');

/** Joins a cluster. The first interrupt leaves it, the second exits immediately. */
export async function joinUntilInterrupted(flags: JoinFlags, io: Io): Promise<void> {
  const name = readFlag('name', { name: flags.name ?? ownName() }, NAME);
  const workers = workerCount(flags, io.env);
  const say = (text: string): void => void io.stderr.write(`${printable(text)}\n`);
  const bus = await connectCluster(flags.cluster, `muster join ${name}`, io.env);
  const joined = await joinCluster(bus, { name, workers, once: flags.once }, say);
  say(`${name} has joined ${flags.cluster} and is waiting for work; interrupt to leave`);
  let interrupts = 0;
  const unsubscribe = io.onInterrupt(() => {
    if (++interrupts > 1) process.exit(EXIT_CODES.interrupted);
    say('leaving; interrupt again to stop immediately');
    void joined.leave();
  });
  await joined.left;
  unsubscribe();
  await bus.close();
}

function ownName(): string {
  return hostname()
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, 63);
}
