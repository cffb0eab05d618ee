import { UserError } from '../ground/kernel/errors.ts';
import type { AverageBytes, PayloadSize, Profile } from './host/profile.ts';
import { ROLES } from './host/roles.ts';
import { almalinux9 } from './profiles/almalinux-9.ts';
import { arch } from './profiles/arch.ts';
import { debian12 } from './profiles/debian-12.ts';
import { macos15 } from './profiles/macos-15.ts';
import { macos26 } from './profiles/macos-26.ts';
import { opensuseTumbleweed } from './profiles/opensuse-tumbleweed.ts';
import { ubuntu2404 } from './profiles/ubuntu-24.04.ts';
import { windows11 } from './profiles/windows-11.ts';
import { windowsServer2022 } from './profiles/windows-server-2022.ts';
import { recordedProfile } from './recorded/profile.ts';
import type { RecordedHosts, Recordings } from './recorded/recorded-hosts.ts';

/** All profiles. To add one, write a file in `profiles/` and add its line here. */
const PROFILES: readonly Profile[] = [
  ubuntu2404,
  debian12,
  almalinux9,
  opensuseTumbleweed,
  arch,
  windows11,
  windowsServer2022,
  macos26,
  macos15,
];

/** The roles of hosts, of all profiles. */
export const ROLE_NAMES: readonly string[] = Object.keys(ROLES);

export const PROFILE_NAMES: readonly string[] = PROFILES.map((profile) => profile.name);

/** Precedes the folder of a recording in the name of a profile. */
export const RECORDING = 'recording:';

const recorded = new WeakMap<RecordedHosts, Profile>();

/**
 * `recordings` are those that the fleet refers to.
 * @throws UserError if there is no profile of this name.
 */
export function profileNamed(name: string, recordings: Recordings = {}): Profile {
  const profile = PROFILES.find((candidate) => candidate.name === name);
  if (profile !== undefined) return profile;
  const hosts = recordings[name];
  if (hosts !== undefined) {
    const known = recorded.get(hosts) ?? recordedProfile(name, hosts);
    recorded.set(hosts, known);
    return known;
  }
  throw new UserError(`Profile "${name}" does not exist; expected one of ${PROFILE_NAMES.join(', ')}.`);
}

/**
 * Mean sizes of a profile's documents.
 * @throws UserError if there is no profile of this name.
 */
export function averageBytesOf(name: string, payload: PayloadSize, recordings?: Recordings): AverageBytes {
  return profileNamed(name, recordings).averageBytes[payload];
}
