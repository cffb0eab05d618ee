import { randomBytes } from 'node:crypto';
import { messageOf, UserError } from '../../kernel/errors.ts';
import { PASSWORD_LENGTH } from '../../protocol/push.ts';
import type { ServerPorts } from '../ports.ts';
import type { HostAssignment, MonitoringServerSettings } from '../settings.ts';
import type { Registration } from './registration.ts';
import type { RegistrationFile } from './registration-file.ts';

/** Longest values, in characters, that the server's table holds (docs/protocol.md, "register_agent.json"). */
export const COLUMN_LENGTHS = { uuid: 37, hostname: 255, ipaddress: 255 } as const;
export type Column = keyof typeof COLUMN_LENGTHS;

export function tooLongColumn(values: Readonly<Record<Column, string>>): Column | undefined {
  return (['uuid', 'hostname', 'ipaddress'] as const).find((column) =>
    isLonger(values[column], COLUMN_LENGTHS[column]),
  );
}

/** Whether the text has more characters than that; a character may take two UTF-16 units. */
export function isLonger(text: string, characters: number): boolean {
  // A prefix is enough to tell.
  return text.length > characters && [...text.slice(0, 2 * characters + 2)].length > characters;
}

const UNNAMED = { hostname: '', ipaddress: '', hostSinceMs: 0 };

export type NewAgent = Pick<Registration, 'uuid' | 'hostname' | 'ipaddress'>;

/** The data file could not be written; neither it nor the memory has changed. */
export class NotStoredError extends UserError {}

/** The agents this server knows, by uuid. What changes throws `NotStoredError` where the data file cannot be written. */
export type Registrations = {
  readonly size: () => number;
  readonly find: (uuid: string) => Registration | undefined;
  /** The agent with exactly these credentials. */
  readonly match: (uuid: string, password: string) => Registration | undefined;
  /** Registers an agent that is not yet known under a new password; undefined: there is no room for more. */
  readonly add: (agent: NewAgent) => Registration | undefined;
  /** Makes the agents of these uuids monitored hosts, or all agents; returns how many were not before. */
  readonly assignHosts: (uuids?: readonly string[]) => number;
  /** As if the operator had deleted these agents; returns how many there were. */
  readonly forget: (isForgotten: (uuid: string) => boolean) => number;
  readonly close: () => void;
};

/** Opens the settings' data file if there is one. Throws `UserError` if it cannot be used. */
export function createRegistrations(settings: MonitoringServerSettings, ports: ServerPorts): Registrations {
  const file = openStore(settings.dataFile, ports);
  const agents = new Map<string, Registration>();
  for (const agent of file?.load() ?? []) agents.set(agent.uuid, agent);
  const keep = (changed: readonly Registration[]) => {
    // The file first: what it refuses must not be in the memory.
    file?.save(changed);
    for (const agent of changed) agents.set(agent.uuid, agent);
  };
  keep(settings.registrations.map((credentials) => ({ ...UNNAMED, ...credentials })));
  return {
    size: () => agents.size,
    find: (uuid) => agents.get(uuid),
    match: (uuid, password) => {
      const agent = agents.get(uuid);
      return agent?.password === password ? agent : undefined;
    },
    add: (newcomer) => {
      if (agents.size >= settings.limits.agents) return undefined;
      const hostSinceMs = Date.now() + assignmentDelayMs(settings.hostAssignment);
      const agent = { ...newcomer, password: newPassword(), hostSinceMs };
      keep([agent]);
      return agent;
    },
    assignHosts: (uuids) => {
      const now = Date.now();
      const chosen = uuids?.flatMap((uuid) => agents.get(uuid) ?? []) ?? [...agents.values()];
      const unassigned = chosen.filter((agent) => agent.hostSinceMs > now);
      keep(unassigned.map((agent) => ({ ...agent, hostSinceMs: now })));
      return unassigned.length;
    },
    forget: (isForgotten) => {
      const forgotten = [...agents.keys()].filter(isForgotten);
      file?.remove(forgotten);
      for (const uuid of forgotten) agents.delete(uuid);
      return forgotten.length;
    },
    close: () => file?.close(),
  };
}

/** The data file, with every failed write reported in one line. */
function openStore(path: string | undefined, { openFile, report }: ServerPorts): RegistrationFile | undefined {
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

function newPassword(): string {
  return randomBytes(PASSWORD_LENGTH / 2).toString('hex');
}
