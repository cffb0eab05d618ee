import { exitCodesText } from '../exit-codes.ts';
import { RUN_FLAGS, type RunCommandFlags } from '../flags/run-flags.ts';
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
      .options(RUN_FLAGS)
      .example('$0 run scenarios/quickstart.yaml', 'test the embedded server')
      .example('$0 run --target https://mon.example --allow mon.example', 'test your own server with 100 new agents')
      .example('$0 run steady.yaml --target https://mon.example --allow mon.example', 'with a scenario')
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
          exitCodesText(0, 99, 111, 113, 115, 104, 112, 105, 107, 116),
      ),
  handler: async (flags) => {
    const { runScenarios } = await import('../actions/run.ts');
    end(await runScenarios(flags, io));
  },
});
