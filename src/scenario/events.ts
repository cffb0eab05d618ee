import { z } from 'zod';
import { type Cohort, cohortText, EVERYONE, highestIndex, isStatic } from '../cohorts/cohort.ts';
import { COHORT_FORM, parseCohort } from '../cohorts/parse.ts';
import { type Action, CLONED_PASSWORDS, isHostAction, lasts } from '../events/event.ts';
import { DAY_SECONDS, formatDuration, parseDuration, wholeMicroseconds } from '../kernel/units.ts';
import { type Phase, timelineEndMs } from '../load/timeline.ts';
import { effectOf } from '../machine/estimates.ts';
import type { HostData } from '../machine/host-data.ts';
import { PROFILE_NAMES } from '../machine/profiles.ts';
import { ROLE_NAMES } from '../machine/roles.ts';
import { type Finding, oneOfText, onValue, quoted } from '../notation/finding.ts';
import { instant, instantOf } from '../notation/instant.ts';
import { anyShare, positiveDuration, wholeNumberFrom } from '../notation/quantities.ts';
import { valueAtPath } from '../notation/schema-findings.ts';
import { choice, filledText, section } from '../notation/section.ts';
import { AGENT_VERSIONS } from '../protocol/agent-versions.ts';
import { ATTACK_NAMES, type AttackName } from '../protocol/attacks.ts';
import { CHECK_NAMES } from '../protocol/shapes.ts';
import { incidentsOf, isChosenBy, machineFleetOf } from './agents.ts';
import { lateInstant, type PartialPhases, phaseNames, strangeInstant } from './phases.ts';
import type { PartialList } from './reading/read-part.ts';
import { escaped, fromEnvironment } from './reading/variables.ts';
import type { Scenario, ScenarioEvent } from './scenario.ts';
import { apiKey, serverUrl } from './target.ts';

const NAME = 'a name that starts with a letter and goes on with letters, digits, dashes and underscores';
const OFFSET = 'a time that the clock is ahead, such as 90s, or behind, such as -5m';

/** The members of the check data that a check of their own stands behind: all but the agent's word on itself. */
const CHECKS = CHECK_NAMES.filter((name) => name !== 'agent') as [string, ...string[]];

const KNOWN_VALUES = { profile: PROFILE_NAMES, role: ROLE_NAMES };

/** What a text chooses, for those who ask about a fleet by its profiles and roles. */
export const readCohort = (text: string) => parseCohort(text, KNOWN_VALUES);

/** Which agents something happens to. */
export const cohort = z
  .union(
    [
      z.string(COHORT_FORM).transform((text, context): Cohort => {
        const read = readCohort(text);
        if (read.kind === 'cohort') return read.cohort;
        const { expected, found, candidates, column } = read.mistake;
        const params = { found, candidates, offset: column - 1 };
        context.issues.push({ code: 'custom', message: expected, input: text, params });
        return EVERYONE;
      }),
      wholeNumberFrom(0).transform((agent): Cohort => ({ kind: 'agents', first: agent, last: agent })),
    ],
    COHORT_FORM,
  )
  .meta({
    title: 'cohort',
    description:
      'A part of the fleet: a share, drawn from the seed and the name of the event; agents by their index; or by `profile`, `role`, `host`, `uuid` or `state`, with `*` for any text. Joined by `not`, `and`, `or` and parentheses; docs/cohorts.md has more.',
    examples: ['30%', '10..19', 'role=database and not 0..9', 'profile=windows-* or host=*-de-*', 'state=refused'],
  });

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

// Neither blanks nor braces: thresholds name events.
const eventName = z.string(NAME).regex(/^[A-Za-z][A-Za-z0-9_-]*$/, NAME);

