import { createHash } from 'node:crypto';
import type { RecordingWriter } from '../recording/folder.ts';
import { createIntake, type Intake } from '../recording/intake.ts';
import { openRecording } from '../storage/recording-folder.ts';
import type { RecordingSummary } from './messages.ts';

export type OpenFolder = Pick<RecordingWriter, 'save' | 'close' | 'tornBytes'> & {
  readonly intake: Intake;
  readonly summary: () => RecordingSummary;
};

type Settings = { readonly everyMs: number; readonly anonymizeKey: string | undefined };

/** Opens a recording for what is to be taken into it. @throws UserError as `openRecording` does. */
export function openFolder(folder: string, { everyMs }: Settings): OpenFolder {
  const writer = openRecording(folder, false);
  return {
    ...{ save: writer.save, close: writer.close, tornBytes: writer.tornBytes },
    intake: createIntake({ writer, digest, everyMs, rewritten: (text) => text }),
    summary: () => summaryOf(writer),
  };
}

/** Tells identities apart without saying which they are. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function summaryOf({ index }: RecordingWriter): RecordingSummary {
  const { hosts } = index();
  const documents = hosts.flatMap((host) => host.documents);
  const checkdata = documents.filter(({ document }) => document === 'checkdata').length;
  return { hosts: hosts.length, checkdata, packages: documents.length - checkdata };
}
