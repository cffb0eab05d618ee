import type { InferredOptionTypes, Options } from 'yargs';
import { SCENARIO_FLAGS, TEXT_FLAG } from './common.ts';

/** Flags of `muster manifest`. */
export const MANIFEST_FLAGS = {
  machines: {
    ...TEXT_FLAG,
    demandOption: true,
    describe: 'Number of pods that share the fleet, from 1 to 1000',
  },
  fleet: {
    type: 'boolean',
    default: false,
    describe: 'Keep the fleet running, as muster fleet does; default: one run',
  },
  name: { ...TEXT_FLAG, describe: 'Name of all objects; default: the name of the scenario' },
  namespace: {
    ...TEXT_FLAG,
    alias: 'n',
    describe: 'Namespace of the objects; default: that of kubectl apply',
  },
  image: { ...TEXT_FLAG, describe: 'Image that contains muster; default: muster:VERSION' },
  cpu: { ...TEXT_FLAG, describe: 'Whole cores per pod; default: what the plan needs' },
  memory: { ...TEXT_FLAG, describe: 'Memory per pod, such as 2Gi; default: what the plan needs' },
  'storage-class': { ...TEXT_FLAG, describe: 'Storage class of the volumes; default: that of the cluster' },
  nats: {
    ...TEXT_FLAG,
    describe: 'Existing NATS server with JetStream, such as tls://nats.example:4222; default: the manifest starts one',
  },
  'nats-image': {
    ...TEXT_FLAG,
    describe: 'Image of the NATS server that the manifest starts; default: nats:2.11-alpine',
  },
  'nats-ca': { ...TEXT_FLAG, describe: 'With --nats: PEM file of its certificate authority' },
  'nats-login': {
    ...TEXT_FLAG,
    describe: 'With --nats: credentials in the Secret: user, creds, nkey; default: user',
  },
  'node-selector': {
    ...TEXT_FLAG,
    array: true,
    describe: 'Label of the nodes for the pods, such as pool=load; repeatable',
  },
  toleration: {
    ...TEXT_FLAG,
    array: true,
    describe: 'Taint of nodes that the pods tolerate, such as dedicated=load:NoSchedule; repeatable',
  },
  ...SCENARIO_FLAGS,
} as const satisfies Record<string, Options>;

export type ManifestFlags = InferredOptionTypes<typeof MANIFEST_FLAGS> & { readonly scenario: string };