const momentary = {
  name: eventName.exactOptional().meta({
    description: 'Unique among the events. Left out: what it does and its number among those that do so: `reboot-1`.',
    examples: ['cable'],
  }),
  at: instant.prefault('0s').describe('When it begins.'),
  cohort: cohort.prefault('100%').describe('Whom it hits.'),
  sticky: eventName.exactOptional().meta({
    description:
      'A word from which shares are drawn: events with the same one hit the same agents. Left out: the name.',
    examples: ['site-a'],
  }),
  over: positiveDuration.exactOptional().meta({
    description: 'Time in which its agents are hit one after another. Left out: all at once.',
    examples: ['2m'],
  }),
  repeat: section({
    every: positiveDuration.meta({ description: 'From one beginning to the next.', examples: ['5m'] }),
    times: wholeNumberFrom(1, 100).meta({ description: 'How often it happens in all.', examples: [3] }),
  })
    .exactOptional()
    .meta({
      title: 'repetition',
      description: 'How often it happens. Left out: once.',
      examples: [
        { every: '5m', times: 3 },
        { every: '90s', times: 2 },
      ],
    }),
};

const lasting = {
  ...momentary,
  for: positiveDuration
    .exactOptional()
    .meta({ description: 'How long it lasts. Left out: to the end of the run.', examples: ['30s'] }),
};

const EVENTS = [
  section({
    do: z
      .literal('disk-full')
      .describe('A file system has no room left: nothing more is written to its disk, and databases fail.'),
    mountpoint: filledText.exactOptional().meta({
      description: 'Which one. Left out: `/`, on Windows `C:`.',
      examples: ['/', 'C:'],
    }),
    ...lasting,
  }),
  section({ do: z.literal('cpu-saturated').describe('A process takes what the cores have left.'), ...lasting }),
  section({
    do: z
      .literal('memory-leak')
      .describe('The largest program grows until memory is nearly used up, and is started anew at the end.'),
    ...lasting,
  }),
  section({
    do: z
      .literal('service-down')
      .describe('A service has failed and its processes are gone; at the end it is started anew.'),
    service: filledText.meta({ description: 'The name of the service.', examples: ['nginx', 'spooler'] }),
    ...lasting,
  }),
  section({
    do: z.literal('clock-skew').describe("The host's clock is wrong and no longer synchronised."),
    offset: offset.describe('How far it is ahead, or behind.'),
    ...lasting,
  }),
  section({
    do: z
      .literal('reboot')
      .describe('The host goes down at the beginning and is back at the end; it sends nothing between.'),
    ...lasting,
  }),
  section({
    do: z
      .literal('security-updates-due')
      .describe('All security updates come out at the beginning and are installed at the end.'),
    ...lasting,
  }),
  section({
    do: z.literal('check-error').describe('A check fails: an error stands in its place.'),
    check: choice(CHECKS).describe('The member of the check data.'),
    error: filledText.exactOptional().meta({
      description: 'What the error says. Left out: `context deadline exceeded`.',
      examples: ['permission denied'],
    }),
    ...lasting,
  }),
  section({
    do: z.literal('disconnect').describe('Agents have no network: their connections die, and none can be made.'),
    ...lasting,
  }),
  section({
    do: z
      .literal('restart')
      .describe("The agent's process begins anew: with a check run of its own, from which its cadences count."),
    ...momentary,
  }),
  section({
    do: z.literal('stop').describe("The agent's process is ended, and started again at the end."),
    ...lasting,
  }),
  section({
    do: z
      .literal('lose-password')
      .describe('The password is gone from the disk and the uuid is not; the process begins anew and registers.'),
    ...momentary,
  }),
  section({
    do: z
      .literal('new-identity')
      .describe('The agent begins anew with another uuid: the one before stays behind on the server.'),
    ...momentary,
  }),
  section({
    do: z
      .literal('clone')
      .describe('Agents begin anew with the uuid of another, as copies of its host; at the end with their own again.'),
    original: wholeNumberFrom(0)
      .exactOptional()
      .meta({
        description: 'Index of the agent whose copies they are. Left out: the first one of the cohort.',
        examples: [0],
      }),
    password: choice(CLONED_PASSWORDS)
      .default('shared')
      .describe('What copies know: the password of the original, another one, or none yet.'),
    ...lasting,
  }),
  section({
    do: z
      .literal('upgrade')
      .describe('Another version of the agent is installed and begins anew; at the end the one before.'),
    version: choice(AGENT_VERSIONS).meta({ description: 'The version that is installed.', examples: ['3.4.0'] }),
    ...lasting,
  }),
  section({
    do: z
      .literal('retarget')
      .describe('The configuration names another server or API key until the end, and agents begin anew with it.'),
    url: serverUrl.exactOptional().meta({
      description:
        'Base URL of the other server, which has to be allowed like the target. Left out: that of the target.',
      examples: ['http://127.0.0.1:8081'],
    }),
    apiKey: apiKey.exactOptional().meta({
      description: 'The other API key. Left out: that of the target.',
      examples: ['${MUSTER_OTHER_API_KEY:-}'],
    }),
    ...lasting,
  }),
  section({
    do: z
      .literal('synchronise')
      .describe('All check runs are over at once and all cadences count from there: the agents come as a herd.'),
    ...momentary,
  }),
  section({
    do: z
      .literal('scale')
      .describe(
        'Only a part of the cohort is up; the processes of the others are ended, and started again at the end.',
      ),
    to: anyShare.describe('How much of the cohort is up.'),
    ...lasting,
  }),
  section({
    do: z
      .literal('misbehave')
      .describe(
        'In place of all that they would send, registered agents attack the server, each time that check data are due.',
      ),
    how: choice(ATTACK_NAMES as [AttackName, ...AttackName[]]).describe(
      'The attack; docs/hostile-agents.md says what each does and what a good server does.',
    ),
    ...lasting,
  }),
] as const;

