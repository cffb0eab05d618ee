import { SERVE_FLAGS, type ServeFlags } from '../flags/serve.ts';
import type { Command } from '../io.ts';

const EPILOGUE = `GET /healthz and GET /metrics (OpenMetrics, or the text of Prometheus) answer on the same port, without a key.

A pull file names agents and how they are asked, with these defaults:
  every: 60s             # GET /
  packages: 60m          # GET /packages, from the first check data on
  timeout: 30s           # for one request
  concurrency: 64        # exchanges under way at once
  autoTls: true          # false: plain HTTP, or with https: true the agents' own certificates
  exchangeAgain: false   # new certificates for agents that have lost theirs
  basicAuth: user:password            # none by default
  config: config.ini                  # pushed once; none by default
  allow: [10.20.0.0/16]               # hosts and networks beyond loopback; none by default
  state: pull-state                   # folder for the authority and what was exchanged
  agents: ['127.0.0.1:3333', { listen: 127.20.0.0/16:3333, count: 100 }]`;

export const serveCommand: Command<ServeFlags> = (io) => ({
  command: 'serve',
  describe: 'Runs the embedded monitoring server alone until it is stopped',
  builder: (yargs) =>
    yargs
      .options(SERVE_FLAGS)
      .example('$0 serve', 'for agents of this machine')
      .example('$0 serve --listen 127.0.0.1:0', 'on any free port; its URL is printed on stdout')
      .example('$0 serve --dialect shipped --api-key KEY', 'answers as a released server does')
      .example('$0 serve --data agents.db', 'knows its agents again after a restart')
      .example(
        '$0 serve --faults faults.yaml --admin 9090',
        'misbehaves, and can be steered; the token is MUSTER_ADMIN_TOKEN',
      )
      .example('$0 serve --tls self-signed', 'speaks HTTPS')
      .example('$0 serve --pull agents.yaml', 'polls agents that listen, and exchanges certificates with them first')
      .epilogue(EPILOGUE),
  handler: async (flags) => {
    const { serveUntilStopped } = await import('../actions/serve.ts');
    await serveUntilStopped(flags, io);
  },
});
