import type { InferredOptionTypes, Options } from 'yargs';
import { DIALECT_NAMES } from '../../ground/protocol/push.ts';
import { TEXT_FLAG } from './common.ts';
import { OTLP_FLAGS } from './figure-flags.ts';

export const SERVE_FLAGS = {
  listen: { ...TEXT_FLAG, alias: 'l', default: '127.0.0.1:8080', describe: 'Address and port to listen on' },
  'api-key': { ...TEXT_FLAG, describe: 'API key that agents must send; empty: none [MUSTER_API_KEY]' },
  tls: { choices: ['self-signed'] as const, describe: 'Serve HTTPS with a certificate generated for this run' },
  'tls-cert': { ...TEXT_FLAG, describe: 'Serve HTTPS with the certificate in this PEM file' },
  'tls-key': { ...TEXT_FLAG, describe: 'PEM file with the private key of --tls-cert' },
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
  assign: {
    ...TEXT_FLAG,
    default: 'automatic',
    describe: 'When agents become hosts: automatic, manual, or after a delay such as 30s',
  },
  data: { ...TEXT_FLAG, describe: 'File that keeps registrations across restarts' },
  verify: { type: 'boolean', default: false, describe: "Check every document against the agent's schema" },
  faults: { ...TEXT_FLAG, describe: 'YAML or JSON file with faults to inject' },
  pull: { ...TEXT_FLAG, describe: 'YAML file with agents to poll through their web servers' },
  allow: {
    ...TEXT_FLAG,
    array: true,
    describe: 'Host or IPv4 network beyond loopback that --pull may poll; repeatable',
  },
  seed: { ...TEXT_FLAG, default: '1', describe: 'Seed for random faults' },
  admin: { ...TEXT_FLAG, describe: 'Port of the admin endpoint on loopback' },
  'admin-token': { ...TEXT_FLAG, describe: 'Token that admin requests must carry [MUSTER_ADMIN_TOKEN]' },
  ...OTLP_FLAGS,
} as const satisfies Record<string, Options>;

export type ServeFlags = InferredOptionTypes<typeof SERVE_FLAGS>;
