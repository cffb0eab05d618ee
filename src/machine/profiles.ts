import { UserError } from '../kernel/errors.ts';
import type { AverageBytes, PayloadSize, Profile } from './host/profile.ts';
import { almalinux9 } from './profiles/almalinux-9.ts';
import { arch } from './profiles/arch.ts';
import { debian12 } from './profiles/debian-12.ts';
import { macos15 } from './profiles/macos-15.ts';
import { macos26 } from './profiles/macos-26.ts';
import { opensuseTumbleweed } from './profiles/opensuse-tumbleweed.ts';
import { ubuntu2404 } from './profiles/ubuntu-24.04.ts';
import { windows11 } from './profiles/windows-11.ts';
import { windowsServer2022 } from './profiles/windows-server-2022.ts';

/** Every profile there is. A new one is a file in `profiles/` and its line here. */
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

export const PROFILE_NAMES: readonly string[] = PROFILES.map((profile) => profile.name);

/** What hosts are for, of all profiles. */
export const ROLE_NAMES: readonly string[] = [...new Set(PROFILES.flatMap(({ roles }) => roles))].sort();

/** @throws UserError if there is no profile of this name. */
export function profileNamed(name: string): Profile {
  const profile = PROFILES.find((candidate) => candidate.name === name);
  if (profile !== undefined) return profile;
  throw new UserError(`Profile "${name}" does not exist; expected one of ${PROFILE_NAMES.join(', ')}.`);
}

/** Mean sizes of a profile's documents. @throws UserError if there is no profile of this name. */
export function averageBytesOf(name: string, payload: PayloadSize): AverageBytes {
  return profileNamed(name).averageBytes[payload];
}
