import { command, type ValuesOf } from '../command.ts';
import { exitCodesText } from '../exit-codes.ts';
import {
  FIGURE_FLAGS,
  listFlag,
  MACHINES_FLAGS,
  METRICS,
  OUT_FLAG,
  OUTPUT,
  PUBLIC_URL_FLAG,
  REPORT_FLAGS,
  SCENARIO_FILE,
  SCENARIO_FILES,
  SCENARIO_FLAGS,
  SUMMARY_FLAG,
  switchFlag,
  textFlag,
  WEBHOOK_FLAGS,
  WORKERS_FLAG,
} from '../flags/common.ts';

export const runCommand = command({
  usage: 'run [scenario...]',
  describe: 'Run scenarios one after another; the exit code is the verdict',
  positionals: { scenario: { ...SCENARIO_FILES, default: [] } },
  flags: {
    ...SCENARIO_FLAGS,
    ...WORKERS_FLAG,
    shard: textFlag(
      'Run only part i of n of the fleet, such as 2/3, or index/3 in a Kubernetes Job; muster merge combines the results [MUSTER_SHARD]',
    ),
    'start-at': textFlag(
      'Start at this time, such as 2026-01-31T12:00:00Z; lets shards on several machines start together [MUSTER_START_AT]',
    ),
    'give-up': textFlag(
      'End the run if nothing has reached the target for this long from the start, such as 30s; default: agents try until the end, as real ones do [MUSTER_GIVE_UP]',
    ),
    ...OUT_FLAG,
    ...FIGURE_FLAGS,
    ...WEBHOOK_FLAGS,
    control: {
      type: 'string',
      ...METRICS,
      describe:
        'Serve the control API for muster ctl and the dashboard on this address; without a value, on any free loopback port [MUSTER_CONTROL]',
    },
    ...PUBLIC_URL_FLAG,
    ...MACHINES_FLAGS,
    resume: textFlag(
      'Resume the run with this name after its coordinator was killed; with a scenario, start it if there is none',
      { group: 'Cluster:' },
    ),
    ...REPORT_FLAGS,
    ...SUMMARY_FLAG,
    quiet: switchFlag('Hide progress and print a one-line verdict; if the run fails, also show answers of the server', {
      ...OUTPUT,
      alias: 'q',
    }),
    debug: switchFlag(
      'Print requests and answers as they happen instead of the live view; secrets appear as ***',
      OUTPUT,
    ),
    agent: textFlag('With --debug: print only the agent with this index, from 0', OUTPUT),
  },
  examples: [
    ['$0 run scenarios/quickstart.yaml', 'test the embedded server'],
    ['$0 run --target https://mon.example --allow mon.example', 'test your own server with 100 new agents'],
    ['$0 run steady.yaml --target https://mon.example --allow mon.example', 'with a scenario'],
    ['$0 run steady.yaml -a 5000 -d 10m', 'more agents, longer run'],
    ['$0 run steady.yaml --metrics-address :9464', 'metrics at http://127.0.0.1:9464/metrics'],
    ['$0 run steady.yaml --otlp http://127.0.0.1:4318', 'send metrics to an OpenTelemetry collector'],
    ['MUSTER_WEBHOOK=https://hooks.example/KEY $0 run steady.yaml', 'post the verdict to a chat'],
    ['$0 run steady.yaml --control', 'control the run with muster ctl'],
    ['generate | $0 run -', 'read the scenario from stdin'],
    ['$0 run steady.yaml --debug --agent 7', 'show the requests and answers of agent 7'],
    ['$0 run steady.yaml --shard 2/3', 'run on the second of three machines'],
    [
      '$0 run steady.yaml --cluster nats://127.0.0.1:4222 --machines 3',
      'run on three machines that have joined (muster join)',
    ],
    ['$0 run steady.yaml --set phases.steady.checkdata.every=30s', 'override any value'],
  ],
  epilogue:
    'Precedence: flag, environment variable in [brackets], file, default.\n' +
    exitCodesText(0, 99, 111, 113, 115, 104, 112, 105, 107, 116),
});

export type RunCommandFlags = ValuesOf<typeof runCommand>;

/** Those that apply to a run, whatever its scenario. */
export type RunFlags = Omit<
  RunCommandFlags,
  | 'scenario'
  | keyof typeof SCENARIO_FLAGS
  | keyof typeof FIGURE_FLAGS
  | keyof typeof WEBHOOK_FLAGS
  | keyof typeof REPORT_FLAGS
>;

