import { command, type ValuesOf } from '../command.ts';
import { listFlag, optionalSwitch, SCENARIO_FILE, SCENARIO_FLAGS, switchFlag, textFlag } from '../flags/common.ts';

export const inspectCommand = command({
  usage: 'inspect <scenario>',
  describe: 'Print what one agent sends or stores at a given time; events apply as if the run started now',
  positionals: { scenario: SCENARIO_FILE },
  flags: {
    agent: textFlag('Index of the agent, from 0, or a cohort such as role=database, for its first agent', {
      default: '0',
    }),
    cohort: textFlag('List the agents of a cohort such as profile=windows-*, or of the event with this name'),
    at: textFlag(
      'Time: ISO 8601 (UTC), an offset from now such as 5m, or one in a phase such as steady+5s; default: now',
    ),
    what: {
      choices: ['checkdata', 'packages', 'identity', 'config'],
      default: 'checkdata',
      describe: 'Document to print',
    },
    pretty: optionalSwitch('Indent the JSON; default on a terminal'),
    diff: textFlag('Show what changes within this time, such as 30s'),
    ...SCENARIO_FLAGS,
  },
  examples: [
    ['$0 inspect scenarios/quickstart.yaml --agent 7', 'print what agent 7 would push now'],
    ['$0 inspect scenarios/quickstart.yaml --at 2026-01-31T12:00:00Z | jq .cpu', 'print the same bytes every time'],
    ["$0 inspect scenarios/quickstart.yaml --cohort 'role=database and not 0..9'", 'list the agents of a cohort'],
    ['$0 inspect scenarios/quickstart.yaml --diff 30s', 'show what changes within 30 seconds'],
  ],
});

export type InspectFlags = ValuesOf<typeof inspectCommand>;

export const recordCommand = command({
  usage: 'record [what] [folder]',
  describe: 'Record real hosts to simulate fleets of them',
  positionals: {
    what: {
      choices: ['inspect'] as const,
      describe: 'List the hosts of a recording, and what it contains beyond public words',
    },
    folder: { type: 'string', describe: 'Recording to inspect' },
  },
  flags: {
    out: textFlag('Folder of the recording; an existing recording is extended', { alias: 'o' }),
    import: listFlag('Files with push bodies or web server answers; * matches any name'),
    poll: textFlag('YAML file with agents to poll through their web servers, as for serve --pull'),
    listen: textFlag('Address and port for agents; pushes are forwarded to --forward', { alias: 'l' }),
    forward: textFlag('URL of the server that the agents push to'),
    tls: {
      choices: ['self-signed'] as const,
      describe: 'Serve HTTPS to agents with a certificate generated for this run',
    },
    'tls-cert': textFlag('Serve HTTPS to agents with the certificate in this PEM file'),
    'tls-key': textFlag('PEM file with the private key of --tls-cert'),
    ca: textFlag('PEM file with the CA of --forward; default: the CAs of this machine and of Node'),
    insecure: switchFlag('Do not verify the certificate of --forward'),
    'client-cert': textFlag("PEM file with the client certificate for agents' web servers, such as server_ca.pem"),
    'client-key': textFlag('PEM file with the private key of --client-cert'),
    every: textFlag('Keep at most one document per host in this time; pushes are counted', { default: '1m' }),
    anonymize: switchFlag('Also replace names, addresses and identities, and every word that is not public'),
    keep: listFlag('Keep this word wherever it occurs; repeatable'),
    drop: listFlag('Replace this word wherever it occurs; repeatable'),
    rules: textFlag('File with lines such as keep WORD, drop WORD, and option --NAME to keep its values'),
    json: switchFlag('With inspect: print JSON'),
    duration: textFlag('Stop after this time; default: when interrupted', { alias: 'd' }),
    allow: listFlag('Host beyond loopback that may be polled or forwarded to; repeatable'),
  },
  examples: [
    ["$0 record --import 'dumps/*.json' -o web-servers", 'import documents written by agents'],
    [
      '$0 record --listen 192.0.2.7:8080 --forward https://monitoring.example.com --allow monitoring.example.com -o site',
      'record traffic between agents and their server, without changing it',
    ],
    ['$0 record --poll agents.yaml -o site -d 15m', "poll the agents' web servers for 15 minutes"],
    ['$0 record --import site --anonymize -o site-for-others', 'make a copy without names'],
    ['$0 record inspect site', 'list what the recording reveals'],
  ],
  epilogue: `Use one of --import, --poll, or --listen with --forward. A recording is a folder that scenarios refer to:
  fleet.hosts: [{ count: 500, profile: "recording:./web-servers" }]
Values that could be secrets are replaced: see docs/how-to/record-hosts.md.`,
});

export type RecordFlags = ValuesOf<typeof recordCommand>;
