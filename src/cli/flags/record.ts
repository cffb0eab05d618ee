import type { InferredOptionTypes, Options } from 'yargs';

const text = { type: 'string', requiresArg: true } as const;

export const RECORD_FLAGS = {
  out: { ...text, alias: 'o', describe: 'Folder of the recording; one that is there is added to' },
  import: { ...text, array: true, describe: 'Files with bodies of pushes or answers of web servers; * is any name' },
  poll: { ...text, describe: 'YAML file with agents to ask at their own web servers, as serve --pull takes it' },
  listen: { ...text, alias: 'l', describe: 'Address and port for agents, whose pushes go on to --forward' },
  forward: { ...text, describe: 'URL of the server that the agents report to' },
  tls: { choices: ['self-signed'] as const, describe: 'Speak HTTPS with agents, with a certificate made for this run' },
  'tls-cert': { ...text, describe: 'Speak HTTPS with agents, with the certificate in this PEM file' },
  'tls-key': { ...text, describe: 'PEM file with the private key of --tls-cert' },
  ca: { ...text, describe: 'PEM file with the authority of --forward; else those of this machine and of Node' },
  insecure: { type: 'boolean', default: false, describe: 'Do not verify the certificate of --forward' },
  'client-cert': { ...text, describe: "PEM file with the certificate for agents' web servers, such as server_ca.pem" },
  'client-key': { ...text, describe: 'PEM file with the private key of --client-cert' },
  every: { ...text, default: '1m', describe: 'Keep one document of a host in so long; all instants are kept' },
  anonymize: {
    type: 'boolean',
    default: false,
    describe: 'Keep no names, addresses, identities, paths and arguments of your own',
  },
  json: { type: 'boolean', default: false, describe: 'With inspect: print JSON' },
  duration: { ...text, alias: 'd', describe: 'Stop after so long; else when interrupted' },
  allow: { ...text, array: true, describe: 'A host beyond loopback that may be asked or forwarded to; repeatable' },
} as const satisfies Record<string, Options>;

export type RecordFlags = InferredOptionTypes<typeof RECORD_FLAGS> & {
  readonly what: 'inspect' | undefined;
  readonly folder: string | undefined;
};
