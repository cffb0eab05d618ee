import { SERVE_FLAGS, type ServeFlags } from '../flags/serve.ts';
import type { Command } from '../io.ts';

const EPILOGUE = `GET /healthz and GET /metrics (OpenMetrics or Prometheus text) answer on the same port, without a key.

A pull file lists the agents to poll and how to poll them. Defaults:
  every: 60s             # GET /
  packages: 60m          # GET /packages, after the first check data
  timeout: 30s           # per request
  concurrency: 64        # certificate exchanges in flight
  autoTls: true          # false: plain HTTP; with https: true, the agents' own certificates
  exchangeAgain: false   # issue new certificates to agents that lost theirs
  basicAuth: user:password            # default: none
  config: config.ini                  # pushed once; default: none
  allow: [10.20.0.0/16]               # hosts and networks beyond loopback; default: none
  state: pull-state                   # folder for the CA and the exchanged certificates
  agents: ['127.0.0.1:3333', { listen: 127.20.0.0/16:3333, count: 100 }]`;

export const serveCommand: Command<ServeFlags> = (io) => ({
  command: 'serve',
  describe: 'Run the embedded monitoring server without a fleet until you stop it',
  builder: (yargs) =>
    yargs
      .options(SERVE_FLAGS)
      .example('$0 serve', 'serve agents on this machine')
      .example('$0 serve --listen 127.0.0.1:0', 'listen on any free port; print the URL to stdout')
      .example('$0 serve --dialect shipped --api-key KEY', 'answer like a released server')
      .example('$0 serve --data agents.db', 'remember agents across restarts')
      .example(
        '$0 serve --faults faults.yaml --admin 9090',
        'inject faults and change them at run time; the token is MUSTER_ADMIN_TOKEN',
      )
      .example('$0 serve --tls self-signed', 'serve HTTPS')
      .example('$0 serve --pull agents.yaml', 'poll listening agents, after exchanging certificates')
      .epilogue(EPILOGUE),
  handler: async (flags) => {
    const { serveUntilStopped } = await import('../actions/serve.ts');
    await serveUntilStopped(flags, io);
  },
});
