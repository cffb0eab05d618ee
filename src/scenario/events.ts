import { z } from 'zod';
import { DAY_SECONDS, DURATION_PATTERN, exactSum, formatDuration, millisecondsIn } from '../base/kernel/units.ts';
import { type Finding, oneOfText } from '../base/notation/finding.ts';
import { fromStart, instant, instantOf } from '../base/notation/instant.ts';
import { type PartRead, readPart, writePart } from '../base/notation/parts.ts';
import { positiveDuration, share, wholeNumberFrom } from '../base/notation/quantities.ts';
import { choice, filledText, plainName, section, textLike } from '../base/notation/section.ts';
import { AGENT_VERSIONS } from '../base/protocol/agent-versions.ts';
import { ATTACK_NAMES } from '../base/protocol/attacks.ts';
import { CHECK_NAMES } from '../base/protocol/checks.ts';
import { PROFILE_NAMES, RECORDING, ROLE_NAMES } from '../hosts/profiles.ts';
import { type Cohort, cohortText } from '../load/cohorts/cohort.ts';
import { COHORT_FORM, parseCohort } from '../load/cohorts/parse.ts';
import { type Action, CLONED_PASSWORDS, DISCONNECTIONS, type FleetEvent, lasts } from '../load/events/event.ts';
import { type Phase, timelineEndMs } from '../load/timeline.ts';
import { secretText } from './reading/variables.ts';
import { apiKey } from './target.ts';
import { serverUrl } from './url-schemas.ts';

const OFFSET = 'a clock offset, ahead such as 90s or behind such as -5m';

/** Members of the check data that come from a check: all but `agent`, which the agent writes about itself. */
const CHECKS = CHECK_NAMES.filter((name) => name !== 'agent') as [string, ...string[]];

const KNOWN_VALUES = { profile: [...PROFILE_NAMES, `${RECORDING}*`], role: ROLE_NAMES };

/** Parses a cohort whose profiles and roles must exist. */
export const readCohort = (text: string) => parseCohort(text, KNOWN_VALUES);

const cohortNotation = z.union([z.string(COHORT_FORM), wholeNumberFrom(0)], COHORT_FORM).meta({
  title: 'cohort',
  description:
    'A part of the fleet: a share, drawn from the seed and the name of the event; agents by index; or by `profile`, `role`, `group`, `host`, `uuid` or `state`, with `*` for any text. Combine with `not`, `and`, `or` and parentheses, see docs/reference/cohorts.md.',
  examples: ['30%', '10..19', 'role=database and not 0..9', 'profile=windows-* or host=*-de-*', 'state=refused'],
});

/** The agents that an event affects. */
export const cohort = z.codec(cohortNotation, z.custom<Cohort>(), {
  decode: (file, { issues }) => {
    if (typeof file === 'number') return { kind: 'agents' as const, first: file, last: file };
    const read = readCohort(file);
    if (read.kind === 'cohort') return read.cohort;
    const { expected, found, candidates, column } = read.mistake;
    issues.push({ code: 'custom', message: expected, input: file, params: { found, candidates, offset: column - 1 } });
    return z.NEVER;
  },
  encode: cohortText,
});

export const offset = z
  .codec(textLike(new RegExp(`^-?${DURATION_PATTERN}$`), OFFSET), z.number(OFFSET), {
    decode: (text) => ((text.startsWith('-') ? -1 : 1) * millisecondsIn(text.replace('-', ''))) / 1000,
    encode: (seconds) => `${seconds < 0 ? '-' : ''}${formatDuration(Math.abs(seconds) * 1000)}`,
  })
  .refine((seconds) => seconds !== 0 && Math.abs(seconds) <= 365 * DAY_SECONDS, OFFSET)
  .meta({
    title: 'offset',
    description: 'Positive if a clock is ahead.',
    examples: ['90s', '-5m'],
  });

