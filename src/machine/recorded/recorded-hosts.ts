import type { OperatingSystem } from '../host/profile.ts';

/** Hosts of a recording as a scenario carries them: plain data that crosses threads and names no file. */
export type RecordedHosts = {
  /** SHA-256 of all that follows, in hexadecimal digits: which recording it was. */
  readonly hash: string;
  readonly hosts: readonly RecordedHost[];
};

/** Recordings by the name of the profile that has their hosts. */
export type Recordings = Readonly<Record<string, RecordedHosts>>;

export type RecordedHost = {
  readonly name: string;
  readonly system: OperatingSystem;
  /** Texts of its check data at different times; each is a build of its own. */
  readonly checkdata: readonly string[];
  /** Text of its last package document, if there is one. */
  readonly packages: string | undefined;
  readonly levels: Levels;
};

/** What figures of a host were while it was recorded; shares are from 0 to 1. */
export type Levels = {
  /** Share of all cores that was busy. */
  readonly busy: Level;
  /** Tasks that run or wait for each core that is busy. */
  readonly tasksPerCore: number;
  /** Share of all memory that is used. */
  readonly memory: Level;
  /** Share of what is available that is free, and of all that is inactive. */
  readonly free: Level;
  readonly inactive: Level;
  readonly swap: Level;
  /** By mount point: share of what files may have that they have. */
  readonly disks: Readonly<Record<string, Level>>;
  /** What was done in each hour of a week that begins on Monday, UTC, relative to the others; undefined where nobody knows. */
  readonly week: Readonly<Record<'cpu' | 'disk' | 'network', readonly number[]>> | undefined;
};

/** Mean and standard deviation. */
export type Level = { readonly mean: number; readonly spread: number };
