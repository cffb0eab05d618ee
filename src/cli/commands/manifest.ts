import { SCENARIO_FLAGS, type ScenarioFlags } from '../flags/common.ts';
import type { ManifestFlags } from '../flags/manifest.ts';
import type { Command } from '../io.ts';

const text = { type: 'string', requiresArg: true } as const;

export const manifestCommand: Command<ScenarioFlags & ManifestFlags & { scenario: string }> = (io) => ({
  command: 'manifest <scenario>',
  describe: 'Writes what raises a scenario on many machines in Kubernetes, for kubectl apply',
  builder: (yargs) =>
    yargs
      .positional('scenario', { type: 'string', demandOption: true, describe: 'Scenario file, or - for stdin' })
      .option('machines', { ...text, demandOption: true, describe: 'Pods that share the fleet, from 1 to 1000' })
      .option('name', { ...text, describe: 'What all objects are called; default: as the scenario' })
      .option('namespace', { ...text, alias: 'n', describe: 'Where they are; default: where they are applied' })
      .option('image', { ...text, describe: 'Image with the command muster; default: muster:VERSION' })
      .option('cpu', { ...text, describe: 'Whole cores of each machine; default: as the plan needs' })
      .option('memory', { ...text, describe: 'Memory of each machine, such as 2Gi; default: as the plan needs' })
      .option('storage-class', { ...text, describe: "Class of the volumes; default: the cluster's own" })
      .option('nats', {
        ...text,
        describe: 'A NATS with JetStream that exists, as tls://host:4222; default: one of its own',
      })
      .option('nats-image', { ...text, describe: 'Image of a NATS of its own; default: nats:2.11-alpine' })
      .options(SCENARIO_FLAGS)
      .example('$0 manifest steady.yaml --machines 20 > steady-k8s.yaml', 'what to do with it stands at its head')
      .example('$0 manifest steady.yaml --machines 20 --image registry.example/muster:0.1.0 -n load', '')
      .example('$0 manifest steady.yaml --machines 3 --cpu 4 --nats tls://nats.example:4222', 'with a NATS that exists')
      .epilogue('Keys do not stand in it: it refers to a Secret, and says how to make it.'),
  handler: async (flags) => {
    const { writeManifest } = await import('../actions/manifest.ts');
    await writeManifest(flags, io);
  },
});
