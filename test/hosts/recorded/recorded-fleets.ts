import fc from 'fast-check';
import type { RecordedHosts } from '../../../src/hosts/recorded/recorded-hosts.ts';
import { readDocument } from '../../../src/recordings/reading.ts';
import { type KeptDocument, recordedHosts } from '../../../src/recordings/simulated-hosts.ts';
import { anyInstant } from '../../draws.ts';
import {
  type Case,
  checkdataText,
  INTERVAL_SECONDS,
  oftenAroundReboot,
  packagesText,
  running,
  usualFleet,
} from '../any-machine.ts';
import type { TestFleet } from '../host-data.ts';

const RECORDED_MS = Date.UTC(2026, 5, 10, 9);

const documents = new Map<string, readonly KeptDocument[]>();

/** Documents of a host of a profile, as recorded within half an hour. */
export function documentsOf(profile: string, { agent = 3, host = 'host-1' } = {}): readonly KeptDocument[] {
  const key = `${profile} ${agent} ${host}`;
  const known = documents.get(key) ?? documentsOn(profile, agent, host);
  documents.set(key, known);
  return known;
}

function documentsOn(profile: string, agent: number, host: string): readonly KeptDocument[] {
  const one = (minutes: number): Case => {
    return { fleet: usualFleet(profile, 'full'), agent, instantMs: RECORDED_MS + minutes * 60_000 };
  };
  const texts = [0, 10, 20].map((minutes) => checkdataText(one(minutes)));
  return [...texts, packagesText(one(30))].map((text) => kept(text, host));
}

function kept(text: string, host: string): KeptDocument {
  const read = readDocument(text);
  if (read.kind === 'fault') throw new Error(JSON.stringify(read.fault));
  const { kind, instantMs, text: own } = read.document;
  return { host, kind, instantMs, text: own };
}

const made = new Map<string, RecordedHosts>();

export function recordingOf(profile: string): RecordedHosts {
  return madeOnce(profile, () => documentsOf(profile));
}

/** One recording of hosts of several profiles. */
export function mixedRecording(profiles: readonly string[]): RecordedHosts {
  return madeOnce(profiles.join(), () => profiles.flatMap((profile) => documentsOf(profile, { host: profile })));
}

function madeOnce(hash: string, documents: () => readonly KeptDocument[]): RecordedHosts {
  const known = made.get(hash) ?? recordedHosts(documents(), { name: hash, hash });
  made.set(hash, known);
  return known;
}

/** A fleet with hosts based on a recording. */
export function raised(recording: RecordedHosts): TestFleet {
  const name = `recording:/${recording.hash}`;
  return {
    seed: 7,
    payload: 'full',
    checks: {},
    checkIntervalSeconds: INTERVAL_SECONDS,
    profiles: { [name]: 1 },
    recordings: { [name]: recording },
  };
}

/** Any host based on a recording of these profiles, at a time when it is up. */
export function anyRecordedCase(profiles: readonly string[]): fc.Arbitrary<Case> {
  const anyTime = fc.record({
    fleet: fc.constant(profiles).map((all) => raised(mixedRecording(all))),
    agent: fc.nat(100_000),
    instantMs: anyInstant,
  });
  return running(oftenAroundReboot(anyTime));
}
