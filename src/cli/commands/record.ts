import { RECORD_FLAGS, type RecordFlags } from '../flags/record.ts';
import type { Command } from '../io.ts';

const EPILOGUE = `Use one of --import, --poll, or --listen with --forward. A recording is a folder that scenarios refer to:
  fleet.hosts: [{ count: 500, profile: "recording:./web-servers" }]
Values that could be secrets are replaced: see docs/how-to/record-hosts.md.`;

export const recordCommand: Command<RecordFlags> = (io, end) => ({
  command: 'record [what] [folder]',
  describe: 'Record real hosts to simulate fleets of them',
  builder: (yargs) =>
    yargs
      .positional('what', {
        choices: ['inspect'] as const,
        describe: 'List the hosts of a recording, and what it contains beyond public words',
      })
      .positional('folder', { type: 'string', describe: 'Recording to inspect' })
      .options(RECORD_FLAGS)
      .example("$0 record --import 'dumps/*.json' -o web-servers", 'import documents written by agents')
      .example(
        '$0 record --listen 192.0.2.7:8080 --forward https://monitoring.example.com --allow monitoring.example.com -o site',
        'record traffic between agents and their server, without changing it',
      )
      .example('$0 record --poll agents.yaml -o site -d 15m', "poll the agents' web servers for 15 minutes")
      .example('$0 record --import site --anonymize -o site-for-others', 'make a copy without names')
      .example('$0 record inspect site', 'list what the recording reveals')
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
