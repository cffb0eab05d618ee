import { UserError } from '../base/kernel/errors.ts';
import { type Finding, valueFinding } from '../base/notation/finding.ts';
import { RECORDING } from '../hosts/profiles.ts';
import type { RecordedHosts } from '../hosts/recorded/recorded-hosts.ts';
import type { Fleet, FleetFile } from './fleet.ts';

/** Reads a recording by its absolute path. Throws `UserError` if it is unreadable. */
export type ReadRecording = (folder: string) => RecordedHosts;

export function namesRecordings(fleet: Fleet): boolean {
  return 'groups' in fleet && fleet.groups.some(({ profile }) => profile.startsWith(RECORDING));
}

type FleetRecordings = { readonly fleet: Fleet; readonly findings: readonly Finding[] };

/** Reads the recordings of a fleet's groups, written as `hosts` or `profiles`; a missing or different recording becomes a finding. */
export function withRecordings(fleet: Fleet, { hosts }: FleetFile, read: ReadRecording): FleetRecordings {
  if (!('groups' in fleet)) return { fleet, findings: [] };
  const found = new Map<string, RecordedHosts>();
  const findings = fleet.groups.flatMap(({ profile, sha256 }, index): readonly Finding[] => {
    if (!profile.startsWith(RECORDING)) return [];
    const path = ['fleet', ...(hosts === undefined ? ['profiles'] : ['hosts', index, 'profile'])];
    try {
      const recorded = found.get(profile) ?? read(profile.slice(RECORDING.length));
      found.set(profile, recorded);
      if (sha256 === undefined || sha256 === recorded.hash) return [];
      return [valueFinding(path, `the recording with the SHA-256 ${sha256}`, `one with ${recorded.hash}`)];
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return [valueFinding(path, 'the folder of a usable recording', `one with a problem: ${error.message}`)];
    }
  });
  if (found.size === 0) return { fleet, findings };
  const groups = fleet.groups.map((group) => {
    const recorded = found.get(group.profile);
    return recorded === undefined ? group : { ...group, sha256: recorded.hash };
  });
  return { fleet: { ...fleet, groups, recordings: Object.fromEntries(found) }, findings };
}
