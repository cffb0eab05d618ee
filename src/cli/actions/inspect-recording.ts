import { resolve } from 'node:path';
import { printable } from '../../base/kernel/printable.ts';
import { counted, formatDuration } from '../../base/kernel/units.ts';
import { readHostData } from '../../base/storage/host-data.ts';
import { findingsIn, type SharedText } from '../../recordings/findings.ts';
import { faultText, readDocument } from '../../recordings/reading.ts';
import { readHostRecording } from '../../recordings/recorder/recording-folder.ts';
import { type RecordingIndex, rhythmOf } from '../../recordings/recorder/recording-log.ts';
import type { KeptDocument } from '../../recordings/simulated-hosts.ts';
import { vocabularyOf } from '../../recordings/vocabulary.ts';
import type { Io } from '../io.ts';
import { tableLines } from '../output/table.ts';

const KINDS: Readonly<Record<SharedText['kind'], string>> = {
  name: 'a user, a machine, a container or a check',
  address: 'an address',
  identity: 'a UUID or serial number',
  number: 'a long number',
  word: 'a word that is not public',
  value: 'the value of an option',
};
/** Limit per kind for text; JSON contains all findings. */
const MAX_SHOWN = 20;

/** Prints the hosts of a recording with their push intervals, and what it contains beyond public words. */
export function inspectRecording(folder: string, json: boolean, io: Io): void {
  const { index, documents, hash, tornBytes } = readHostRecording(resolve(io.cwd, folder));
  const warn = (line: string) => io.stderr.write(`${folder}: ${line}\n`);
  const vocabulary = vocabularyOf(readHostData().tables);
  const findings = findingsIn(textsIn(documents, warn), { vocabulary, anonymous: index.anonymized });
  const hosts = index.hosts.map(({ name, documents: kept, pushes, rhythm }) => {
    return { name, documents: kept.length, pushes: pushes.checkdata, rhythm: rhythmOf(rhythm.checkdata) };
  });
  if (tornBytes > 0) io.stderr.write(`${folder}: skipped an incomplete end of ${counted(tornBytes, 'byte')}\n`);
  if (json) {
    io.stdout.write(`${JSON.stringify({ sha256: hash, anonymized: index.anonymized, hosts, findings })}\n`);
    return;
  }
  const rows = hosts.map(({ name, documents: kept, pushes, rhythm }) => {
    const every =
      rhythm === undefined ? '-' : `${rhythm.everySeconds.toFixed(1)}s ± ${rhythm.jitterSeconds.toFixed(2)}s`;
    return [printable(name), String(kept), String(pushes), every];
  });
  const lines = [
    `sha256 ${hash}`,
    '',
    ...tableLines([['host', 'documents', 'pushes', 'every'], ...rows]),
    '',
    ...loadLines(index),
    ...findingLines(findings, io.stdout.columns),
  ];
  io.stdout.write(`${lines.join('\n')}\n`);
}

/** The median load of these agents in the notation of a scenario's phase. */
function loadLines({ hosts }: RecordingIndex): readonly string[] {
  const loads = (['checkdata', 'packages'] as const).flatMap((kind) => {
    const gaps = hosts.flatMap(({ rhythm }) => rhythmOf(rhythm[kind])?.everySeconds ?? []).sort((a, b) => a - b);
    const usual = gaps[gaps.length >> 1];
    return usual === undefined ? [] : [`${kind}: { every: ${formatDuration(1000 * Math.max(1, Math.round(usual)))} }`];
  });
  return loads.length === 0 ? [] : [`load for a phase  ${loads.join(', ')}`, ''];
}

/** Yields one document after another, because they may not fit in memory together. Reports and skips unreadable ones. */
function* textsIn(documents: readonly KeptDocument[], warn: (line: string) => void): Generator<string> {
  for (const document of documents) {
    const { text, host } = document;
    const read = readDocument(text);
    if (read.kind === 'document') yield text;
    else warn(`${printable(host)}: ${faultText(read.fault)}; skipped`);
  }
}

function findingLines(findings: readonly SharedText[], columns?: number): readonly string[] {
  if (findings.length === 0) return ['nothing found beyond public words'];
  const shown = [...Map.groupBy(findings, ({ kind }) => kind).values()].flatMap((some) => some.slice(0, MAX_SHOWN));
  const rows = shown.map(({ kind, text, documents }) => [KINDS[kind], String(documents), printable(text)]);
  const more = findings.length - shown.length;
  return [
    ...tableLines([['what others may not know', 'documents', 'text'], ...rows], columns),
    ...(more > 0 ? ['', `${more} more; list all with --json`] : []),
  ];
}
