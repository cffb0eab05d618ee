import { command, type ValuesOf } from '../command.ts';
import {
  argument,
  listFlag,
  OUT_FLAG,
  REPORT_FLAGS,
  SCENARIO_FILE,
  SCENARIO_FLAGS,
  SUMMARY_FLAG,
  switchFlag,
  textFlag,
  WORKERS_FLAG,
} from '../flags/common.ts';

export const joinCommand = command({
  usage: 'join <cluster>',
  describe: 'Join a cluster: this machine runs part of each fleet that muster run --cluster starts',
  positionals: {
    cluster: argument('NATS server with JetStream, such as nats://127.0.0.1:4222; a remote server needs tls://'),
  },
  flags: {
    name: textFlag('Name of this machine; default: its host name'),
    ...WORKERS_FLAG,
    once: switchFlag('Leave after one run'),
  },
  examples: [
    ['$0 join nats://127.0.0.1:4222', 'wait for work until interrupted'],
    ['$0 join tls://nats.example:4222 --once', 'leave after one run'],
  ],
  epilogue:
    'Credentials and keys come from the environment: MUSTER_NATS_CREDS, MUSTER_NATS_NKEY or MUSTER_NATS_USER and\n' +
    'MUSTER_NATS_PASSWORD; MUSTER_NATS_CA; MUSTER_CLUSTER_KEY or MUSTER_CLUSTER_KEY_FILE. MUSTER_NATS_WAIT=10m waits up to ten minutes for the server.',
});

export type JoinFlags = ValuesOf<typeof joinCommand>;

export const mergeCommand = command({
  usage: 'merge <result...>',
  describe: 'Merge the results of several shards (run --shard) into one',
  positionals: {
    result: { ...argument('Result folders, one per shard'), array: true },
  },
  flags: { ...OUT_FLAG, ...REPORT_FLAGS, ...SUMMARY_FLAG },
  examples: [['$0 merge results/steady/*-shard?of3', 'merge the results of three machines']],
  epilogue: 'Thresholds apply to all shards together. The exit code is the verdict; 113 if a shard was killed.',
});

export type MergeFlags = ValuesOf<typeof mergeCommand>;

export const manifestCommand = command({
  usage: 'manifest <scenario>',
  describe: 'Write a Kubernetes manifest that runs a scenario, or keeps a fleet running, on many machines',
  positionals: { scenario: SCENARIO_FILE },
  flags: {
    machines: textFlag('Number of pods that share the fleet, from 1 to 1000', { demandOption: true }),
    fleet: switchFlag('Keep the fleet running, as muster fleet does; default: one run'),
    name: textFlag('Name of all objects; default: the name of the scenario'),
    namespace: textFlag('Namespace of the objects; default: that of kubectl apply', { alias: 'n' }),
    image: textFlag('Image that contains muster; default: muster:VERSION'),
    cpu: textFlag('Whole cores per pod; default: what the plan needs'),
    memory: textFlag('Memory per pod, such as 2Gi; default: what the plan needs'),
    'storage-class': textFlag('Storage class of the volumes; default: that of the cluster'),
    nats: textFlag(
      'Existing NATS server with JetStream, such as tls://nats.example:4222; default: the manifest starts one',
    ),
    'nats-image': textFlag('Image of the NATS server to start; default: nats:2.11-alpine', { conflicts: 'nats' }),
    'nats-ca': textFlag('With --nats: PEM file of its certificate authority'),
    'nats-login': textFlag('With --nats: credentials in the Secret: user, creds, nkey; default: user'),
    'node-selector': listFlag('Label of the nodes for the pods, such as pool=load; repeatable'),
    toleration: listFlag('Taint of nodes that the pods tolerate, such as dedicated=load:NoSchedule; repeatable'),
    ...SCENARIO_FLAGS,
  },
  examples: [
    ['$0 manifest steady.yaml --machines 20 > steady-k8s.yaml', 'write a manifest; its header explains how to use it'],
    ['$0 manifest steady.yaml --machines 20 --image registry.example/muster:0.1.0 -n load', ''],
    ['$0 manifest staging.yaml --machines 3 --fleet', 'keep a fleet running'],
    ['$0 manifest steady.yaml --machines 3 --cpu 4 --nats tls://nats.example:4222', 'use an existing NATS server'],
  ],
  epilogue:
    'The manifest contains no keys: it refers to a Secret and explains how to create it. For other fields, pipe it through kustomize.',
});

export type ManifestFlags = ValuesOf<typeof manifestCommand>;