const momentary = {
  name: plainName.exactOptional().meta({
    description: 'Unique among the events. Left out: its kind and a number, such as `reboot-1`.',
    examples: ['cable'],
  }),
  at: instant.prefault('0s').describe('When the event starts, at most `10000d`.'),
  cohort: cohort.prefault('100%').describe('Agents that the event hits.'),
  sticky: plainName.exactOptional().meta({
    description:
      'Word that draws the agents of a share: events with the same word hit the same agents. Left out: the name.',
    examples: ['site-a'],
  }),
  over: positiveDuration.exactOptional().meta({
    description: 'Time over which the event hits its agents one after another. Left out: all at the same time.',
    examples: ['2m'],
  }),
  repeat: section({
    every: positiveDuration.meta({ description: 'Time from one start to the next.', examples: ['5m'] }),
    times: wholeNumberFrom(1, 100)
      .exactOptional()
      .meta({ description: 'How many times it happens. Left out: until the run ends.', examples: [3] }),
  })
    .exactOptional()
    .meta({
      title: 'repetition',
      description: 'Repeats the event. Left out: it happens once.',
      examples: [{ every: '5m', times: 3 }, { every: '7d' }],
    }),
};

const lasting = {
  ...momentary,
  for: positiveDuration
    .exactOptional()
    .meta({ description: 'How long the event lasts. Left out: to the end of the run.', examples: ['30s'] }),
};

function kind<const Name extends string, Keys extends z.core.$ZodLooseShape>(
  name: Name,
  description: string,
  keys: Keys,
) {
  return section({ do: z.literal(name).describe(description), ...keys });
}

const EVENTS = [
  kind('disk-full', 'A file system is full: writes to it stop, and databases fail.', {
    mountpoint: filledText.exactOptional().meta({
      description: 'Mount point. Left out: `/`, on Windows `C:`.',
      examples: ['/', 'C:'],
    }),
    ...lasting,
  }),
  kind('cpu-saturated', 'A process uses all idle CPU time.', lasting),
  kind('memory-leak', 'The largest program grows until memory is nearly full; it restarts at the end.', lasting),
  kind(
    'service-down',
    'A service fails and its processes exit; it restarts at the end. Hosts without the service are not hit.',
    {
      service: filledText.meta({ description: 'Name of the service.', examples: ['nginx', 'spooler'] }),
      ...lasting,
    },
  ),
  kind('clock-skew', 'The clock of the host is wrong and no longer synchronized.', {
    offset: offset.describe('How far the clock is ahead or behind.'),
    ...lasting,
  }),
  kind('reboot', 'The host shuts down at the start and boots at the end.', lasting),
  kind(
    'security-updates-due',
    'All security updates become available at the start and are installed at the end.',
    lasting,
  ),
  kind('check-error', 'A check fails; its result is an error.', {
    check: choice(CHECKS).describe('Member of the check data.'),
    error: filledText.exactOptional().meta({
      description: 'Text of the error. Left out: `context deadline exceeded`.',
      examples: ['permission denied'],
    }),
    ...lasting,
  }),
  kind('disconnect', 'Agents have no network: their connections break, and new ones fail.', {
    how: choice(DISCONNECTIONS)
      .default('reset')
      .describe('Whether the server sees connections close, or keeps them open as after a pulled cable.'),
    ...lasting,
  }),
  kind('restart', 'The agent process restarts with a check run, which also restarts its cadences.', momentary),
  kind('stop', 'The agent process stops until the end.', lasting),
  kind('lose-password', 'The agent loses its password, restarts and registers.', momentary),
  kind(
    'register-again',
    'The agent forgets its password and registers, if the server no longer accepts it.',
    momentary,
  ),
  kind('new-identity', 'The agent restarts with a new UUID; the old one remains on the server.', momentary),
  kind('clone', 'Agents restart with the UUID of another agent, at the end with their own.', {
    original: wholeNumberFrom(0)
      .exactOptional()
      .meta({
        description: 'Index of the agent to clone. Left out: the first agent of the cohort.',
        examples: [0],
      }),
    password: choice(CLONED_PASSWORDS)
      .default('shared')
      .describe('What clones have: the password of the original, a wrong password, or none.'),
    ...lasting,
  }),
  kind('upgrade', 'Agents restart with another version, at the end with the old one.', {
    version: choice(AGENT_VERSIONS).meta({ description: 'Version to install.', examples: ['3.4.0'] }),
    ...lasting,
  }),
  kind('retarget', 'Agents restart with another server or API key, at the end with the old ones.', {
    url: serverUrl.exactOptional().meta({
      description: 'Base URL of the other server; allow it like the target. Left out: the target.',
      examples: ['http://127.0.0.1:8081'],
    }),
    apiKey: apiKey.exactOptional().meta({
      description: 'Other API key. Left out: that of the target.',
      examples: ['${MUSTER_OTHER_API_KEY:-}'],
    }),
    ...lasting,
  }),
  kind('synchronize', 'All agents finish a check run at the same time and restart their cadences.', momentary),
  kind('scale', 'Only part of the cohort stays up until the end.', {
    to: share('Share of the cohort that stays up.'),
    ...lasting,
  }),
  kind('misbehave', 'Registered agents attack the server each time check data is due, and send nothing else.', {
    how: choice(ATTACK_NAMES).describe('Kind of attack; see docs/how-to/hostile-agents.md.'),
    ...lasting,
  }),
  kind('end', 'Ends another event for good.', {
    event: plainName.meta({ description: 'Name of the event.', examples: ['cable'] }),
    at: instant.prefault('0s').describe('When the event ends, at most `10000d`.'),
  }),
] as const;

