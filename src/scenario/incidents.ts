import { z } from 'zod';
import { DAY_SECONDS, formatDuration, parseDuration, wholeMicroseconds } from '../kernel/units.ts';
import { type Phase, timelineEndMs } from '../load/timeline.ts';
import { effectOf } from '../machine/estimates.ts';
import type { HitAgents, Incident } from '../machine/host/incident.ts';
import type { HostData } from '../machine/host-data.ts';
import { PROFILE_NAMES } from '../machine/profiles.ts';
import { type Finding, oneOfText, onValue, quoted } from '../notation/finding.ts';
import { instant, instantOf } from '../notation/instant.ts';
import { positiveDuration, shareOr } from '../notation/quantities.ts';
import { valueAtPath } from '../notation/schema-findings.ts';
import { choice, filledText, section } from '../notation/section.ts';
import { CHECK_NAMES } from '../protocol/shapes.ts';
import { machineFleetOf } from './agents.ts';
import { lateInstant, type PartialPhases, phaseNames, strangeInstant } from './phases.ts';
import type { PartialList } from './reading/read-part.ts';
import { escaped } from './reading/variables.ts';
import type { Scenario } from './scenario.ts';

const COHORT = 'a share such as 30% or 0.3, agents by index such as 10..19, or the name of a profile';
const OFFSET = 'a time that the clock is ahead, such as 90s, or behind, such as -5m';

/** The members of the check data that a check of their own stands behind: all but the agent's word on itself. */
const CHECKS = CHECK_NAMES.filter((name) => name !== 'agent') as [string, ...string[]];

const range = z
  .string(COHORT)
  .regex(/^\d{1,8}\.\.\d{1,8}$/, COHORT)
  .transform((text): HitAgents => {
    const [first = 0, last = 0] = text.split('..').map(Number);
    return { fromAgent: first, toAgent: last + 1 };
  })
  .refine((cohort) => 'fromAgent' in cohort && cohort.fromAgent < cohort.toAgent, COHORT)
  .meta({ description: 'Agents by their index, both ends included.', examples: ['10..19'] });

const part = shareOr(COHORT)
  .transform((share): HitAgents => ({ share }))
  .meta({ description: 'A share of the agents, drawn from the seed.', examples: ['30%', 0.3] });

const profile = z
  .enum(PROFILE_NAMES, COHORT)
  .transform((name): HitAgents => ({ profile: name }))
  .meta({ description: 'All agents of a profile.', examples: ['ubuntu-24.04'] });

/** Which agents something happens to. */
export const cohort = z
  .union([part, range, profile], COHORT)
  .meta({ title: 'cohort', description: 'A part of the fleet.', examples: ['30%', '10..19', 'ubuntu-24.04'] });

export const offset = z
  .string(OFFSET)
  .regex(/^-?(\d+(\.\d+)?(us|ms|s|m|h|d))+$/, OFFSET)
  .transform((text) => {
    const milliseconds = wholeMicroseconds(parseDuration(text.replace('-', '')) ?? 0);
    return (text.startsWith('-') ? -milliseconds : milliseconds) / 1000;
  })
  .refine((seconds) => seconds !== 0 && Math.abs(seconds) <= 365 * DAY_SECONDS, OFFSET)
  .meta({
    title: 'offset',
    description: 'A duration that a clock is ahead, or with a minus in front behind.',
    examples: ['90s', '-5m'],
  });

const when = {
  at: instant.prefault('0s').describe('When it begins.'),
  for: positiveDuration
    .exactOptional()
    .meta({ description: 'How long it lasts. Left out: to the end of the run.', examples: ['30s'] }),
  cohort: cohort.prefault('100%').describe('Whom it hits.'),
};

const INCIDENTS = [
  section({
    do: z
      .literal('disk-full')
      .describe('A file system has no room left: nothing more is written to its disk, and databases fail.'),
    mountpoint: filledText.exactOptional().meta({
      description: 'Which one. Left out: `/`, on Windows `C:`.',
      examples: ['/', 'C:'],
    }),
    ...when,
  }),
  section({ do: z.literal('cpu-saturated').describe('A process takes what the cores have left.'), ...when }),
  section({
    do: z
      .literal('memory-leak')
      .describe('The largest program grows until memory is nearly used up, and is started anew at the end.'),
    ...when,
  }),
  section({
    do: z
      .literal('service-down')
      .describe('A service has failed and its processes are gone; at the end it is started anew.'),
    service: filledText.meta({ description: 'The name of the service.', examples: ['nginx', 'spooler'] }),
    ...when,
  }),
  section({
    do: z.literal('clock-skew').describe("The host's clock is wrong and no longer synchronised."),
    offset: offset.describe('How far it is ahead, or behind.'),
    ...when,
  }),
  section({
    do: z
      .literal('reboot')
      .describe('The host goes down at the beginning and is back at the end; it sends nothing between.'),
    ...when,
  }),
  section({
    do: z
      .literal('security-updates-due')
      .describe('All security updates come out at the beginning and are installed at the end.'),
    ...when,
  }),
  section({
    do: z.literal('check-error').describe('A check fails: an error stands in its place.'),
    check: choice(CHECKS).describe('The member of the check data.'),
    error: filledText.exactOptional().meta({
      description: 'What the error says. Left out: `context deadline exceeded`.',
      examples: ['permission denied'],
    }),
    ...when,
  }),
] as const;

