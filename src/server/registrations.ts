import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { explained, messageOf, UserError } from '../base/kernel/errors.ts';
import { PASSWORD_LENGTH } from '../base/protocol/push.ts';
import { inTransaction, openDatabase } from '../base/storage/database.ts';
import type { Credentials, HostAssignment, MonitoringServerSettings } from './settings.ts';

export type Registration = Credentials & {
  readonly hostname: string;
  readonly ipaddress: string;
  /** Unix time, in ms, from which the agent belongs to a monitored host; Infinity until the operator decides. */
  readonly hostSinceMs: number;
};

/** Whether the operator has made the agent a monitored host. */
export function hasHost(agent: Registration | undefined): boolean {
  return agent !== undefined && agent.hostSinceMs <= Date.now();
}

/** Maximum lengths, in characters, of the columns in the server's table (docs/reference/wire.md, "register_agent.json"). */
export const COLUMN_LENGTHS = { uuid: 37, hostname: 255, ipaddress: 255 } as const;
export type RegistrationColumn = keyof typeof COLUMN_LENGTHS;

export function tooLongColumn(values: Readonly<Record<RegistrationColumn, string>>): RegistrationColumn | undefined {
  return (['uuid', 'hostname', 'ipaddress'] as const).find((column) =>
    isLonger(values[column], COLUMN_LENGTHS[column]),
  );
}

/** Whether the text has more than this many characters, each of one or two UTF-16 units. */
export function isLonger(text: string, characters: number): boolean {
  // A prefix is long enough to decide.
  return text.length > characters && [...text.slice(0, 2 * characters + 2)].length > characters;
}

const PLAIN = /^[\da-z-]*$/;
const IGNORED = /\p{M}|\p{Cf}|(?![\t-\r])\p{Cc}/gu;

/** A text as the server's database compares it: without case, accents, invisible characters and trailing blanks. */
export function collated(text: string): string {
  return PLAIN.test(text) ? text : text.normalize('NFKD').replaceAll(IGNORED, '').toLowerCase().replace(/ +$/, '');
}

/** The data file could not be written; neither the file nor the memory has changed. */
export class NotStoredError extends UserError {}

/** Storage for the agents of a server that survives crashes. Calls return after the data is written. */
export type RegistrationFile = ReturnType<typeof openRegistrationFile>;

export type RegistrationPorts = {
  /** Reports one line to the operator, without a line break. */
  readonly report: (line: string) => void;
  /** Opens the data file. @throws UserError if it is not usable. */
  readonly openFile: (path: string) => RegistrationFile;
};

/** The agents known to the server, by uuid. Methods that change them throw `NotStoredError` if the data file cannot be written. */
export type Registrations = ReturnType<typeof createRegistrations>;

/** Creates the registrations, and opens the settings' data file if there is one. @throws UserError if it is not usable. */
export function createRegistrations(settings: MonitoringServerSettings, ports: RegistrationPorts) {
  const file = openStore(settings.dataFile, ports);
  const agents = new Map<string, Registration>();
  for (const agent of file?.load() ?? []) agents.set(collated(agent.uuid), agent);
  const keep = (changed: readonly Registration[]) => {
    // Writes the file first, so that the memory never contains what the file rejected.
    file?.save(changed);
    for (const agent of changed) agents.set(collated(agent.uuid), agent);
  };
  keep(settings.registrations.map((agent) => ({ hostname: '', ipaddress: '', hostSinceMs: 0, ...agent })));
  return {
    size: (): number => agents.size,
    find: (uuid: string): Registration | undefined => agents.get(collated(uuid)),
    /** Finds the agent with these credentials. Both are compared as in the server's database. */
    match: (uuid: string, password: string): Registration | undefined => {
      const agent = agents.get(collated(uuid));
      return agent !== undefined && collated(agent.password) === collated(password) ? agent : undefined;
    },
    /** Registers an unknown agent with a new password; `undefined` if there is no room for more. */
    add: (newcomer: Pick<Registration, 'uuid' | 'hostname' | 'ipaddress'>): Registration | undefined => {
      if (agents.size >= settings.limits.agents) return undefined;
      const hostSinceMs = Date.now() + assignmentDelayMs(settings.hostAssignment);
      const agent = { ...newcomer, password: randomBytes(PASSWORD_LENGTH / 2).toString('hex'), hostSinceMs };
      keep([agent]);
      return agent;
    },
    /** Makes the agents with these uuids, or all agents, monitored hosts; returns how many were not before. */
    assignHosts: (uuids?: readonly string[]): number => {
      const now = Date.now();
      const chosen = uuids?.flatMap((uuid) => agents.get(collated(uuid)) ?? []) ?? [...agents.values()];
      const unassigned = chosen.filter((agent) => agent.hostSinceMs > now);
      keep(unassigned.map((agent) => ({ ...agent, hostSinceMs: now })));
      return unassigned.length;
    },
    /** Takes the host from an agent, as its deletion does; the agent's pushes are rejected until it has another one. */
    releaseHost: (uuid: string) => {
      const agent = agents.get(collated(uuid));
      if (agent !== undefined) keep([{ ...agent, hostSinceMs: Number.POSITIVE_INFINITY }]);
    },
    all: (): Iterable<Registration> => agents.values(),
    /** Deletes agents, as an operator would; returns how many. */
    forget: (isForgotten: (uuid: string) => boolean): number => {
      const forgotten = [...agents.values()].map(({ uuid }) => uuid).filter(isForgotten);
      file?.remove(forgotten);
      for (const uuid of forgotten) agents.delete(collated(uuid));
      return forgotten.length;
    },
    close: (): void => file?.close(),
  };
}

