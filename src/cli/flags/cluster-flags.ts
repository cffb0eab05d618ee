import type { InferredOptionTypes, Options } from 'yargs';

const text = { type: 'string', requiresArg: true, group: 'Cluster:' } as const;

/** Flags of commands that have machines of a cluster at work. */
export const MACHINES_FLAGS = {
  cluster: {
    ...text,
    describe:
      'NATS server of a cluster, such as nats://127.0.0.1:4222, whose machines raise the fleet [MUSTER_CLUSTER]',
  },
  machines: { ...text, describe: 'How many machines raise the fleet, each a part of it [MUSTER_MACHINES]' },
  replace: {
    type: 'boolean',
    default: false,
    group: 'Cluster:',
    describe: 'Let a machine that waits take over the agents of one that is lost',
  },
  replicas: { ...text, default: '1', describe: 'Copies that NATS keeps of a run: 1, 3 or 5' },
  wait: { ...text, default: '60s', describe: 'How long to wait for machines to join' },
} as const satisfies Record<string, Options>;

/** The same for what has an end. */
export const CLUSTER_FLAGS = {
  ...MACHINES_FLAGS,
  resume: { ...text, describe: 'Take up a run whose coordinator was killed, by its name' },
} as const satisfies Record<string, Options>;

export type MachinesFlags = InferredOptionTypes<typeof MACHINES_FLAGS>;
export type ClusterFlags = InferredOptionTypes<typeof CLUSTER_FLAGS>;