export const replayCommand = command({
  usage: 'replay <log...>',
  describe: 'Write a scenario that replays the load in access logs of a web server',
  positionals: {
    log: {
      type: 'string',
      array: true,
      demandOption: true,
      describe: 'Access logs, plain or gzip, in any order, or - for stdin',
    },
  },
  flags: {
    out: textFlag('Scenario to write; its trace is written beside it', { alias: 'o', default: 'incident.yaml' }),
    format: textFlag(
      "The server's log_format (nginx) or LogFormat (Apache); default: the formats that web servers have without configuration, and JSON",
    ),
    agents: textFlag('Number of agents, if the log cannot tell; default: estimated', { alias: 'a' }),
    speed: textFlag('How many times as fast as in the log the scenario is', { default: '1' }),
    force: switchFlag('Replace existing files', { alias: 'f' }),
    follow: switchFlag(
      'Send the requests of a log that grows to --target until you stop it; --agents: 1000 by default',
    ),
    target: listFlag('With --follow: server to send to; repeatable', { alias: 't' }),
    delay: textFlag('With --follow: how long after their arrival requests are sent', { default: '5s' }),
    allow: listFlag('With --follow: host beyond loopback that may be put under load; repeatable'),
  },
  examples: [
    ['$0 replay access.log access.log.1 access.log.2.gz', 'write incident.yaml and incident.trace'],
    ['zcat access.log.*.gz | $0 replay - -o july.yaml', 'read from stdin'],
    [
      `$0 replay access.log --format '$remote_addr [$time_iso8601] "$request" $status $request_time'`,
      'read another format',
    ],
    ['tail -F access.log | $0 replay - --follow --target http://127.0.0.1:8080', 'mirror requests as they come'],
  ],
  epilogue:
    'Only requests of agents are kept, without addresses, query strings, users and referrers: docs/tutorials/replay-an-incident.md.',
});

export type ReplayFlags = ValuesOf<typeof replayCommand>;

export const initCommand = command({
  usage: 'init [file]',
  describe: 'Write a commented starter scenario',
  positionals: { file: { type: 'string', default: 'scenario.yaml', describe: 'File to write' } },
  flags: {
    force: switchFlag('Replace an existing file', { alias: 'f' }),
    agents: textFlag('Number of agents; a large fleet enrolls and reports at realistic rates', {
      alias: 'a',
      default: '100',
    }),
  },
  examples: [
    ['$0 init', 'write scenario.yaml'],
    ['$0 init --agents 20000', 'write the everyday load of 20,000 agents'],
    ['$0 init load/first.yaml', 'write to an existing folder'],
  ],
});

export type InitFlags = ValuesOf<typeof initCommand>;

export const validateCommand = command({
  usage: 'validate <scenario...>',
  describe: 'Check scenario files and report every error, without traffic',
  positionals: { scenario: { ...SCENARIO_FILES, demandOption: true } },
  flags: SCENARIO_FLAGS,
  examples: [
    ['$0 validate scenarios/*.yaml', 'check all scenarios'],
    ['$0 validate storm.yaml --set fleet.agents=20000', 'check it with more agents'],
  ],
});

export type ValidateFlags = ValuesOf<typeof validateCommand>;

export const planCommand = command({
  usage: 'plan <scenario>',
  describe: 'Show what a scenario will do and what it needs, without traffic',
  positionals: { scenario: SCENARIO_FILE },
  flags: {
    effective: switchFlag('Print the scenario as YAML with all defaults and flags applied'),
    machines: textFlag('Also show what NATS stores for a cluster with this number of machines'),
    ...SCENARIO_FLAGS,
    ...WORKERS_FLAG,
  },
  examples: [
    ['$0 plan steady.yaml --agents 20000', 'show what 20,000 agents need'],
    ['$0 plan steady.yaml --effective > effective.yaml', 'write the scenario with all defaults; you can run it'],
  ],
  epilogue: 'Exits with 104 if this machine has NOT ENOUGH of a resource.',
});

export type PlanFlags = ValuesOf<typeof planCommand>;

export const capacityCommand = command({
  usage: 'capacity <scenario>',
  describe: 'Find the highest load that meets the thresholds',
  positionals: { scenario: SCENARIO_FILE },
  flags: {
    until: textFlag("Conditions that each step must meet, joined by and; default: the scenario's thresholds"),
    raise: textFlag('What to raise; default: agents if they push at an interval, otherwise the rate', {
      choices: ['agents', 'rate'],
    }),
    from: textFlag("First load, such as 500 or 200/s; default: the scenario's load"),
    to: textFlag('Highest load to try; default: the capacity of this machine, times --machines'),
    growth: textFlag('Factor between steps while they pass', { default: '1.5' }),
    resolution: textFlag('Precision of the result', { default: '5%' }),
    step: textFlag('How long to measure each load', { default: '15s' }),
    settle: textFlag('How long to apply each load before measuring', { default: '5s' }),
    ...WORKERS_FLAG,
    out: textFlag('Folder for the results of all steps; default: results [MUSTER_OUT]', { ...OUTPUT, alias: 'o' }),
    html: textFlag('Write the curve as an HTML page to this file', OUTPUT),
    json: switchFlag('Print only the JSON result to stdout', { ...OUTPUT, alias: 'j' }),
    ...SCENARIO_FLAGS,
    ...FIGURE_FLAGS,
    ...MACHINES_FLAGS,
  },
  examples: [
    ['$0 capacity steady.yaml', 'how many agents meet its thresholds'],
    ['$0 capacity steady.yaml --until "checkdata p(99) < 500ms and error_rate < 1%"', 'use other conditions'],
    ['$0 capacity storm.yaml --raise rate --from 100/s --to 5000/s', 'how many operations per second'],
    ['$0 capacity steady.yaml --cluster nats://127.0.0.1:4222 --machines 3', 'run on machines that have joined'],
    ['$0 capacity steady.yaml --html capacity.html --json', 'write the curve as HTML, print it as JSON'],
  ],
  epilogue:
    'Each step is a separate run: the phases before the load, then the load. docs/how-to/find-capacity.md explains the result.\n' +
    exitCodesText(0, 99, 111, 113, 115, 105, 104, 112),
});

export type CapacityFlags = ValuesOf<typeof capacityCommand>;
