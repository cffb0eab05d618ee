import { createHash, createHmac } from 'node:crypto';
import { UserError } from '../kernel/errors.ts';
import { type Anonymizer, createAnonymizer } from '../recording/anonymize.ts';
import type { RecordingWriter } from '../recording/folder.ts';
import { createIntake, type Intake } from '../recording/intake.ts';
import { publicWords } from '../recording/personal-data.ts';
import { readHostData } from '../storage/host-data.ts';
import { openRecording } from '../storage/recording-folder.ts';
import type { RecordingSummary } from './messages.ts';

export type OpenFolder = Pick<RecordingWriter, 'save' | 'close' | 'tornBytes' | 'hosts'> & {
  readonly intake: Intake;
  /** Whom a document names, the documents after it know. */
  readonly learn: (text: string) => void;
  readonly summary: () => RecordingSummary;
};

type Settings = {
  /** Of what a host pushes, one document of a kind is kept in so long. */
  readonly everyMs: number;
  /** The key that names are replaced with; undefined: they stay. */
  readonly anonymizeKey: string | undefined;
};

/**
 * Opens a recording for what is to be taken into it. With a key everything that is taken is made anonymous, so what is there must have
 * been made so with the same one.
 * @throws UserError as `openRecording` does, or where some hosts would have names and others not.
 */
export function openFolder(folder: string, { everyMs, anonymizeKey }: Settings): OpenFolder {
  const isAnonymous = anonymizeKey !== undefined;
  const writer = openRecording(folder, isAnonymous);
  if (writer.anonymized !== isAnonymous) {
    writer.close();
    const [there, here] = isAnonymous ? ['original names', '--anonymize'] : ['no names', 'original names'];
    throw new UserError(`The recording ${folder} has ${there}: expected another folder for ${here}.`);
  }
  const anonymizer = anonymizeKey === undefined ? undefined : anonymizerWith(anonymizeKey);
  return {
    ...{ save: writer.save, close: writer.close, tornBytes: writer.tornBytes, hosts: writer.hosts },
    intake: createIntake({
      ...{ writer, everyMs, digest: digestWith(anonymizeKey) },
      rewritten: anonymizer?.rewritten ?? ((text) => text),
    }),
    learn: (text) => anonymizer?.learn(text),
    summary: () => summaryOf(writer),
  };
}

/** Tells identities apart without saying which they are. */
function digestWith(key = ''): (text: string) => string {
  return (text) => createHash('sha256').update(`${key}${text}`).digest('hex').slice(0, 16);
}

function anonymizerWith(key: string): Anonymizer {
  const words = publicWords(readHostData().tables);
  return createAnonymizer(words, (text) => createHmac('sha256', key).update(text).digest('hex'));
}

function summaryOf({ index }: RecordingWriter): RecordingSummary {
  const { hosts } = index();
  const documents = hosts.flatMap((host) => host.documents);
  const checkdata = documents.filter(({ document }) => document === 'checkdata').length;
  return { hosts: hosts.length, checkdata, packages: documents.length - checkdata };
}
