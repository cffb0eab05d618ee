import { DIALECT_NAMES } from '../../base/protocol/push.ts';
import { command, type ValuesOf } from '../command.ts';
import { exitCodesText } from '../exit-codes.ts';
import { listFlag, OTLP_FLAGS, OUTPUT, SUMMARY_FLAG, switchFlag, textFlag } from '../flags/common.ts';

export const serveCommand = command({
  usage: 'serve',
  describe: 'Run the embedded monitoring server without a fleet until you stop it',
  flags: {
    listen: textFlag('Address and port to listen on', { alias: 'l', default: '127.0.0.1:8080' }),
    'api-key': textFlag('API key that agents must send; empty: none [MUSTER_API_KEY]'),
    tls: { choices: ['self-signed'] as const, describe: 'Serve HTTPS with a certificate generated for this run' },
    'tls-cert': textFlag('Serve HTTPS with the certificate in this PEM file'),
    'tls-key': textFlag('PEM file with the private key of --tls-cert'),
    dialect: {
      choices: DIALECT_NAMES,
      default: 'documented' as const,
      describe: 'Follow the documented API, or behave like the released server',
    },
    release: {
      choices: ['5.3', '5.5'] as const,
      default: '5.5' as const,
      describe: 'Release that --dialect shipped follows; 5.3 has no package endpoint',
    },
    assign: textFlag('When agents become hosts: automatic, manual, or after a delay such as 30s', {
      default: 'automatic',
    }),
    restrict: listFlag('Container in which the key may not edit hosts: ID:read, or ID:none to hide them; repeatable'),
    data: textFlag('File that keeps registrations across restarts'),
    verify: switchFlag("Check every document against the agent's schema"),
    faults: textFlag('YAML or JSON file with faults to inject'),
    pull: textFlag('YAML file with agents to poll through their web servers'),
    allow: listFlag('Host or IPv4 network beyond loopback that --pull may poll; repeatable'),
    seed: textFlag('Seed for random faults', { default: '1' }),
    admin: textFlag('Port of the admin endpoint on loopback'),
    'admin-token': textFlag('Token that admin requests must carry [MUSTER_ADMIN_TOKEN]'),
    ...OTLP_FLAGS,
  },
  examples: [
    ['$0 serve', 'serve agents on this machine'],
    ['$0 serve --listen 127.0.0.1:0', 'listen on any free port; print the URL to stdout'],
    ['$0 serve --dialect shipped --api-key KEY', 'answer like a released server'],
    ['$0 serve --data agents.db', 'remember agents across restarts'],
    [
      '$0 serve --faults faults.yaml --admin 9090',
      'inject faults and change them at run time; the token is MUSTER_ADMIN_TOKEN',
    ],
    ['$0 serve --tls self-signed', 'serve HTTPS'],
    ['$0 serve --pull agents.yaml', 'poll listening agents, after exchanging certificates'],
  ],
  epilogue: `GET /healthz and GET /metrics (OpenMetrics or Prometheus text) answer on the same port, without a key.

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
  agents: ['127.0.0.1:3333', { listen: 127.20.0.0/16:3333, count: 100 }]`,
});

export type ServeFlags = ValuesOf<typeof serveCommand>;

export const doctorCommand = command({
  usage: 'doctor',
  describe: 'Show the limits of this machine and how to raise them',
  flags: {
    agents: textFlag('Size of the fleet you plan', { alias: 'a', default: '10000' }),
    calibrate: switchFlag('Measure the error of a run against known delays; takes 15 seconds'),
  },
  examples: [
    ['$0 doctor', 'show what this machine can carry'],
    ['$0 doctor --agents 50000', 'show what limits this machine for 50,000 agents'],
    ['$0 doctor --calibrate', 'also measure how accurate its figures are'],
  ],
  epilogue: 'Exits with 111 if the calibration found figures that are off.',
});

export type DoctorFlags = ValuesOf<typeof doctorCommand>;

export const conformCommand = command({
  usage: 'conform <mode> [url]',
  describe: 'Try every rule of an interface on a server or an agent, and report which hold',
  positionals: {
    mode: {
      choices: ['server', 'agent', 'pushes'] as const,
      demandOption: true,
      describe:
        'server: play agents for a push server; agent: play a monitoring server for the web server of an agent; pushes: play a push server for an agent',
    },
    url: { type: 'string', describe: 'URL of the server or agent' },
  },
  flags: {
    only: listFlag('Sections such as register, or cases such as checkdata.7, with commas between them; repeatable'),
    except: listFlag('Sections or cases to leave out; repeatable'),
    level: listFlag('Levels whose rules must hold: written, agent, server, shipped, note; repeatable', {
      default: ['written', 'agent', 'server'],
    }),
    list: switchFlag('List the cases instead of trying them'),
    'api-key': textFlag('API key of the server [MUSTER_API_KEY]'),
    assigned: textFlag('UUID:PASSWORD of a registered agent with a host, for the cases that need one'),
    provision: switchFlag('server: add a host for these cases, and remove it and all registrations afterwards'),
    allow: listFlag('Host beyond loopback that may be tested; repeatable'),
    auth: textFlag('agent: user:password of its web server [MUSTER_AUTH]'),
    'allow-changes': switchFlag('agent: also push configurations and certificates; the configuration is given back'),
    listen: textFlag('pushes: address and port for the agent to push to'),
    fast: switchFlag('pushes: the agent has an interval of a few seconds'),
    'tls-cert': textFlag(
      'agent: PEM file with the certificate with which the server polls; pushes: one for HTTPS instead of a self-signed one',
    ),
    'tls-key': textFlag('PEM file with the private key of --tls-cert'),
    insecure: switchFlag('Accept any certificate'),
    ca: textFlag('PEM file with the authority of the certificate'),
    ...SUMMARY_FLAG,
    junit: textFlag('Write the verdicts as JUnit XML to this file', OUTPUT),
    html: textFlag(
      'Write a page to this file: each broken rule with request, answer and a line that repeats it',
      OUTPUT,
    ),
  },
  examples: [
    ['$0 conform server http://127.0.0.1:8080', 'play agents against a push server'],
    ['$0 conform server http://127.0.0.1:8080 --only register,checkdata.7', 'try one section and one case'],
    ['$0 conform server --list', 'list the cases'],
    ['$0 conform agent http://127.0.0.1:3333', 'read from the web server of an agent, and judge it'],
    ['$0 conform agent http://127.0.0.1:3333 --allow-changes', 'also push configurations and exchange certificates'],
    [
      '$0 conform pushes --listen 127.0.0.1:8080 --fast',
      'take an agent that pushes to this address through all answers',
    ],
  ],
  epilogue: exitCodesText(0, 104, 105, 112, 115, 116, 118),
});

export type ConformFlags = ValuesOf<typeof conformCommand>;

const SCHEMAS = ['scenario', 'summary'] as const;

export const schemaCommand = command({
  usage: 'schema [of]',
  describe: 'Print the JSON Schema of scenario files or of summary.json',
  positionals: { of: { choices: SCHEMAS, default: 'scenario' as const, describe: 'Files that the schema describes' } },
  examples: [
    ['$0 schema > scenario.schema.json', 'let editors complete scenario files'],
    ['$0 schema summary', 'describe the format of results'],
  ],
});

export type SchemaFlags = ValuesOf<typeof schemaCommand>;
