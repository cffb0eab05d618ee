import { z } from 'zod';
import { DAY_SECONDS, formatDuration, parseDuration, wholeMicroseconds } from '../../kernel/units.ts';
import { type Phase, timelineEndMs } from '../../load/timeline.ts';
import type { Cohort, Incident } from '../../machine/incidents/incident.ts';
import { PROFILE_NAMES } from '../../machine/profiles.ts';
import { oneOf } from '../../notation/expectations.ts';
import { instant, instantOf } from '../../notation/instant.ts';
import { positiveDuration } from '../../notation/quantities.ts';
import { choice, filledText, section } from '../../notation/section.ts';
import { shareOr } from '../../notation/share.ts';
import { CHECK_NAMES } from '../../protocol/shapes/checkdata.ts';

const COHORT = 'a share such as 30% or 0.3, agents by index such as 10..19, or the name of a profile';
const OFFSET = 'a time that the clock is ahead, such as 90s, or behind, such as -5m';

/** The members of the check data that a check of their own stands behind: all but the agent's word on itself. */
const CHECKS = CHECK_NAMES.filter((name) => name !== 'agent') as [string, ...string[]];

const range = z
  .string(COHORT)
  .regex(/^\d{1,8}\.\.\d{1,8}$/, COHORT)
  .transform((text): Cohort => {
    const [first = 0, last = 0] = text.split('..').map(Number);
    return { fromAgent: first, toAgent: last + 1 };
  })
  .refine((cohort) => 'fromAgent' in cohort && cohort.fromAgent < cohort.toAgent, COHORT);

/** Which agents something happens to; both ends of a range are meant. */
const profile = z.enum(PROFILE_NAMES, COHORT).transform((name): Cohort => ({ profile: name }));
const cohort = z.union([shareOr(COHORT).transform((share): Cohort => ({ share })), range, profile], COHORT);

const offset = z
  .string(OFFSET)
  .regex(/^-?(\d+(\.\d+)?(us|ms|s|m|h|d))+$/, OFFSET)
  .transform((text) => {
    const milliseconds = wholeMicroseconds(parseDuration(text.replace('-', '')) ?? 0);
    return (text.startsWith('-') ? -milliseconds : milliseconds) / 1000;
  })
  .refine((seconds) => seconds !== 0 && Math.abs(seconds) <= 365 * DAY_SECONDS, OFFSET);

const when = {
  at: instant.prefault('0s').describe('When it begins: `steady+5s`, or `12s` from the start.'),
  for: positiveDuration.exactOptional().describe('How long it lasts; default: to the end.'),
  cohort: cohort
    .prefault(1)
    .describe('Whom it hits: `30%` of the agents, `10..19` by index, or all of a profile; default: all.'),
};

const INCIDENTS = [
  section({
    do: z.literal('disk-full'),
    mountpoint: filledText.exactOptional().describe('Default: `/`, or `C:` on Windows.'),
    ...when,
  }),
  section({ do: z.literal('cpu-saturated'), ...when }),
  section({ do: z.literal('memory-leak'), ...when }),
  section({ do: z.literal('service-down'), service: filledText.describe('The name of the service.'), ...when }),
  section({
    do: z.literal('clock-skew'),
    offset: offset.describe('How far clocks are ahead; `-5m`: behind.'),
    ...when,
  }),
  section({ do: z.literal('reboot'), ...when }),
  section({ do: z.literal('security-updates-due'), ...when }),
  section({
    do: z.literal('check-error'),
    check: choice(CHECKS).describe('The member of the check data that an error takes the place of.'),
    error: filledText.exactOptional().describe('What it says.'),
    ...when,
  }),
] as const;

const KINDS = INCIDENTS.map((kind) => kind.shape.do.value);

/** Something that goes wrong on a part of the fleet. */
export const incident = z.discriminatedUnion('do', INCIDENTS, {
  error: (issue) => (issue.code === 'invalid_union' ? oneOf(KINDS) : 'an incident such as { do: disk-full, for: 30s }'),
});

export type IncidentFile = z.output<typeof incident>;

/** The incident with times in milliseconds from the run's start; without an end of its own it ends with the run. */
export function incidentOf({ at, for: forMs, ...file }: IncidentFile, phases: readonly Phase[]): Incident {
  const fromMs = instantOf(at, phases);
  const toMs = forMs === undefined ? Math.max(fromMs, timelineEndMs(phases)) : wholeMicroseconds(fromMs + forMs);
  if (file.do === 'clock-skew') {
    return { kind: file.do, offsetSeconds: file.offset, cohort: file.cohort, fromMs, toMs };
  }
  const { do: kind, ...rest } = file;
  return { kind, ...rest, fromMs, toMs } as Incident;
}

/** The section that reads as this incident. */
export function writtenIncident(incident: Incident, phases: readonly Phase[]): Readonly<Record<string, unknown>> {
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

function writtenCohort(cohort: Cohort): string | number {
  if ('share' in cohort) return cohort.share;
  return 'profile' in cohort ? cohort.profile : `${cohort.fromAgent}..${cohort.toAgent - 1}`;
}

function writtenOffset(seconds: number): string {
  return `${seconds < 0 ? '-' : ''}${formatDuration(Math.abs(seconds) * 1000)}`;
}
