import { RECORD_FLAGS, type RecordFlags } from '../flags/record.ts';
import type { Command } from '../io.ts';

const EPILOGUE = `A recording is a folder, which a scenario names: fleet.hosts: [{ count: 500, profile: "recording:./web-servers" }].
Passwords, keys of interfaces and private keys are never kept. docs/recording.md has more.`;

export const recordCommand: Command<RecordFlags> = (io, end) => ({
  command: 'record',
  describe: 'Records real hosts, of which fleets can be raised',
  builder: (yargs) =>
    yargs
      .options(RECORD_FLAGS)
      .example("$0 record --import 'dumps/*.json' -o web-servers", 'documents that agents have written')
      .epilogue(EPILOGUE),
  handler: async (flags) => {
    const { recordHosts } = await import('../actions/record.ts');
    await recordHosts(flags, io, end);
  },
});
