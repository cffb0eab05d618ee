import { UserError } from '../base/kernel/errors.ts';
import type { OperatingSystem, Profile } from './host/profile.ts';
import { ROLES } from './host/roles.ts';
import { TIME_ZONES } from './host/site.ts';
import { linuxProfile } from './profiles/linux.ts';
import { macProfile } from './profiles/macos.ts';
import { windowsProfile } from './profiles/windows.ts';
import { recordedProfile } from './recorded/profile.ts';
import type { RecordedHosts, Recordings } from './recorded/recorded-hosts.ts';

/** All profiles. To add one, write a file in `data/profiles/` and add its line here. */
const PROFILES: readonly Profile[] = [
  linuxProfile('ubuntu-24.04'),
  linuxProfile('debian-12'),
  // Red Hat builds Samba without this role.
  linuxProfile('almalinux-9', ['domain-controller']),
  linuxProfile('opensuse-tumbleweed'),
  linuxProfile('arch'),
  windowsProfile('windows-11', 'Client'),
  windowsProfile('windows-server-2022', 'Server'),
  macProfile('macos-26'),
  macProfile('macos-15'),
];

export const TIME_ZONE_NAMES = TIME_ZONES;

export const ROLE_NAMES: readonly string[] = Object.keys(ROLES);

export const PROFILE_NAMES: readonly string[] = PROFILES.map((profile) => profile.name);

/** The operating system of a profile's hosts. Those of a recording, which has its own exporters, count as Linux. */
export function systemNamed(name: string): OperatingSystem {
  return PROFILES.find((profile) => profile.name === name)?.systemOf(0) ?? 'linux';
}

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
