import { RECORD_FLAGS, type RecordFlags } from '../flags/record.ts';
import type { Command } from '../io.ts';

const EPILOGUE = `One of --import, --poll, and --listen with --forward. A recording is a folder, which a scenario names:
  fleet.hosts: [{ count: 500, profile: "recording:./web-servers" }]
Passwords, keys of interfaces and private keys are never kept. docs/how-to/record-hosts.md has more.`;

export const recordCommand: Command<RecordFlags> = (io, end) => ({
  command: 'record [what] [folder]',
  describe: 'Records real hosts, of which fleets can be raised',
  builder: (yargs) =>
    yargs
      .positional('what', {
        choices: ['inspect'] as const,
        describe: 'Show what is in a recording, and what of it is personal',
      })
      .positional('folder', { type: 'string', describe: 'The recording to inspect' })
      .options(RECORD_FLAGS)
      .example("$0 record --import 'dumps/*.json' -o web-servers", 'documents that agents have written')
      .example(
        '$0 record --listen 192.0.2.7:8080 --forward https://monitoring.example.com --allow monitoring.example.com -o site',
        'between agents and their server, byte for byte',
      )
      .example('$0 record --poll agents.yaml -o site -d 15m', "agents' own web servers, for a quarter of an hour")
      .example('$0 record --import site --anonymize -o site-for-others', 'a recording without names')
      .example('$0 record inspect site', 'what of it is personal or internal')
      .epilogue(EPILOGUE),
  handler: async (flags) => {
    if (flags.what === 'inspect') {
      const { inspectRecording } = await import('../actions/inspect-recording.ts');
      return inspectRecording(flags.folder ?? flags.out ?? '.', flags.json, io);
    }
    const { recordHosts } = await import('../actions/record.ts');
    await recordHosts(flags, io, end);
  },
});
