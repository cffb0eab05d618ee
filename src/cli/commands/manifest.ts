import { SCENARIO_FILE } from '../flags/common.ts';
import { MANIFEST_FLAGS, type ManifestFlags } from '../flags/manifest-flags.ts';
import type { Command } from '../io.ts';

export const manifestCommand: Command<ManifestFlags> = (io) => ({
  command: 'manifest <scenario>',
  describe: 'Write a Kubernetes manifest that runs a scenario, or keeps a fleet running, on many machines',
  builder: (yargs) =>
    yargs
      .positional('scenario', SCENARIO_FILE)
      .options(MANIFEST_FLAGS)
      .example(
        '$0 manifest steady.yaml --machines 20 > steady-k8s.yaml',
        'write a manifest; its header explains how to use it',
      )
      .example('$0 manifest steady.yaml --machines 20 --image registry.example/muster:0.1.0 -n load', '')
      .example('$0 manifest staging.yaml --machines 3 --fleet', 'keep a fleet running')
      .example(
        '$0 manifest steady.yaml --machines 3 --cpu 4 --nats tls://nats.example:4222',
        'use an existing NATS server',
      )
      .epilogue(
        'The manifest contains no keys: it refers to a Secret and explains how to create it. For other fields, pipe it through kustomize.',
      ),
  handler: async (flags) => {
    const { writeManifest } = await import('../actions/manifest.ts');
    await writeManifest(flags, io);
  },
});
