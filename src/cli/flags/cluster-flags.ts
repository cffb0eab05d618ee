import type { InferredOptionTypes, Options } from 'yargs';

const text = { type: 'string', requiresArg: true, group: 'Cluster:' } as const;

/** Flags of commands that run on a cluster. */
export const MACHINES_FLAGS = {
  cluster: {
    ...text,
    describe:
      'Run the fleet on the machines of a cluster; its NATS server, such as nats://127.0.0.1:4222 [MUSTER_CLUSTER]',
  },
  machines: { ...text, describe: 'Number of machines that share the fleet [MUSTER_MACHINES]' },
  replace: {
    type: 'boolean',
    default: false,
    group: 'Cluster:',
    describe: 'Let a waiting machine take over the agents of a lost one',
  },
  replicas: { ...text, default: '1', describe: 'Replicas that NATS keeps of a run: 1, 3 or 5' },
  wait: { ...text, default: '60s', describe: 'How long to wait for machines to join' },
} as const satisfies Record<string, Options>;

/** The same for `muster run`, which can be resumed. */
export const CLUSTER_FLAGS = {
  ...MACHINES_FLAGS,
  resume: {
    ...text,
    describe:
      'Resume the run with this name after its coordinator was killed; with a scenario, start it if there is none',
  },
} as const satisfies Record<string, Options>;

export type MachinesFlags = InferredOptionTypes<typeof MACHINES_FLAGS>;
