import fc from 'fast-check';
import { DAY_MS, MINUTE_MS } from '../../src/base/kernel/units.ts';
import type { Plain } from '../../src/hosts/document/plain.ts';
import { publishingOf } from '../../src/hosts/groups.ts';
import { bootsOf } from '../../src/hosts/host/boots.ts';
import type { OptionalChecks } from '../../src/hosts/host/configuration.ts';
import type { Incident } from '../../src/hosts/host/incident.ts';
import { PROFILE_NAMES, profileNamed } from '../../src/hosts/profiles.ts';
import { anyInstant, near } from '../draws.ts';
import { compilePayloads, keptByFleet, type Parsed, readCheckdata, readPackages, type TestFleet } from './host-data.ts';

export type { Parsed } from './host-data.ts';

export const INTERVAL_SECONDS = 30;

export const NO_CHECKS: OptionalChecks = {};

const MANY_CHECKS: OptionalChecks = { docker: 11, customchecks: 14, prometheus_exporters: 3, sensors: true };
const FEW_CHECKS: OptionalChecks = { docker: 1, libvirt: 5, sensors: false };

/** Few fleets with many hosts: compiling the variants of a fleet takes as long as rendering a hundred of its hosts. */
const anyFleet = fc.constantFrom<Pick<TestFleet, 'seed' | 'payload' | 'checks'>>(
  { seed: 0, payload: 'full', checks: {} },
  { seed: 1, payload: 'full', checks: MANY_CHECKS },
  { seed: 2, payload: 'typical', checks: {} },
  { seed: 3, payload: 'typical', checks: FEW_CHECKS },
  { seed: 1, payload: 'lean', checks: MANY_CHECKS },
  { seed: 4, payload: 'natural', checks: {} },
);

const ANY_AGENTS = 100_000;

/** Hosts of all roles of a profile, with all payloads. */
function rolesOf(profile: string, template: Pick<TestFleet, 'payload' | 'checks'>) {
  const groups = profileNamed(profile).roles.map((role) => {
    return { ...template, name: role, size: { kind: 'weight', weight: 1 } as const, profile, role };
  });
  return { groups, agents: ANY_AGENTS + 1 };
}

export const USUAL_SEED = 7;

/**
 * The hosts of one profile. All files use the same ones, because describing a variant takes as long as a hundred documents,
 * and files share a process.
 */
export function usualFleet(profile: string, payload: 'full' | 'typical' | 'lean'): TestFleet {
  return { seed: USUAL_SEED, profiles: { [profile]: 1 }, payload, checkIntervalSeconds: INTERVAL_SECONDS };
}

/** Any host of any profile, with or without optional checks, at any time within three years, often around a reboot. */
export type Case = { readonly fleet: TestFleet; readonly agent: number; readonly instantMs: number };

/** @param checks for all agents; if missing, some have optional checks and some do not */
export function anyCaseOf(names: readonly string[], checks?: OptionalChecks): fc.Arbitrary<Case> {
  const anyTime = fc.record({
    fleet: fc.tuple(anyFleet, fc.constantFrom(...names)).map(([fleet, name]) => ({
      ...fleet,
      checks: checks ?? fleet.checks ?? {},
      profiles: { [name]: 1 },
      checkIntervalSeconds: INTERVAL_SECONDS,
      ...(fleet.payload === 'natural' && rolesOf(name, { payload: fleet.payload, checks: checks ?? {} })),
    })),
    agent: fc.nat(ANY_AGENTS),
    instantMs: anyInstant,
  });
  return oftenAroundReboot(anyTime);
}

export function oftenAroundReboot(anyTime: fc.Arbitrary<Case>): fc.Arbitrary<Case> {
  return fc.oneof({ weight: 3, arbitrary: anyTime }, { weight: 1, arbitrary: anyTime.chain(aroundReboot) });
}