const KINDS = INCIDENTS.map((kind) => kind.shape.do.value);

/** Something that goes wrong on a part of the fleet. */
const incident = z
  .discriminatedUnion('do', INCIDENTS, {
    error: (issue) =>
      issue.code === 'invalid_union' ? oneOfText(KINDS) : 'an incident such as { do: disk-full, for: 30s }',
  })
  .describe('Something that goes wrong on a part of the fleet.');

type IncidentFile = z.output<typeof incident>;

/** The section `machine`. */
export const machine = section({
  incidents: z
    .array(incident, 'a list of incidents')
    .max(100, 'at most 100 incidents')
    .prefault([])
    .meta({
      description: 'What goes wrong on parts of the fleet, and when; up to 100.',
      examples: [
        [
          { do: 'disk-full', at: 'steady+5s', for: '30s', cohort: '30%' },
          { do: 'service-down', service: 'nginx', at: '1m', cohort: '10..19' },
          { do: 'clock-skew', offset: '-5m' },
        ],
      ],
    }),
})
  .prefault({})
  .describe('What happens to the simulated hosts.');

/** Incidents with times in milliseconds from the run's start; those without an end of their own end with the run. */
export function incidentsOf({ incidents }: z.output<typeof machine>, phases: readonly Phase[]): readonly Incident[] {
  return incidents.map((incident) => incidentOf(incident, phases));
}

function incidentOf({ at, for: forMs, ...file }: IncidentFile, phases: readonly Phase[]): Incident {
  const fromMs = instantOf(at, phases);
  const toMs = forMs === undefined ? Math.max(fromMs, timelineEndMs(phases)) : wholeMicroseconds(fromMs + forMs);
  if (file.do === 'clock-skew') {
    return { kind: file.do, offsetSeconds: file.offset, cohort: file.cohort, fromMs, toMs };
  }
  const { do: kind, ...rest } = file;
  return { kind, ...rest, fromMs, toMs } as Incident;
}

/** The section that reads as these incidents. */
export function writtenMachine(incidents: readonly Incident[], phases: readonly Phase[]): object {
  return { incidents: incidents.map((incident) => escaped(writtenIncident(incident, phases))) };
}

function writtenIncident(incident: Incident, phases: readonly Phase[]): Readonly<Record<string, unknown>> {
  const { kind, cohort, fromMs, toMs, ...rest } = incident;
  const isToTheEnd = toMs === Math.max(fromMs, timelineEndMs(phases));
  return {
    do: kind,
    at: formatDuration(fromMs),
    ...(!isToTheEnd && { for: formatDuration(toMs - fromMs) }),
    cohort: writtenCohort(cohort),
    ...('offsetSeconds' in rest ? { offset: writtenOffset(rest.offsetSeconds) } : rest),
  };
}

function writtenCohort(cohort: HitAgents): string | number {
  if ('share' in cohort) return cohort.share;
  return 'profile' in cohort ? cohort.profile : `${cohort.fromAgent}..${cohort.toAgent - 1}`;
}

function writtenOffset(seconds: number): string {
  return `${seconds < 0 ? '-' : ''}${formatDuration(Math.abs(seconds) * 1000)}`;
}

type PartialIncidents = PartialPhases & {
  readonly machine?: { readonly incidents?: PartialList<IncidentFile> };
};

/** What is wrong with incidents beside the phases and the fleet. */
export function incidentFindings(file: PartialIncidents, raw: unknown): readonly Finding[] {
  const names = phaseNames(file);
  const agents = file.fleet?.agents ?? Number.POSITIVE_INFINITY;
  return (file.machine?.incidents ?? []).flatMap((incident, index) => {
    const path = ['machine', 'incidents', index];
    const strange = strangeInstant([...path, 'at'], incident?.at, names);
    const cohort = incident?.cohort;
    if (cohort === undefined || !('toAgent' in cohort) || cohort.toAgent <= agents) return strange;
    const found = quoted(String(valueAtPath(raw, [...path, 'cohort'])));
    return [...strange, onValue([...path, 'cohort'], `agents from 0 to ${agents - 1}, those of this fleet`, found)];
  });
}

/** Incidents that come to nothing: the run is over before them, or there is nothing that they are about. */
export function idleIncidents(scenario: Scenario, data: HostData): readonly Finding[] {
  const fleet = { ...machineFleetOf(scenario, data), agents: scenario.fleet.agents };
  return scenario.incidents.flatMap((incident, index) => {
    const path = ['machine', 'incidents', index];
    const late = lateInstant([...path, 'at'], incident.fromMs, scenario.phases);
    const effect = effectOf(fleet, incident);
    if (effect === 'felt') return late;
    if (effect === 'no_agent')
      return [...late, onValue([...path, 'cohort'], 'a cohort with an agent in it', 'none in it')];
    const { key, value, thing } = particularOf(incident);
    return [...late, onValue([...path, key], `${thing} that an agent of the cohort has`, quoted(value))];
  });
}

function particularOf(incident: Incident): { key: string; value: string; thing: string } {
  switch (incident.kind) {
    case 'service-down':
      return { key: 'service', value: incident.service, thing: 'a running service' };
    case 'disk-full':
      return { key: 'mountpoint', value: incident.mountpoint ?? '', thing: 'a mount point' };
    case 'check-error':
      return { key: 'check', value: incident.check, thing: 'a check' };
    default:
      throw new Error(`every host has what ${incident.kind} is about`);
  }
}
