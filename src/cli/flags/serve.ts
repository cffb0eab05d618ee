import type { InferredOptionTypes, Options } from 'yargs';
import { DIALECT_NAMES } from '../../protocol/push.ts';

const text = { type: 'string', requiresArg: true } as const;

export const SERVE_FLAGS = {
  listen: { ...text, alias: 'l', default: '127.0.0.1:8080', describe: 'Address and port' },
  'api-key': { ...text, describe: 'Key to demand; empty: none [MUSTER_API_KEY]' },
  tls: { choices: ['self-signed'] as const, describe: 'Speak HTTPS with a certificate made for this run' },
  'tls-cert': { ...text, describe: 'Speak HTTPS with the certificate in this PEM file' },
  'tls-key': { ...text, describe: 'PEM file with the private key of --tls-cert' },
  dialect: {
    choices: DIALECT_NAMES,
    default: 'documented' as const,
    describe: 'As the written API says, or as the released server behaves',
  },
  release: {
    choices: ['5.3', '5.5'] as const,
    default: '5.5' as const,
    describe: 'Release of the shipped dialect; 5.3 has no package endpoint',
  },
  assign: { ...text, default: 'automatic', describe: 'When agents become hosts: automatic, manual or a delay: 30s' },
  data: { ...text, describe: 'File that keeps registrations beyond a restart' },
  verify: { type: 'boolean', default: false, describe: "Hold every document against the agent's shapes" },
  faults: { ...text, describe: 'YAML or JSON file with what to do wrong on purpose' },
  pull: { ...text, describe: 'YAML file with agents to poll at their own web servers' },
  allow: {
    ...text,
    array: true,
    describe: 'A host beyond loopback whose agents --pull may ask, or an IPv4 network; repeatable',
  },
  seed: { ...text, default: '1', describe: 'Seed of the faults' },
  admin: { ...text, describe: 'Port of the admin endpoint, on loopback' },
  'admin-token': { ...text, describe: 'Token that the admin endpoint demands [MUSTER_ADMIN_TOKEN]' },
} as const satisfies Record<string, Options>;

export type ServeFlags = InferredOptionTypes<typeof SERVE_FLAGS>;
