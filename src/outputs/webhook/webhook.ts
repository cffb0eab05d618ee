import type { Dispatcher } from 'undici';
import { pauseUntil } from '../../base/runtime/event-loop.ts';
import { post, type Receiver } from '../post.ts';

/** `slack` is the form of Slack, Mattermost and Rocket.Chat; `alertmanager` that of Alertmanager's own webhooks. */
export type WebhookFormat = 'slack' | 'alertmanager';

export type WebhookOrder = Pick<Receiver, 'url' | 'proxies'> & { readonly format: WebhookFormat };

/** A message to others: the verdict of a run, or a change of the health of a fleet. Contains no secrets. */
export type Notice = {
  readonly about: 'run' | 'fleet';
  /** Of the scenario. */
  readonly name: string;
  readonly isWell: boolean;
  /** One line. */
  readonly title: string;
  /** Causes and remedies. */
  readonly details: readonly string[];
  /** Further annotations of an alert, such as the verdict. Labels would make another alert of its end. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly from: Date;
  /** `undefined` while it lasts. */
  readonly to: Date | undefined;
};

/** The JSON of a message. */
export function webhookBody(notice: Notice, format: WebhookFormat): object {
  if (format === 'alertmanager') return alertmanagerBody(notice);
  return { text: [notice.title, ...notice.details.map((detail) => `• ${detail}`)].map(escapedForSlack).join('\n') };
}

/** The characters that Slack reads as markup of links and mentions. */
function escapedForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const NOT_ENDED = '0001-01-01T00:00:00Z';

/** Version 4 of the message. The same run or fleet has the same labels, so that its end resolves its alert. */
function alertmanagerBody({ about, name, isWell, title, details, annotations: more, from, to }: Notice): object {
  const status = isWell ? 'resolved' : 'firing';
  const group = { alertname: about === 'run' ? 'MusterRunFailed' : 'MusterFleetUnwell', scenario: name };
  const labels = { ...group, severity: 'warning' };
  const annotations = { summary: title, description: details.join('\n'), ...more };
  const endsAt = isWell ? (to ?? from).toISOString() : NOT_ENDED;
  const alert = { status, labels, annotations, startsAt: from.toISOString(), endsAt, generatorURL: '' };
  return {
    version: '4',
    groupKey: `{}:{${Object.entries(group)
      .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
      .join(', ')}}`,
    truncatedAlerts: 0,
    status,
    receiver: 'muster',
    groupLabels: group,
    commonLabels: labels,
    commonAnnotations: annotations,
    externalURL: '',
    alerts: [alert],
  };
}

const LIMIT_MS = 5000;
/** Waits before further tries. */
const WAITS_MS = [1000, 2000, 4000];

/** How a message ended; `reason` is for display, without the URL. */
type Outcome = { readonly kind: 'accepted' } | { readonly kind: 'refused' | 'failed'; readonly reason: string };

/**
 * Sends a message, and tries up to three times more if there was no answer, or status 429 or above 499. Never throws.
 * @param ports `signal` ends the tries.
 * @returns why the message was not accepted, in one sentence without secrets; `undefined` if it was.
 */
export async function sendNotice(
  notice: Notice,
  order: WebhookOrder,
  { signal, wait = pauseUntil }: { readonly signal: AbortSignal; readonly wait?: typeof pauseUntil },
): Promise<string | undefined> {
  const body = Buffer.from(JSON.stringify(webhookBody(notice, order.format)));
  let tries = 0;
  for (;;) {
    const outcome = await tryOnce(order, body, signal);
    if (outcome.kind === 'accepted') return undefined;
    const waitMs = outcome.kind === 'failed' ? WAITS_MS[tries++] : undefined;
    if (waitMs !== undefined) await wait(waitMs, signal);
    if (waitMs === undefined || signal.aborted)
      return `the webhook at ${new URL(order.url).host} did not take the message: ${outcome.reason}`;
  }
}

async function tryOnce({ url, proxies }: WebhookOrder, body: Uint8Array, signal: AbortSignal): Promise<Outcome> {
  const receiver = { url, proxies, headers: { 'content-type': 'application/json' }, tls: {} };
  const read = async ({ statusCode, body: answer }: Dispatcher.ResponseData): Promise<number> => {
    await answer.dump();
    return statusCode;
  };
  const posted = await post(receiver, body, { limitMs: LIMIT_MS, signal, read });
  if ('failure' in posted) return { kind: 'failed', reason: posted.failure };
  const { result: status } = posted;
  if (status >= 200 && status < 300) return { kind: 'accepted' };
  return { kind: status === 429 || status > 499 ? 'failed' : 'refused', reason: `status ${status}` };
}

/** Shorter troubles cause no notice: agents that restart, or a server that is slow for a moment. */
const NOTICE_AFTER_MS = 30_000;

/** Notes changes of a fleet's health that last; a fleet counts as well until then. */
export function createHealthWatch(name: string) {
  let lastNotice: { readonly isWell: boolean; readonly from: Date } = { isWell: true, from: new Date(0) };
  let changedAt: Date | undefined;
  return ({ isWell, sentence }: { isWell: boolean; sentence: string }, now: Date): Notice | undefined => {
    if (isWell === lastNotice.isWell) {
      changedAt = undefined;
      return undefined;
    }
    changedAt ??= now;
    if (now.getTime() - changedAt.getTime() < NOTICE_AFTER_MS) return undefined;
    const from = isWell ? lastNotice.from : changedAt;
    lastNotice = { isWell, from: changedAt };
    const title = `${name}: ${isWell ? '✓ the fleet is well again' : '✗ the fleet needs attention'}`;
    return {
      about: 'fleet',
      name,
      isWell,
      title,
      details: [sentence],
      annotations: {},
      from,
      to: isWell ? now : undefined,
    };
  };
}
