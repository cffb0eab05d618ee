import { randomBytes } from 'node:crypto';
import { PASSWORD_LENGTH } from '../../protocol/push.ts';
import type { Credentials, HostAssignment, MonitoringServerSettings } from '../settings.ts';
import { openRegistrationFile } from './registration-file.ts';

export type Registration = Credentials & {
  readonly hostname: string;
  readonly ipaddress: string;
  /** Unix time from which the agent belongs to a monitored host; Infinity: until the operator decides. */
  hostSinceMs: number;
};

/** Longest values, in characters, that the server's table holds (docs/protocol.md, "register_agent.json"). */
export const COLUMN_LENGTHS = { uuid: 37, hostname: 255, ipaddress: 255 } as const;
export type Column = keyof typeof COLUMN_LENGTHS;

export function tooLongColumn(values: Readonly<Record<Column, string>>): Column | undefined {
  return (['uuid', 'hostname', 'ipaddress'] as const).find((column) => values[column].length > COLUMN_LENGTHS[column]);
}

const UNNAMED = { hostname: '', ipaddress: '', hostSinceMs: 0 };

export type NewAgent = Pick<Registration, 'uuid' | 'hostname' | 'ipaddress'>;

/** The agents this server knows, by uuid. */
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
export function createRegistrations(settings: MonitoringServerSettings): Registrations {
  const file = settings.dataFile === undefined ? undefined : openRegistrationFile(settings.dataFile);
  const given = settings.registrations.map((credentials) => ({ ...UNNAMED, ...credentials }));
  const agents = new Map<string, Registration>();
  for (const agent of [...(file?.load() ?? []), ...given]) agents.set(agent.uuid, { ...agent });
  file?.save(given);
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
      file?.save([agent]);
      agents.set(agent.uuid, agent);
      return agent;
    },
    assignHosts: (uuids) => {
      const now = Date.now();
      const chosen = uuids?.flatMap((uuid) => agents.get(uuid) ?? []) ?? [...agents.values()];
      const unassigned = chosen.filter((agent) => agent.hostSinceMs > now);
      for (const agent of unassigned) agent.hostSinceMs = now;
      file?.save(unassigned);
      return unassigned.length;
    },
    forget: (isForgotten) => {
      const forgotten = [...agents.keys()].filter(isForgotten);
      for (const uuid of forgotten) agents.delete(uuid);
      file?.remove(forgotten);
      return forgotten.length;
    },
    close: () => file?.close(),
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
