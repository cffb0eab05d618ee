import { startMonitoringServer } from '../monitoring-server/start.ts';
import type { Command } from './command.ts';
import type { Io } from './io.ts';
import { parseListenAddress } from './listen-address.ts';
import { onlyOne } from './scenario-flags.ts';

export const serveCommand: Command<{ listen: string; 'api-key': string }> = (io) => ({
  command: 'serve',
  describe: 'Runs the embedded monitoring server alone until it is stopped',
  builder: (yargs) =>
    yargs
      .option('listen', { type: 'string', requiresArg: true, default: '127.0.0.1:8080', describe: 'Address and port' })
      .option('api-key', { type: 'string', requiresArg: true, default: '', describe: 'Key to demand; empty: none' })
      .example('$0 serve', 'for agents of this machine')
      .example('$0 serve --listen 127.0.0.1:0', 'on any free port; its URL is printed on stdout')
      .example('$0 serve --listen [::1]:8080 --api-key KEY', 'demands a key'),
  handler: async (flags) => {
    const address = parseListenAddress(onlyOne('listen', flags.listen));
    const server = await startMonitoringServer({ ...address, apiKey: onlyOne('api-key', flags['api-key']) });
    const stopped = interrupted(io);
    io.stdout.write(`${server.url}\n`);
    io.stderr.write('The monitoring server is up; interrupt it to stop.\n');
    await stopped;
    await server.stop();
    const { registrations } = server.counts();
    io.stderr.write(`Stopped; agents registered: ${registrations}.\n`);
  },
});

function interrupted({ onInterrupt }: Io): Promise<void> {
  return new Promise((resolve) => {
    const forget = onInterrupt(() => {
      forget();
      resolve();
    });
  });
}