const KINDS = EVENTS.map((kind) => kind.shape.do.value);

/** Something that happens to a part of the fleet. */
const event = z
  .discriminatedUnion('do', EVENTS, {
    error: (issue) =>
      issue.code === 'invalid_union' ? oneOfText(KINDS) : 'an event such as { do: disconnect, for: 30s }',
  })
  .describe('Something that happens to a part of the fleet.');

type EventFile = z.output<typeof event>;

/** The section `events`. */
export const events = z
  .array(event, 'a list of events')
  .max(100, 'at most 100 events')
  .prefault([])
  .meta({
    description: 'What happens to parts of the fleet, to hosts and to agents, and when; up to 100.',
    examples: [
      [
        { do: 'disconnect', name: 'cable', at: 'steady+5s', for: '5s', cohort: '30%' },
        { do: 'service-down', service: 'nginx', at: '1m', cohort: 'role=web and not 0..9' },
        { do: 'reboot', at: '2m', for: '90s', cohort: 'profile=windows-*', over: '5m' },
      ],
    ],
  });

/** Events with times in milliseconds from the run's start; those without an end of their own end with the run. */
export function eventsOf(files: z.output<typeof events>, phases: readonly Phase[]): readonly ScenarioEvent[] {
  const names = namesOf(files);
  return files.map((file, index) => eventOf(file, names[index] ?? '', phases));
}

/** The name of each; those without one are called by what they do, and counted with all that do so. */
function namesOf(files: readonly (Partial<EventFile> | undefined)[]): readonly string[] {
  return files.map((file, index) => {
    const number = files.slice(0, index + 1).filter((other) => other?.do === file?.do).length;
    return file?.name ?? `${file?.do}-${number}`;
  });
}

function eventOf(file: EventFile, name: string, phases: readonly Phase[]): ScenarioEvent {
  const { at, cohort, sticky, over, repeat } = file;
  const fromMs = instantOf(at, phases);
  const action = actionOf(file);
  return {
    ...{ name, cohort, fromMs, toMs: endOf(file, fromMs, phases), overMs: over ?? 0, action },
    ...(sticky !== undefined && { sticky }),
    ...(repeat !== undefined && { repeat: { everyMs: repeat.every, times: repeat.times } }),
  };
}

