import type { RunCommandFlags } from '../actions/run.ts';
import { CLUSTER_FLAGS } from '../flags/cluster-flags.ts';
import { REPORT_FLAGS, SCENARIO_FLAGS } from '../flags/common.ts';
import type { Command } from '../io.ts';

export const runCommand: Command<RunCommandFlags> = (io, end) => ({
  command: 'run [scenario...]',
  describe: 'Runs scenario files one after another and ends with the exit code of the verdict',
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
        describe: 'Worker threads; default: as fits the machine [MUSTER_WORKERS]',
      })
      .option('shard', {
        type: 'string',
        requiresArg: true,
        describe:
          'Raise only part i of n of the fleet, such as 2/3, or index/3 in a Job of Kubernetes; muster merge joins the results [MUSTER_SHARD]',
      })
      .option('start-at', {
        type: 'string',
        requiresArg: true,
        describe:
          'Start at this instant, such as 2026-01-31T12:00:00Z: for shards on several machines [MUSTER_START_AT]',
      })
      .option('out', {
        alias: 'o',
        type: 'string',
        requiresArg: true,
        describe: 'Folder for results; default: results [MUSTER_OUT]',
      })
      .option('metrics-address', {
        type: 'string',
        requiresArg: true,
        describe:
          'Figures for Prometheus while it runs, such as 127.0.0.1:9464; loopback only [MUSTER_METRICS_ADDRESS]',
      })
      .option('control', {
        type: 'string',
        describe:
          'Lets muster ctl look into it and act on it, at this address; without one any free port of loopback [MUSTER_CONTROL]',
      })
      .options(CLUSTER_FLAGS)
      .options(REPORT_FLAGS)
      .option('json', { alias: 'j', type: 'boolean', default: false, describe: 'The summary as JSON, alone on stdout' })
      .option('quiet', {
        alias: 'q',
        type: 'boolean',
        default: false,
        describe: 'No progress, and the verdict in one line, with what the server said if it is not good',
      })
      .option('debug', {
        type: 'boolean',
        default: false,
        describe: 'Shows requests and answers as they go, in place of the live view; secrets are ***',
      })
      .option('agent', {
        type: 'string',
        requiresArg: true,
        describe: 'With --debug: those of one agent alone, by its index in the fleet, from 0',
      })
      .example('$0 run scenarios/quickstart.yaml', 'against the embedded server')
      .example('$0 run steady.yaml --target https://mon.example --allow mon.example', 'against a server of yours')
      .example('$0 run steady.yaml -a 5000 -d 10m', 'more agents, for longer')
      .example('$0 run steady.yaml --metrics-address :9464', 'with figures at http://127.0.0.1:9464/metrics')
      .example('$0 run steady.yaml --control', 'with muster ctl at work on it')
      .example('generate | $0 run -', 'a scenario from stdin')
      .example('$0 run steady.yaml --debug --agent 7', 'with what agent 7 sends and is answered')
      .example('$0 run steady.yaml --shard 2/3', 'the second of three machines')
      .example(
        '$0 run steady.yaml --cluster nats://127.0.0.1:4222 --machines 3',
        'on three machines that have joined (muster join)',
      )
      .example('$0 run steady.yaml --set phases.steady.checkdata.every=30s', 'with any value replaced')
      .epilogue(
        'Precedence: flag, environment variable in [brackets], file, default.\n' +
          'Exit codes: 0 pass, 99 threshold crossed, 104 wrong scenario or flags, 105 interrupted, 107 internal error, ' +
          '111 invalid (the generator was the bottleneck), 112 target not allowed, 113 incomplete, 115 target never reachable, ' +
          '116 the disk did not take all.',
      ),
  handler: async (flags) => {
    const { runScenarios } = await import('../actions/run.ts');
    end(await runScenarios(flags, io));
  },
});
