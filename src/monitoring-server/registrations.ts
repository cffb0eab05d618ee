import { randomBytes } from 'node:crypto';
import { PASSWORD_LENGTH } from '../protocol/push.ts';
import type { Credentials } from './settings.ts';

export type Registration = Credentials & {
  readonly hostname: string;
  readonly ipaddress: string;
  /** The last check data that was accepted; only what describes it, never the data itself. */
  lastCheckdata: Receipt | undefined;
  lastPackages: Receipt | undefined;
};

/** `receivedMs` is Unix time. */
export type Receipt = { readonly receivedMs: number; readonly sizeBytes: number };

/** Longest values, in characters, that the server's table holds (docs/protocol.md, "register_agent.json"). */
export const COLUMN_LENGTHS = { uuid: 37, hostname: 255, ipaddress: 255 } as const;
export type Column = keyof typeof COLUMN_LENGTHS;

export function tooLongColumn(values: Readonly<Record<Column, string>>): Column | undefined {
  return (['uuid', 'hostname', 'ipaddress'] as const).find((column) => values[column].length > COLUMN_LENGTHS[column]);
}

/** The agents this server knows, by uuid. */
export type Registrations = {
  readonly size: () => number;
  readonly find: (uuid: string) => Registration | undefined;
  /** The agent with exactly these credentials. */
  readonly match: (uuid: string, password: string) => Registration | undefined;
  /** Registers an agent that is not yet known under a new password; undefined: there is no room for more. */
  readonly add: (agent: Pick<Registration, 'uuid' | 'hostname' | 'ipaddress'>) => Registration | undefined;
};

export function createRegistrations(initial: readonly Credentials[], capacity: number): Registrations {
  const agents = new Map<string, Registration>();
  for (const credentials of initial) agents.set(credentials.uuid, registration(credentials));
  return {
    size: () => agents.size,
    find: (uuid) => agents.get(uuid),
    match: (uuid, password) => {
      const agent = agents.get(uuid);
      return agent?.password === password ? agent : undefined;
    },
    add: ({ uuid, hostname, ipaddress }) => {
      if (agents.size >= capacity) return undefined;
      const agent = { ...registration({ uuid, password: newPassword() }), hostname, ipaddress };
      agents.set(uuid, agent);
      return agent;
    },
  };
}

function registration({ uuid, password }: Credentials): Registration {
  return { uuid, password, hostname: '', ipaddress: '', lastCheckdata: undefined, lastPackages: undefined };
}

function newPassword(): string {
  return randomBytes(PASSWORD_LENGTH / 2).toString('hex');
}