function endOf(file: EventFile, fromMs: number, phases: readonly Phase[]): number {
  if (!lasts({ kind: file.do })) return fromMs;
  const forMs = 'for' in file ? file.for : undefined;
  return forMs === undefined ? Math.max(fromMs, timelineEndMs(phases)) : wholeMicroseconds(fromMs + forMs);
}

function actionOf(file: EventFile): Action {
  if (file.do === 'clock-skew') return { kind: file.do, offsetSeconds: file.offset };
  if (file.do === 'scale') return { kind: file.do, share: file.to };
  const { do: kind, ...rest } = file;
  const own = Object.entries(rest).filter(([key]) => !(key in lasting));
  return { kind, ...Object.fromEntries(own) } as Action;
}

/** The list that reads as these events; the API keys in it are asked of the environment. */
export function writtenEvents(events: readonly ScenarioEvent[], phases: readonly Phase[]): readonly object[] {
  return events.map((event) => writtenEvent(event, phases));
}

function writtenEvent(event: ScenarioEvent, phases: readonly Phase[]): object {
  const { name, action, cohort, fromMs, toMs, sticky, overMs, repeat } = event;
  const isToTheEnd = toMs === Math.max(fromMs, timelineEndMs(phases)) || !lasts(action);
  return {
    ...{ name, do: action.kind, ...writtenAction(event) },
    at: formatDuration(fromMs),
    ...(!isToTheEnd && { for: formatDuration(toMs - fromMs) }),
    ...escaped({ cohort: cohortText(cohort) }),
    ...(sticky !== undefined && { sticky }),
    ...(overMs > 0 && { over: formatDuration(overMs) }),
    ...(repeat !== undefined && { repeat: { every: formatDuration(repeat.everyMs), times: repeat.times } }),
  };
}

function writtenAction({ name, action }: ScenarioEvent): object {
  const { kind, ...own } = action;
  switch (action.kind) {
    case 'clock-skew':
      return { offset: writtenOffset(action.offsetSeconds) };
    case 'scale':
      return { to: action.share };
    case 'retarget':
      return {
        ...(action.url !== undefined && escaped({ url: action.url })),
        ...(action.apiKey !== undefined && { apiKey: fromEnvironment(keyVariable(name)) }),
      };
    default:
      return escaped(own);
  }
}

/** The variable that an effective scenario asks for the API key of an event: `MUSTER_API_KEY_ROLL_OUT`. */
function keyVariable(name: string): string {
  return `MUSTER_API_KEY_${name.toUpperCase().replaceAll('-', '_')}`;
}

function writtenOffset(seconds: number): string {
  return `${seconds < 0 ? '-' : ''}${formatDuration(Math.abs(seconds) * 1000)}`;
}

export type PartialEvents = PartialPhases & { readonly events?: PartialList<EventFile> };

/** The names of its events. */
export function eventNames({ events = [] }: PartialEvents): readonly string[] {
  return namesOf(events);
}

/** What is wrong with events beside each other, the phases and the fleet. */
export function eventFindings(file: PartialEvents, raw: unknown): readonly Finding[] {
  const phases = phaseNames(file);
  const names = eventNames(file);
  const agents = file.fleet?.agents ?? Number.POSITIVE_INFINITY;
  return (file.events ?? []).flatMap((event, index) => {
    if (event === undefined) return [];
    const path = ['events', index];
    const findings = [
      ...strangeInstant([...path, 'at'], event.at, phases),
      ...(names.indexOf(names[index] ?? '') < index ? [sameName(path, names[index] ?? '')] : []),
      ...strangeCohort(path, event, { agents, found: String(valueAtPath(raw, [...path, 'cohort'])) }),
      ...strangeRepetition(path, event),
    ];
    const isEmpty = event.do === 'retarget' && !('url' in event) && !('apiKey' in event);
    // A key that could not be read is there all the same.
    const written = Object.keys((valueAtPath(raw, path) ?? {}) as object);
    const lacks = isEmpty && !written.includes('url') && !written.includes('apiKey');
    return lacks ? [...findings, onValue(path, 'url or apiKey, or both', 'neither')] : findings;
  });
}

