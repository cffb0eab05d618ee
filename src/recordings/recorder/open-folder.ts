import { createHash, createHmac } from 'node:crypto';
import { UserError } from '../../ground/kernel/errors.ts';
import { readHostData } from '../../ground/storage/host-data.ts';
import { type Anonymizer, createAnonymizer } from '../anonymize.ts';
import type { RecordingWriter } from '../folder.ts';
import { createIntake, type Intake } from '../intake.ts';
import { publicWords } from '../personal-data.ts';
import type { RecordingSummary } from './messages.ts';
import { openRecording } from './recording-folder.ts';

export type OpenFolder = Pick<RecordingWriter, 'save' | 'close' | 'tornBytes' | 'hosts'> & {
  readonly intake: Intake;
  /** Collects the names in a document, to replace them in later ones. */
  readonly learn: (text: string) => void;
  readonly summary: () => RecordingSummary;
};

type Settings = {
  /** The recorder keeps at most one document per host and kind in this interval. */
  readonly everyMs: number;
  /** Key for the replacement of names; `undefined` keeps the names. */
  readonly anonymizeKey: string | undefined;
};

/**
 * Opens a recording to add documents. With a key, they are anonymized, so the recording must be new: the key of an earlier one is not kept.
 * @throws UserError as `openRecording` does, or if replacements would be next to original names or to other replacements
 */
export function openFolder(folder: string, { everyMs, anonymizeKey }: Settings): OpenFolder {
  const isAnonymous = anonymizeKey !== undefined;
  const writer = openRecording(folder, isAnonymous);
  if (writer.anonymized || isAnonymous) {
    const there = writer.anonymized ? 'is anonymized' : 'contains original names';
    if (writer.anonymized !== isAnonymous || writer.hosts.size > 0) {
      writer.close();
      const expected = isAnonymous ? 'a new folder' : 'one with original names';
      throw new UserError(`The recording ${folder} ${there}: expected ${expected}; choose another with -o.`);
    }
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

/** Distinguishes identities without revealing them. */
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
