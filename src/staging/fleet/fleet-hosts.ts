import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { explained, UserError, writeFailure } from '../../base/kernel/errors.ts';
import { HOSTS_FORMAT, hostsVersion, readHostData, tablesHash } from '../../base/storage/host-data.ts';
import { assertOwn } from '../../base/storage/ownership.ts';
import { writeWhole } from '../../base/storage/whole-files.ts';
import { EVERYONE } from '../../load/cohorts/cohort.ts';
import type { RunOrder } from '../../run/run.ts';
import { entryLine } from '../../scenario/event-entries.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { type EventLog, hostsLine, withAuthor } from './event-log.ts';

/** What describes the hosts of a fleet. */
export type KeptHosts = {
  /** Such as `0.1.0+1a2b3c4d`. */
  readonly version: string;
  /** When the hosts last changed to another version; `undefined`: never. */
  readonly since: Date | undefined;
  /** `undefined`: those of this Muster. */
  readonly tables: RunOrder['hostTables'];
};

type Start = {
  /** The file with the copy. A cluster keeps none, because each of its machines uses the data of its own build. */
  readonly path: string | undefined;
  /** The user wants the hosts of this version of Muster. */
  readonly upgrades: boolean;
  readonly phases: Scenario['phases'];
  /** `undefined` at the first start. */
  readonly again: { readonly startAt: Date; readonly elapsedMs: number } | undefined;
};

/**
 * Decides which version describes the hosts. A fleet keeps a copy of the data that it was first started with, so that its hosts remain the
 * same under another version of Muster. If they change to the hosts of this version, they restarted while the fleet was stopped: nothing
 * changes on a running host that takes a restart, such as its kernel.
 * @throws UserError if the copy cannot be read or written.
 */
export function openHosts(log: EventLog, start: Start, note: (text: string) => void): KeptHosts {
  const { path, again } = start;
  const own = { version: hostsVersion(), tables: undefined };
  const { hosts } = log;
  const since = hosts === undefined || hosts.changes === 0 ? undefined : new Date(hosts.since);
  const copy = again && path !== undefined ? readCopy(path) : undefined;
  if (again !== undefined && hosts !== undefined && hosts.version !== own.version) {
    const why = upgradeReason(hosts.version, copy, start);
    if (why === undefined) {
      note(
        `hosts remain those of Muster ${hosts.version}; --upgrade-hosts changes them to those of ${own.version}, with a reboot`,
      );
      return { version: hosts.version, since, tables: copy?.tables };
    }
    if (path !== undefined) writeCopy(path);
    const name = upgrade(log, hosts.changes + 1, { ...again, phases: start.phases });
    note(
      `hosts are now those of Muster ${own.version}, before ${hosts.version}${why}: all of them rebooted before this start (event ${name})`,
    );
    return { ...own, since: again.startAt };
  }
  if (path !== undefined && copy?.version !== own.version) writeCopy(path);
  if (again !== undefined && hosts === undefined)
    log.append(hostsLine({ version: own.version, since: again.startAt.toISOString() }));
  return { ...own, since };
}

/** Why hosts of another version change to those of this one; `undefined`: they do not. Empty if the user asked for it. */
function upgradeReason(version: string, copy: Copy | undefined, { path, upgrades }: Start): string | undefined {
  if (upgrades) return '';
  if (path === undefined) return ', as each machine of a cluster uses the data of its own build';
  if (copy?.version !== version) return ', of whose data the fleet has no copy';
  if (copy.format === HOSTS_FORMAT) return undefined;
  return `, whose data have format ${copy.format}, and this Muster reads format ${HOSTS_FORMAT}`;
}

/** Hosts that another version describes restarted one after another in this time before the fleet did. */
const RESTARTS_MS = 300_000;
const RESTART_MS = 60_000;

/** Logs the version and the reboots. Returns the name of their event. */
function upgrade(
  log: EventLog,
  number: number,
  { startAt, elapsedMs, phases }: Required<NonNullable<Start['again']>> & Pick<Start, 'phases'>,
): string {
  log.append(hostsLine({ version: hostsVersion(), since: startAt.toISOString() }));
  const fromMs = Math.max(0, elapsedMs - RESTARTS_MS - RESTART_MS);
  const overMs = Math.max(0, elapsedMs - RESTART_MS - fromMs);
  const name = `upgrade-of-muster-${number}`;
  const span = { fromMs, toMs: fromMs + RESTART_MS, overMs };
  log.append(withAuthor(entryLine({ name, cohort: EVERYONE, ...span, action: { kind: 'reboot' } }, phases), 'muster'));
  return name;
}

type Copy = {
  readonly format: number;
  readonly version: string;
  readonly tables: NonNullable<RunOrder['hostTables']>;
};

/** @throws UserError if the file is damaged. */
function readCopy(path: string): Copy | undefined {
  assertOwn(path, 'choose another folder with --data');
  if (!existsSync(path)) return undefined;
  const unreadable = (reason: string) =>
    `The copy of the data of the hosts, ${path}, cannot be read: ${reason}; restore it, or remove it to change to the hosts of this Muster.`;
  return explained(unreadable, () => {
    const copy = JSON.parse(gunzipSync(readFileSync(path)).toString()) as Copy;
    if (!copy.version.endsWith(`+${tablesHash(copy.tables)}`)) throw new Error('its content does not match its hash');
    return copy;
  });
}

function writeCopy(path: string): void {
  const copy: Copy = { format: HOSTS_FORMAT, version: hostsVersion(), tables: readHostData().tables };
  try {
    writeWhole(path, gzipSync(JSON.stringify(copy)), { mode: 0o600, flush: true });
  } catch (error) {
    throw new UserError(`The copy of the data of the hosts, ${path}, cannot be written: ${writeFailure(error)}.`);
  }
}
