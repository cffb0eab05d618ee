import { SCENARIO_FLAGS, type ScenarioFlags } from '../flags/common.ts';
import type { ManifestFlags } from '../flags/manifest.ts';
import type { Command } from '../io.ts';

const text = { type: 'string', requiresArg: true } as const;

export const manifestCommand: Command<ScenarioFlags & ManifestFlags & { scenario: string }> = (io) => ({
  command: 'manifest <scenario>',
  describe: 'Write a Kubernetes manifest that runs a scenario on many machines',
  builder: (yargs) =>
    yargs
      .positional('scenario', { type: 'string', demandOption: true, describe: 'Scenario file, or - for stdin' })
      .option('machines', {
        ...text,
        demandOption: true,
        describe: 'Number of pods that share the fleet, from 1 to 1000',
      })
      .option('name', { ...text, describe: 'Name of all objects; default: the name of the scenario' })
      .option('namespace', {
        ...text,
        alias: 'n',
        describe: 'Namespace of the objects; default: that of kubectl apply',
      })
      .option('image', { ...text, describe: 'Image that contains muster; default: muster:VERSION' })
      .option('cpu', { ...text, describe: 'Whole cores per pod; default: what the plan needs' })
      .option('memory', { ...text, describe: 'Memory per pod, such as 2Gi; default: what the plan needs' })
      .option('storage-class', { ...text, describe: 'Storage class of the volumes; default: that of the cluster' })
      .option('nats', {
        ...text,
        describe: 'Existing NATS server with JetStream, such as tls://host:4222; default: the manifest starts one',
      })
      .option('nats-image', {
        ...text,
        describe: 'Image of the NATS server that the manifest starts; default: nats:2.11-alpine',
      })
      .options(SCENARIO_FLAGS)
      .example(
        '$0 manifest steady.yaml --machines 20 > steady-k8s.yaml',
        'write a manifest; its header explains how to use it',
      )
      .example('$0 manifest steady.yaml --machines 20 --image registry.example/muster:0.1.0 -n load', '')
      .example(
        '$0 manifest steady.yaml --machines 3 --cpu 4 --nats tls://nats.example:4222',
        'use an existing NATS server',
      )
      .epilogue('The manifest contains no keys: it refers to a Secret and explains how to create it.'),
  handler: async (flags) => {
    const { writeManifest } = await import('../actions/manifest.ts');
    await writeManifest(flags, io);
  },
});
