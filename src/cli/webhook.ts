import { UserError } from '../base/kernel/errors.ts';
import { VERDICTS } from '../metrics/judging/verdict.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import type { Notice, WebhookFormat, WebhookOrder } from '../outputs/webhook/webhook.ts';
import { PLAIN } from '../report/palette.ts';
import { remediesOf } from '../report/remedies.ts';
import { verdictLine } from '../report/verdict-line.ts';
import type { Variables } from '../scenario/reading/variables.ts';
import { proxiesIn, receiverUrl } from './flags/figures-request.ts';
import { flagOrVariable } from './flags/values.ts';
import { type Io, interruptible } from './io.ts';

type WebhookFlags = { readonly webhook: string | undefined; readonly 'webhook-format': WebhookFormat };

/** Where to send messages; `undefined` if nowhere. Throws `UserError` for an invalid URL, without showing it. */
export function webhookOrder(flags: WebhookFlags, environment: Variables): WebhookOrder | undefined {
  const { name, value: url } = flagOrVariable('webhook', flags, environment);
  if (url === undefined) return undefined;
  if (receiverUrl(url) === undefined)
    throw new UserError(`${name}: expected a URL such as https://hooks.example/services/KEY, found something else.`);
  return { url, format: flags['webhook-format'], proxies: proxiesIn(environment) };
}

/** Sends a message. A failure is a sentence on stderr; an interrupt ends it. */
export async function sendWebhook(notice: Notice, order: WebhookOrder, io: Io): Promise<void> {
  const { sendNotice } = await import('../outputs/webhook/webhook.ts');
  const problem = await interruptible(io, (signal) => sendNotice(notice, order, { signal }));
  if (problem !== undefined) io.stderr.write(`! ${problem}\n`);
}

/** What a run that ended tells others. */
export function runNotice(summary: Summary): Notice {
  const { scenarioName, verdict, runId, seed, startedAt, endedAt } = summary;
  const isWell = VERDICTS[verdict.kind].tone === 'good';
  return {
    about: 'run',
    name: scenarioName,
    isWell,
    title: verdictLine(summary, PLAIN),
    details: [`run ${runId}, seed ${seed}`, ...(isWell ? [] : remediesOf(summary))],
    annotations: { verdict: verdict.kind },
    from: new Date(startedAt),
    to: new Date(endedAt),
  };
}
