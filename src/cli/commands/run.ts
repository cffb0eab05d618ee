import type { RunCommandFlags } from '../actions/run.ts';
import { CLUSTER_FLAGS } from '../flags/cluster-flags.ts';
import { REPORT_FLAGS, SCENARIO_FLAGS } from '../flags/common.ts';
import { FIGURE_FLAGS } from '../flags/figure-flags.ts';
import type { Command } from '../io.ts';

export const runCommand: Command<RunCommandFlags> = (io, end) => ({
  command: 'run [scenario...]',
  describe: 'Run scenarios one after another; the exit code is the verdict',
  builder: (yargs) =>
    yargs
      .positional('scenario', {
        type: 'string',
        array: true,
        default: [],
        describe: 'Scenario files, or - for stdin',
      })
      .options(SCENARIO_FLAGS)
      .option('workers', {
        alias: 'w',
        type: 'string',
        requiresArg: true,
        describe: 'Number of worker threads; default: chosen for this machine [MUSTER_WORKERS]',
      })
      .option('shard', {
        type: 'string',
        requiresArg: true,
        describe:
          'Run only part i of n of the fleet, such as 2/3, or index/3 in a Kubernetes Job; muster merge combines the results [MUSTER_SHARD]',
      })
      .option('start-at', {
        type: 'string',
        requiresArg: true,
        describe:
          'Start at this time, such as 2026-01-31T12:00:00Z; lets shards on several machines start together [MUSTER_START_AT]',
      })
      .option('out', {
        alias: 'o',
        type: 'string',
        requiresArg: true,
        describe: 'Folder for results; default: results [MUSTER_OUT]',
      })
      .options(FIGURE_FLAGS)
      .option('control', {
        type: 'string',
        describe:
          'Serve the control API for muster ctl and the dashboard on this address; without a value, on any free loopback port [MUSTER_CONTROL]',
      })
      .options(CLUSTER_FLAGS)
      .options(REPORT_FLAGS)
      .option('json', {
        alias: 'j',
        type: 'boolean',
        default: false,
        describe: 'Print only the JSON summary to stdout',
      })
      .option('quiet', {
        alias: 'q',
        type: 'boolean',
        default: false,
        describe: 'Hide progress and print a one-line verdict; if the run fails, also show answers of the server',
      })
      .option('debug', {
        type: 'boolean',
        default: false,
        describe: 'Print requests and answers as they happen instead of the live view; secrets appear as ***',
      })
      .option('agent', {
        type: 'string',
        requiresArg: true,
        describe: 'With --debug: print only the agent with this index, from 0',
      })
      .example('$0 run scenarios/quickstart.yaml', 'test the embedded server')
      .example('$0 run steady.yaml --target https://mon.example --allow mon.example', 'test your own server')
      .example('$0 run steady.yaml -a 5000 -d 10m', 'more agents, longer run')
      .example('$0 run steady.yaml --metrics-address :9464', 'metrics at http://127.0.0.1:9464/metrics')
      .example('$0 run steady.yaml --otlp http://127.0.0.1:4318', 'send metrics to an OpenTelemetry collector')
      .example('$0 run steady.yaml --control', 'control the run with muster ctl')
      .example('generate | $0 run -', 'read the scenario from stdin')
      .example('$0 run steady.yaml --debug --agent 7', 'show the requests and answers of agent 7')
      .example('$0 run steady.yaml --shard 2/3', 'run on the second of three machines')
      .example(
        '$0 run steady.yaml --cluster nats://127.0.0.1:4222 --machines 3',
        'run on three machines that have joined (muster join)',
      )
      .example('$0 run steady.yaml --set phases.steady.checkdata.every=30s', 'override any value')
      .epilogue(
        'Precedence: flag, environment variable in [brackets], file, default.\n' +
          'Exit codes: 0 pass, 99 threshold crossed, 111 invalid run (the generator was the bottleneck), 113 incomplete, ' +
          '115 target unreachable. No run: 104 invalid scenario or flags, 112 target not allowed. ' +
          'Others: 105 interrupted, 107 internal error, 116 some results could not be written to disk.',
      ),
  handler: async (flags) => {
    const { runScenarios } = await import('../actions/run.ts');
    end(await runScenarios(flags, io));
  },
});
