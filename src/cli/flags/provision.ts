import type { InferredOptionTypes, Options } from 'yargs';
import { SCENARIO_FLAGS, TEXT_FLAG } from './common.ts';

const SHARED = {
  rate: { ...TEXT_FLAG, default: '20', describe: 'Maximum number of requests per second' },
  ledger: {
    ...TEXT_FLAG,
    describe: 'File that remembers what was created; default: fleets/NAME/provisioned.db',
  },
  'dry-run': { type: 'boolean', default: false, describe: 'Print the requests that would change the server' },
} as const satisfies Record<string, Options>;

const list = { ...TEXT_FLAG, array: true } as const;

export const PROVISION_FLAGS = {
  container: { ...TEXT_FLAG, describe: 'ID of the container for the hosts; default: from the scenario, or 1' },
  'host-template': { ...TEXT_FLAG, describe: 'ID of the host template; default: from the scenario, or 1' },
  'host-group': { ...list, describe: 'ID of a host group for the hosts; repeatable' },
  tag: { ...list, describe: 'Tag of the hosts, in addition to muster; repeatable' },
  satellite: {
    ...TEXT_FLAG,
    describe: 'ID of the satellite that monitors the hosts; 0: the master; default: from the scenario, or 0',
  },
  services: { type: 'boolean', describe: 'Also create all services that the server offers' },
  all: { type: 'boolean', default: false, describe: 'Also add hosts for agents that have not registered yet' },
  ...SHARED,
  ...SCENARIO_FLAGS,
} as const satisfies Record<string, Options>;

export const CLEANUP_FLAGS = {
  yes: { type: 'boolean', default: false, describe: 'Do not ask' },
  ...SHARED,
  ...SCENARIO_FLAGS,
} as const satisfies Record<string, Options>;

export type ProvisionFlags = InferredOptionTypes<typeof PROVISION_FLAGS> & { readonly scenario: string };
export type CleanupFlags = InferredOptionTypes<typeof CLEANUP_FLAGS> & { readonly scenario: string };
