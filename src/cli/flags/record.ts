import type { InferredOptionTypes, Options } from 'yargs';
import { TEXT_FLAG } from './common.ts';

export const RECORD_FLAGS = {
  out: { ...TEXT_FLAG, alias: 'o', describe: 'Folder of the recording; an existing recording is extended' },
  import: { ...TEXT_FLAG, array: true, describe: 'Files with push bodies or web server answers; * matches any name' },
  poll: { ...TEXT_FLAG, describe: 'YAML file with agents to poll through their web servers, as for serve --pull' },
  listen: { ...TEXT_FLAG, alias: 'l', describe: 'Address and port for agents; pushes are forwarded to --forward' },
  forward: { ...TEXT_FLAG, describe: 'URL of the server that the agents push to' },
  tls: {
    choices: ['self-signed'] as const,
    describe: 'Serve HTTPS to agents with a certificate generated for this run',
  },
  'tls-cert': { ...TEXT_FLAG, describe: 'Serve HTTPS to agents with the certificate in this PEM file' },
  'tls-key': { ...TEXT_FLAG, describe: 'PEM file with the private key of --tls-cert' },
  ca: { ...TEXT_FLAG, describe: 'PEM file with the CA of --forward; default: the CAs of this machine and of Node' },
  insecure: { type: 'boolean', default: false, describe: 'Do not verify the certificate of --forward' },
  'client-cert': {
    ...TEXT_FLAG,
    describe: "PEM file with the client certificate for agents' web servers, such as server_ca.pem",
  },
  'client-key': { ...TEXT_FLAG, describe: 'PEM file with the private key of --client-cert' },
  every: {
    ...TEXT_FLAG,
    default: '1m',
    describe: 'Keep at most one document per host in this time; pushes are counted',
  },
  anonymize: {
    type: 'boolean',
    default: false,
    describe: 'Also replace names, addresses and identities, and every word that is not public',
  },
  keep: { ...TEXT_FLAG, array: true, describe: 'Keep this word wherever it occurs; repeatable' },
  drop: { ...TEXT_FLAG, array: true, describe: 'Replace this word wherever it occurs; repeatable' },
  rules: {
    ...TEXT_FLAG,
    describe: 'File with lines such as keep WORD, drop WORD, and option --NAME to keep its values',
  },
  json: { type: 'boolean', default: false, describe: 'With inspect: print JSON' },
  duration: { ...TEXT_FLAG, alias: 'd', describe: 'Stop after this time; default: when interrupted' },
  allow: { ...TEXT_FLAG, array: true, describe: 'Host beyond loopback that may be polled or forwarded to; repeatable' },
} as const satisfies Record<string, Options>;

export type RecordFlags = InferredOptionTypes<typeof RECORD_FLAGS> & {
  readonly what: 'inspect' | undefined;
  readonly folder: string | undefined;
};