/** Opens the data file, with every failed write reported in one line. */
function openStore(path: string | undefined, { openFile, report }: RegistrationPorts): RegistrationFile | undefined {
  if (path === undefined) return undefined;
  const file = openFile(path);
  const orReport = (write: () => void) => {
    try {
      write();
    } catch (error) {
      const text = `The data file ${path} cannot be written: ${messageOf(error)}`;
      report(text);
      throw new NotStoredError(text);
    }
  };
  return {
    ...file,
    save: (agents) => orReport(() => file.save(agents)),
    remove: (uuids) => orReport(() => file.remove(uuids)),
  };
}

function assignmentDelayMs(assignment: HostAssignment): number {
  switch (assignment.kind) {
    case 'automatic':
      return 0;
    case 'delayed':
      return assignment.delayMs;
    case 'manual':
      return Number.POSITIVE_INFINITY;
  }
}

const TABLE = `CREATE TABLE agents (
  uuid TEXT PRIMARY KEY, password TEXT NOT NULL, hostname TEXT NOT NULL, ipaddress TEXT NOT NULL, host_since_ms REAL
) STRICT, WITHOUT ROWID`;

/**
 * Opens or creates the file (SQLite, mode 0600) for exclusive use by this server.
 * @throws UserError if it is not usable or in use by another server.
 */
export function openRegistrationFile(path: string) {
  const database = openOrExplain(path);
  const select = database.prepare('SELECT uuid, password, hostname, ipaddress, host_since_ms FROM agents');
  const upsert = database.prepare('INSERT OR REPLACE INTO agents VALUES (?, ?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM agents WHERE uuid = ?');
  return {
    load: (): readonly Registration[] => select.all().map(registration),
    /** Inserts or overwrites agents in one transaction. */
    save: (agents: readonly Registration[]) =>
      inTransaction(database, () => {
        for (const { uuid, password, hostname, ipaddress, hostSinceMs } of agents) {
          upsert.run(uuid, password, hostname, ipaddress, Number.isFinite(hostSinceMs) ? hostSinceMs : null);
        }
      }),
    remove: (uuids: readonly string[]) =>
      inTransaction(database, () => {
        for (const uuid of uuids) remove.run(uuid);
      }),
    close: () => database.close(),
  };
}

function registration(row: Readonly<Record<string, unknown>>): Registration {
  return {
    uuid: String(row.uuid),
    password: String(row.password),
    hostname: String(row.hostname),
    ipaddress: String(row.ipaddress),
    hostSinceMs: row.host_since_ms === null ? Number.POSITIVE_INFINITY : Number(row.host_since_ms),
  };
}

function openOrExplain(path: string): DatabaseSync {
  const unusable = (reason: string): string =>
    `The data file ${path} cannot be used: ${reason}. Use a file that this server can create in a writable folder, and that no other server uses.`;
  // NORMAL, so that the disk does not slow down enrollment storms. EXCLUSIVE, because two servers would not see each other's agents.
  return explained(unusable, () => openDatabase(path, { synchronous: 'NORMAL', locking: 'EXCLUSIVE', table: TABLE }));
}
