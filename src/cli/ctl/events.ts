import { parse } from 'yaml';
import { UserError } from '../../base/kernel/errors.ts';
import { counted } from '../../base/kernel/units.ts';
import type { DoneAnswer, EventAnswer, FleetAnswer } from '../../staging/control-api/schemas.ts';
import { argumentOf, assertMeant, type CtlRequest, show } from './request.ts';
import { doneText, eventsText } from './texts.ts';

// The commands about events: events, do, end and scale.

type EventsAnswer = { readonly events: readonly EventAnswer[] };
type EndAnswer = { readonly name: string; readonly at: string | null; readonly count: number };

export async function showEvents(request: CtlRequest): Promise<void> {
  const answer = await request.client.get<EventsAnswer>('/api/v1/events');
  show(answer, request, ({ events }, columns) => eventsText(events, columns));
}

const ENTRY_FLAGS = ['cohort', 'at', 'for', 'over', 'name', 'sticky'] as const;

export async function doEvent(request: CtlRequest): Promise<void> {
  const { flags } = request;
  const kind = argumentOf(request, 'an event kind, such as muster ctl do restart --cohort 10%');
  const keys = ENTRY_FLAGS.flatMap((flag) => (flags[flag] === undefined ? [] : [[flag, flags[flag]] as const]));
  const entry = { do: kind, ...Object.fromEntries(keys), ...furtherKeys(flags.set ?? []) };
  if (!isDry(request) && !isSized(flags.cohort)) {
    const { event, hits } = await request.client.post<DoneAnswer>('/api/v1/events?dryRun=true', entry);
    await assertMeant(event.name, hits.count, request);
  }
  await addEvent(entry, request);
}

/** Whether the cohort was chosen by its size. */
function isSized(cohort: string | undefined): boolean {
  return cohort !== undefined && /^(all|\d+(\.\d+)?%)$/.test(cohort.trim());
}

function isDry({ flags }: CtlRequest): boolean {
  return flags['dry-run'] === true;
}

async function addEvent(entry: object, request: CtlRequest): Promise<void> {
  const query = isDry(request) ? '?dryRun=true' : '';
  const done = await request.client.post<DoneAnswer>(`/api/v1/events${query}`, entry);
  show(done, request, (answer) => doneText(answer, isDry(request)));
}

/** Ends an event, or with `isTrial` only tells for how many agents it would. */
async function end(name: string, { client }: CtlRequest, isTrial: boolean): Promise<EndAnswer> {
  return await client.end<EndAnswer>(`/api/v1/events/${encodeURIComponent(name)}${isTrial ? '?dryRun=true' : ''}`);
}

/** Parses `how=slow` and `repeat.every=5m`. Throws `UserError` for any other form. */
function furtherKeys(texts: readonly string[]): object {
  const keys: Record<string, unknown> = {};
  for (const text of texts) {
    const [, path = '', value = ''] = /^([A-Za-z.]+)=(.*)$/s.exec(text) ?? [];
    const [key = '', inner, ...deeper] = path.split('.');
    if (key === '' || inner === '' || deeper.length > 0)
      throw new UserError(
        `--set: expected key=value such as version=3.4.0 or repeat.every=5m, found ${JSON.stringify(text)}`,
      );
    const parsed: unknown = parse(value);
    keys[key] = inner === undefined ? parsed : { ...(keys[key] as object | undefined), [inner]: parsed };
  }
  return keys;
}

export async function endNamedEvent(request: CtlRequest): Promise<void> {
  const name = argumentOf(request, 'the name of an event from muster ctl events');
  const ended = await end(name, request, isDry(request));
  const verb = isDry(request) ? 'would end; it is' : 'ended; it was';
  show(ended, request, ({ count }) => `${name} ${verb} in progress for ${counted(count, 'agent')}`);
}

/** Only the latest `scale` of the whole fleet applies: earlier ones are ended. */
export async function scaleFleet(request: CtlRequest): Promise<void> {
  const { client, flags } = request;
  const { over } = flags;
  const { share, isShare } = await shareToKeep(request);
  const { events } = await client.get<EventsAnswer>('/api/v1/events');
  const before = events.filter((event) => event.do === 'scale' && event.cohort === '100%' && event.status !== 'over');
  const entry = { do: 'scale', to: share, ...(over !== undefined && { over }) };
  if (!isDry(request) && !isShare) {
    const { hits } = await client.post<DoneAnswer>('/api/v1/events?dryRun=true', entry);
    await assertMeant(`scale ${flags.of}`, hits.count - (await stoppedBy(before, request)), request);
  }
  await addEvent(entry, request);
  if (isDry(request)) return;
  for (const { name } of before) await end(name, request, false);
}

/** Number of agents that the latest of these events keeps down; a smaller share is part of a larger one. */
async function stoppedBy(scalings: readonly EventAnswer[], request: CtlRequest): Promise<number> {
  const latest = scalings.findLast(({ status }) => status === 'under-way');
  return latest === undefined ? 0 : (await end(latest.name, request, true)).count;
}

async function shareToKeep(request: CtlRequest): Promise<{ readonly share: number; readonly isShare: boolean }> {
  const text = argumentOf(request, 'how many agents to keep up, such as muster ctl scale 800 or muster ctl scale 80%');
  const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(text) ?? [];
  if (percent !== undefined && Number(percent) <= 100) return { share: Number(percent) / 100, isShare: true };
  const { agents } = await request.client.get<FleetAnswer>('/api/v1/fleet');
  if (/^\d+$/.test(text) && Number(text) <= agents.total) return { share: Number(text) / agents.total, isShare: false };
  throw new UserError(
    `scale: expected a share such as 80%, or a number of agents up to ${agents.total}, found ${JSON.stringify(text)}`,
  );
}
