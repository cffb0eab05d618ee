import { zstdDecompressSync } from 'node:zlib';
import type { OperatingSystem } from '../host/profile.ts';

/** The hosts of a recording as part of a scenario: plain data that crosses threads and names no file. */
export type RecordedHosts = {
  /** SHA-256 over the names of the hosts and the checksums of their documents, in hexadecimal digits: identifies the recording. */
  readonly hash: string;
  readonly hosts: readonly RecordedHost[];
};

export type Recordings = Readonly<Record<string, RecordedHosts>>;

export type RecordedHost = {
  readonly name: string;
  readonly system: OperatingSystem;
  /** Check data at different times. Each is a build of its own. */
  readonly checkdata: readonly RecordedBuild[];
  readonly packages: RecordedBuild | undefined;
  readonly levels: Levels;
};

export type DocumentPart = readonly (string | number)[];

export type RecordedBuild = {
  /** The text as UTF-8, compressed with Zstandard, in memory that threads share. */
  readonly compressed: Uint8Array;
  readonly sizeBytes: number;
  /** Parts that are replayed as recorded, because the host model cannot compute with their figures; in the order of the document. */
  readonly verbatimParts: readonly DocumentPart[];
};

export function recordedText({ compressed, sizeBytes }: RecordedBuild): string {
  // Node would allocate 128 KB otherwise.
  return zstdDecompressSync(compressed, { chunkSize: sizeBytes + 64 }).toString();
}

/** Figures of a host during its recording. Shares are from 0 to 1. */
export type Levels = {
  readonly busy: Level;
  /** Tasks that run or wait per busy core. */
  readonly tasksPerCore: number;
  readonly memory: Level;
  /** Free share of the available memory, and inactive share of all memory. */
  readonly free: Level;
  readonly inactive: Level;
  readonly swap: Level;
  /** Used share of the space for files, by mount point. */
  readonly disks: Readonly<Record<string, Level>>;
  /** Requests and packets per second between documents, by check, device and member, such as `net_io eth0 packets_sent`. */
  readonly rates: Readonly<Record<string, number>>;
  /** Activity in each hour of a week that starts on Monday, UTC, relative to the other hours; `undefined` if unknown. */
  readonly week: Readonly<Record<'cpu' | 'disk' | 'network', readonly number[]>> | undefined;
};

/** Mean and standard deviation. */
export type Level = { readonly mean: number; readonly spread: number };
