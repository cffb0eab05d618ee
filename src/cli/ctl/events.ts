import { parse } from 'yaml';
import { UserError } from '../../base/kernel/errors.ts';
import { counted } from '../../base/kernel/units.ts';
import type { DoneAnswer, EventAnswer, FleetAnswer } from '../../staging/control-api/schemas.ts';
import type { CtlFlags } from '../commands/ctl.ts';
import { assertMeant, type CtlRequest, show } from './request.ts';
import { doneText, eventsText } from './texts.ts';

// The commands about events: events, do, end and scale.

type EventsAnswer = { readonly events: readonly EventAnswer[] };
type EndAnswer = { readonly name: string; readonly at: string | null; readonly count: number };

export async function showEvents(request: CtlRequest<CtlFlags<'events'>>): Promise<void> {
  const answer = await request.client.get<EventsAnswer>('/api/v1/events');
  show(answer, request, ({ events }, columns) => eventsText(events, columns));
}

const ENTRY_FLAGS = ['cohort', 'at', 'for', 'over', 'name', 'sticky'] as const;

export async function doEvent(request: CtlRequest<CtlFlags<'do'>>): Promise<void> {
  const { client, flags } = request;
  const keys = ENTRY_FLAGS.flatMap((flag) => (flags[flag] === undefined ? [] : [[flag, flags[flag]] as const]));
  const entry = { do: flags.kind, ...Object.fromEntries(keys), ...furtherKeys(flags.set ?? []) };
  if (!flags['dry-run'] && !isSized(flags.cohort)) {
    const { event, hits } = await client.post<DoneAnswer>('/api/v1/events?dryRun=true', entry);
    const remedy = 'expected --cohort all, a share, or --yes, found none of them';
    await assertMeant({ name: event.name, agents: hits.count, remedy }, request);
  }
  await addEvent(entry, request);
}

/** Whether the cohort was chosen by its size. */
function isSized(cohort: string | undefined): boolean {
  return cohort !== undefined && /^(all|\d+(\.\d+)?%)$/.test(cohort.trim());
}

async function addEvent(entry: object, request: CtlRequest<CtlFlags<'do' | 'scale'>>): Promise<void> {
  const isDry = request.flags['dry-run'];
  const done = await request.client.post<DoneAnswer>(`/api/v1/events${isDry ? '?dryRun=true' : ''}`, entry);
  show(done, request, (answer) => doneText(answer, isDry));
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

export async function endNamedEvent(request: CtlRequest<CtlFlags<'end'>>): Promise<void> {
  const { event: name, 'dry-run': isDry } = request.flags;
  const ended = await end(name, request, isDry);
  const verb = isDry ? 'would end; it is' : 'ended; it was';
  show(ended, request, ({ count }) => `${name} ${verb} in progress for ${counted(count, 'agent')}`);
}

/** Only the latest `scale` of the whole fleet applies: earlier ones are ended. */
export async function scaleFleet(request: CtlRequest<CtlFlags<'scale'>>): Promise<void> {
  const { client, flags } = request;
  const { agents: size, over } = flags;
  const { share, isShare } = await shareToKeep(size, request);
  const { events } = await client.get<EventsAnswer>('/api/v1/events');
  const before = events.filter((event) => event.do === 'scale' && event.cohort === '100%' && event.status !== 'over');
  const entry = { do: 'scale', to: share, ...(over !== undefined && { over }) };
  if (!flags['dry-run'] && !isShare) {
    const { hits } = await client.post<DoneAnswer>('/api/v1/events?dryRun=true', entry);
    const agents = hits.count - (await stoppedBy(before, request));
    const remedy = 'expected a share such as 10%, or --yes, found a number of agents';
    await assertMeant({ name: `scale ${size}`, agents, remedy }, request);
  }
  await addEvent(entry, request);
  if (flags['dry-run']) return;
  for (const { name } of before) await end(name, request, false);
}

/** Number of agents that the latest of these events keeps down; a smaller share is part of a larger one. */
async function stoppedBy(scalings: readonly EventAnswer[], request: CtlRequest): Promise<number> {
  const latest = scalings.findLast(({ status }) => status === 'under-way');
  return latest === undefined ? 0 : (await end(latest.name, request, true)).count;
}

async function shareToKeep(text: string, { client }: CtlRequest) {
  const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(text) ?? [];
  if (percent !== undefined && Number(percent) <= 100) return { share: Number(percent) / 100, isShare: true };
  const { agents } = await client.get<FleetAnswer>('/api/v1/fleet');
  if (/^\d+$/.test(text) && Number(text) <= agents.total) return { share: Number(text) / agents.total, isShare: false };
  throw new UserError(
    `scale: expected a share such as 80%, or a number of agents up to ${agents.total}, found ${JSON.stringify(text)}`,
  );
}