export const KINDS = EVENTS.map((kind) => kind.shape.do.value);

const entry = z
  .discriminatedUnion('do', EVENTS, {
    error: (issue) =>
      issue.code === 'invalid_union' ? oneOfText(KINDS) : 'an event such as { do: disconnect, for: 30s }',
  })
  .describe('An event that affects part of the fleet.');

export type EntryFile = z.output<typeof entry>;

/** An event as written: any entry except `end`. */
export type EventFile = Exclude<EntryFile, { readonly do: 'end' }>;

/** Maximum number of entries in a list, including `end`. The events file of a fleet collects entries for months. */
export const MAX_EVENTS = 10_000;

/** The section `events`. A file name in its place has been replaced with the list in that file. */
export const events = z
  .array(entry, 'a list of events, or a file with one')
  .max(MAX_EVENTS, `at most ${MAX_EVENTS} events`)
  .prefault([])
  .meta({
    description:
      'Events that affect hosts and agents, up to 10,000; or a file with such a list, relative to this file.',
    examples: [
      [
        { do: 'disconnect', name: 'cable', at: 'steady+5s', for: '5s', cohort: '30%' },
        { do: 'service-down', service: 'nginx', at: '1m', cohort: 'role=web and not 0..9' },
        { do: 'reboot', at: '2m', for: '90s', cohort: 'profile=windows-*', over: '5m' },
      ],
    ],
  });

/** Events after further entries have added or ended some, in milliseconds from the start of the run; by default, they end with it. */
export function withEntries(
  events: readonly FleetEvent[],
  entries: readonly EntryFile[],
  phases: readonly Phase[],
): readonly FleetEvent[] {
  const names = namesOf(entries);
  const ends = new Map<string, number>();
  for (const entry of entries) {
    if (entry.do !== 'end') continue;
    const { event, at } = entry;
    ends.set(event, Math.min(instantOf(at, phases), ends.get(event) ?? Number.POSITIVE_INFINITY));
  }
  const added = entries.flatMap((entry, index) =>
    entry.do === 'end' ? [] : [eventOf(entry, names[index] ?? '', phases)],
  );
  return [...events, ...added].map((event) => {
    const untilMs = Math.min(...[ends.get(event.name), event.untilMs].filter((ms) => ms !== undefined));
    return Number.isFinite(untilMs) ? { ...event, untilMs } : event;
  });
}