/** The same host, around the reboot before or after this time. */
function aroundReboot({ fleet, agent, instantMs }: Case): fc.Arbitrary<Case> {
  const { bootMs, agentStartMs, downMs } = boots(fleet)(agent, instantMs);
  const edges = [bootMs, agentStartMs, downMs].filter(Number.isFinite);
  return near(fc.constantFrom(...edges)).map((atMs) => ({ fleet, agent, instantMs: atMs }));
}

/** Incidents of every kind with these times and agents. */
export function incidentsOfEveryKind(
  common: Pick<Incident, 'isHit' | 'fromMs' | 'toMs' | 'everyMs'>,
): readonly Incident[] {
  return [
    { kind: 'disk-full', ...common },
    { kind: 'cpu-saturated', ...common },
    { kind: 'memory-leak', ...common },
    { kind: 'service-down', service: 'cron', ...common },
    { kind: 'clock-skew', offsetSeconds: 95, ...common },
    { kind: 'reboot', ...common },
    { kind: 'security-updates-due', ...common },
    { kind: 'check-error', check: 'swap', ...common },
  ];
}

const boots = keptByFleet((fleet) => bootsOf({ ...fleet, ...publishingOf(fleet) }));

/** Whether a host's agent is running at this time, which it is not during a reboot. */
export function isUp(fleet: TestFleet, agent: number, instantMs: number): boolean {
  return instantMs < boots(fleet)(agent, instantMs).downMs;
}

export const anyCase: fc.Arbitrary<Case> = anyCaseOf(PROFILE_NAMES);

/** Those whose hosts have been up for more than the last two check runs, so that rates exist. */
export function running(cases: fc.Arbitrary<Case>): fc.Arbitrary<Case> {
  return cases.filter(({ fleet, agent, instantMs }) => {
    return [0, 20_000, 40_000].every((ago) => isUp(fleet, agent, instantMs - ago));
  });
}

export const anyRunningCase: fc.Arbitrary<Case> = running(anyCase);

/** Large enough for every document of the tests; the maximum of a fleet takes long to compute. */
const OUT = Buffer.alloc(4_000_000);

export function checkdataText({ fleet, agent, instantMs }: Case): string {
  return OUT.toString('utf8', 0, compilePayloads(fleet).writeCheckdata(OUT, 0, agent, instantMs));
}

/** Check data after the last package collection started at `collectionMs`. */
export function checkdataAfter({ fleet, agent, instantMs }: Case, collectionMs: number): Parsed {
  return readCheckdata(fleet, agent, instantMs, collectionMs);
}

export function packagesText({ fleet, agent, instantMs }: Case): string {
  return OUT.toString('utf8', 0, compilePayloads(fleet).writePackages(OUT, 0, agent, instantMs));
}

/** The text of a plain value from Go's encoder. */
export function goText(value: Plain): string {
  const escaped = JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `bigint:${member}` : member));
  return escaped
    .replace(/"bigint:(\d+)"/g, '$1')
    .replace(/[<>&\u2028\u2029\ufffd]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function checkdata({ fleet, agent, instantMs }: Case): Parsed {
  return readCheckdata(fleet, agent, instantMs);
}

export function packages({ fleet, agent, instantMs }: Case): Parsed {
  return readPackages(fleet, agent, instantMs);
}

/** Unix ms of a time as Go writes it, in whole milliseconds. */
export function goTimeMs(text: string): number {
  const [, date = '', time = '', fraction = '', hours = '', minutes = ''] =
    /^(\S+) ([\d:]{8})(\.\d+)? ([+-]\d\d)(\d\d) \S+ m=/.exec(text) ?? [];
  return Date.parse(`${date}T${time}.${fraction.slice(1, 4).padEnd(3, '0')}${hours}:${minutes}`);
}

/** Documents of many hosts over some weeks. */
export function* documentsOverWeeks(profile: string, payload: 'typical' | 'lean', count: number): Generator<Parsed> {
  for (let i = 0; i < count; i++) {
    yield checkdata({
      fleet: usualFleet(profile, payload),
      agent: i,
      instantMs: Date.UTC(2026, 3, 1) + ((i * 7919 * MINUTE_MS) % (60 * DAY_MS)),
    });
  }
}
