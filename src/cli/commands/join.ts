import { JOIN_FLAGS, type JoinFlags } from '../flags/run-flags.ts';
import type { Command } from '../io.ts';

export const joinCommand: Command<JoinFlags> = (io) => ({
  command: 'join <cluster>',
  describe: 'Join a cluster: this machine runs part of each fleet that muster run --cluster starts',
  builder: (yargs) =>
    yargs
      .positional('cluster', {
        type: 'string',
        demandOption: true,
        describe: 'NATS server with JetStream, such as nats://127.0.0.1:4222; a remote server needs tls://',
      })
      .options(JOIN_FLAGS)
      .example('$0 join nats://127.0.0.1:4222', 'wait for work until interrupted')
      .example('$0 join tls://nats.example:4222 --once', 'leave after one run')
      .epilogue(
        'Credentials and keys come from the environment: MUSTER_NATS_CREDS, MUSTER_NATS_NKEY or MUSTER_NATS_USER and\n' +
          'MUSTER_NATS_PASSWORD; MUSTER_NATS_CA; MUSTER_CLUSTER_KEY or MUSTER_CLUSTER_KEY_FILE. MUSTER_NATS_WAIT=10m waits up to ten minutes for the server.',
      ),
  handler: async (flags) => {
    const { joinUntilInterrupted } = await import('../actions/join.ts');
    await joinUntilInterrupted(flags, io);
  },
});