/** Reads entries in the form of `events:`. Findings contain no API key, because messages end up in logs. */
export function readEntries(raw: unknown): PartRead {
  const { value, findings } = readPart(events, raw);
  const isKey = ({ path, focus }: Finding): boolean => focus === 'value' && path.at(-1) === 'apiKey';
  return { value, findings: findings.map((one) => (isKey(one) ? { ...one, found: 'something else' } : one)) };
}

/** The name of each entry; by default, its kind and number within the kind, such as `reboot-1`. `undefined` for `end`. */
export function namesOf(files: readonly (Partial<EntryFile> | undefined)[]): readonly (string | undefined)[] {
  const counts = new Map<string | undefined, number>();
  return files.map((file) => {
    if (file?.do === 'end') return undefined;
    const number = (counts.get(file?.do) ?? 0) + 1;
    counts.set(file?.do, number);
    return (file as Partial<EventFile> | undefined)?.name ?? `${file?.do}-${number}`;
  });
}

function eventOf(file: EventFile, name: string, phases: readonly Phase[]): FleetEvent {
  const { at, cohort, sticky, over, repeat } = file;
  const fromMs = instantOf(at, phases);
  const action = actionOf(file);
  return {
    name,
    cohort,
    fromMs,
    toMs: endOf(file, fromMs, phases),
    overMs: over ?? 0,
    action,
    ...(sticky !== undefined && { sticky }),
    ...(repeat !== undefined && { repeat: { everyMs: repeat.every, times: repeat.times ?? Number.POSITIVE_INFINITY } }),
  };
}

function endOf(file: EventFile, fromMs: number, phases: readonly Phase[]): number {
  if (!lasts({ kind: file.do })) return fromMs;
  const forMs = 'for' in file ? file.for : undefined;
  return forMs === undefined ? Math.max(fromMs, timelineEndMs(phases)) : exactSum(fromMs + forMs);
}

function actionOf(file: EventFile): Action {
  if (file.do === 'clock-skew') return { kind: file.do, offsetSeconds: file.offset };
  if (file.do === 'scale') return { kind: file.do, share: file.to };
  const { do: kind, ...rest } = file;
  const own = Object.entries(rest).filter(([key]) => !(key in lasting));
  return { kind, ...Object.fromEntries(own) } as Action;
}

/** Formats events as a list for a scenario file; API keys become references. */
export function serializeEvents(all: readonly FleetEvent[], phases: readonly Phase[]): readonly object[] {
  return all.flatMap((event) => [
    serializeEvent(event, phases),
    ...(event.untilMs === undefined ? [] : [serializeEnd(event.name, event.untilMs)]),
  ]);
}

export function serializeEnd(event: string, atMs: number): object {
  return writePart(entry, { do: 'end', event, at: fromStart(atMs) }) as object;
}

export function serializeEvent(event: FleetEvent, phases: readonly Phase[]): object {
  const { name, action, cohort, fromMs, toMs, sticky, overMs, repeat } = event;
  const isToTheEnd = toMs === Math.max(fromMs, timelineEndMs(phases)) || !lasts(action);
  return writePart(entry, {
    name,
    do: action.kind satisfies EventFile['do'],
    ...actionFile(event),
    at: fromStart(fromMs),
    for: isToTheEnd ? undefined : toMs - fromMs,
    cohort,
    sticky,
    over: overMs || undefined,
    repeat: repeat && { every: repeat.everyMs, times: Number.isFinite(repeat.times) ? repeat.times : undefined },
  }) as object;
}

function actionFile({ name, action }: FleetEvent): object {
  const { kind, ...own } = action;
  switch (action.kind) {
    case 'clock-skew':
      return { offset: action.offsetSeconds };
    case 'scale':
      return { to: action.share };
    case 'retarget': {
      // The environment variable for the key in an effective scenario, such as `MUSTER_API_KEY_ROLL_OUT`.
      const variable = `MUSTER_API_KEY_${name.toUpperCase().replaceAll('-', '_')}`;
      return { ...own, ...(action.apiKey !== undefined && { apiKey: secretText(variable, action.apiKey) }) };
    }
    default:
      return own;
  }
}