type Path = readonly (string | number)[];

function sameName(path: Path, name: string): Finding {
  return onValue([...path, 'name'], 'a name that no other event has', quoted(name));
}

function strangeCohort(
  path: Path,
  { do: kind, cohort, ...event }: Partial<EventFile>,
  { agents, found }: { readonly agents: number; readonly found: string },
): readonly Finding[] {
  const beyond = `agents from 0 to ${agents - 1}, those of this fleet`;
  const { original = 0 } = event as { readonly original?: number };
  const strange = original < agents ? [] : [onValue([...path, 'original'], beyond, String(original))];
  if (cohort === undefined) return strange;
  if (highestIndex(cohort) >= agents) return [...strange, onValue([...path, 'cohort'], beyond, quoted(found))];
  if (kind === undefined || isStatic(cohort) || !isHostAction({ kind } as Action)) return strange;
  const expected = `a cohort without state=, as ${kind} happens to hosts, which are what they are whatever the server says`;
  return [...strange, onValue([...path, 'cohort'], expected, quoted(found))];
}

function strangeRepetition(path: Path, event: Partial<EventFile>): readonly Finding[] {
  const { repeat, over = 0, do: kind } = event;
  if (repeat === undefined || kind === undefined) return [];
  const forMs = 'for' in event ? event.for : undefined;
  if (lasts({ kind }) && forMs === undefined)
    return [onValue(path, 'for beside repeat, as it lasts to the end of the run otherwise', 'repeat without for')];
  const lastsMs = (forMs ?? 0) + over;
  if (repeat.every >= lastsMs) return [];
  const expected = `at least the ${formatDuration(lastsMs)} that it takes for all its agents`;
  return [onValue([...path, 'repeat', 'every'], expected, formatDuration(repeat.every))];
}

/** Events that come to nothing: the run is over before them, or there is nothing that they are about. */
export function idleEvents(scenario: Scenario, data: HostData): readonly Finding[] {
  const fleet = { ...machineFleetOf(scenario, data), agents: scenario.fleet.agents };
  return scenario.events.flatMap((event, index) => {
    const path = ['events', index];
    const late = [
      ...lateInstant([...path, 'at'], event.fromMs, scenario.phases),
      ...lateRepetition(path, event, scenario),
    ];
    const [incident] = incidentsOf([event], scenario.fleet);
    if (!isChosenBy(event, scenario.fleet, 1))
      return [...late, onValue([...path, 'cohort'], 'a cohort with an agent in it', 'none in it')];
    const isCopied = event.action.kind === 'clone' && event.action.original === undefined;
    if (isCopied && !isChosenBy(event, scenario.fleet, 2))
      return [...late, onValue([...path, 'cohort'], 'a cohort with two agents or more', 'one alone')];
    if (incident === undefined || effectOf(fleet, incident) === 'felt') return late;
    const { key, value, thing } = particularOf(event.action);
    return [...late, onValue([...path, key], `${thing} that an agent of the cohort has`, quoted(value))];
  });
}

function lateRepetition(path: Path, { fromMs, repeat }: ScenarioEvent, { phases }: Scenario): readonly Finding[] {
  const endMs = timelineEndMs(phases);
  if (repeat === undefined || fromMs >= endMs) return [];
  const most = Math.ceil((endMs - fromMs) / repeat.everyMs);
  if (repeat.times <= most) return [];
  const expected = `at most ${most}, as the run ends at ${formatDuration(endMs)}`;
  return [onValue([...path, 'repeat', 'times'], expected, `the number ${repeat.times}`)];
}

function particularOf(action: Action): { key: string; value: string; thing: string } {
  switch (action.kind) {
    case 'service-down':
      return { key: 'service', value: action.service, thing: 'a running service' };
    case 'disk-full':
      return { key: 'mountpoint', value: action.mountpoint ?? '', thing: 'a mount point' };
    case 'check-error':
      return { key: 'check', value: action.check, thing: 'a check' };
    default:
      throw new Error(`every host has what ${action.kind} is about`);
  }
}
