import type { Options } from 'yargs';

export const RECORD_FLAGS = {
  import: {
    type: 'array',
    string: true,
    describe: 'Files of documents: bodies of pushes, answers of web servers; * stands for any name',
  },
  out: {
    type: 'string',
    alias: 'o',
    demandOption: true,
    describe: 'The folder of the recording; one that is there is added to',
  },
} as const satisfies Record<string, Options>;

export type RecordFlags = {
  readonly import: string[] | undefined;
  readonly out: string;
};
