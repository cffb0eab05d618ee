import { jsonIn, membersIn } from '../../base/protocol/exact-json.ts';
import type { Conversation } from '../../wire/transport/raw-conversation.ts';
import { finalAnswer } from '../http-case.ts';
import type { ConformanceRequest } from '../request.ts';
import type { AgentFixture } from './fixture.ts';
import { type AgentSession, askAgent, pauseForReload, protocolOf, retry, type SentConfig } from './session.ts';

/** The conversation of a push to `/config`, and the documents around it. */
export type ConfigPush = {
  readonly conversation: Conversation;
  readonly before: SentConfig;
  readonly after: SentConfig;
};

/** The agent no longer answers `GET /config`. */
export class LostAgent extends Error {
  override readonly name = 'LostAgent';
}

/** Makes the body of a push from the current documents. */
export type BodyMaker = (before: SentConfig) => string | Buffer;

/**
 * Pushes a body that depends on the current documents, and reads them again.
 * @throws LostAgent if the agent does not answer before or after the push.
 */
export async function pushConfig(
  session: AgentSession,
  bodyOf: BodyMaker,
  headers: ConformanceRequest['headers'] = [],
): Promise<ConfigPush> {
  const before = await documentsBefore(session);
  const conversation = await askAgent(session, 'POST /config', { body: bodyOf(before), headers });
  return { conversation, before, after: await currentDocuments(session) };
}

/** Makes the agent ask for these credentials, as `user:password`. Throws like `pushConfig`. */
export function protect(session: AgentSession, auth: string): Promise<void> {
  return appendSetting(session, `auth = ${auth}`, { auth });
}

/** Makes the agent use the certificates that it has. Throws like `pushConfig`. */
export async function enableAutoTls(session: AgentSession, change: Partial<AgentFixture>): Promise<void> {
  await appendSetting(session, 'try-autossl = True', change);
}

/** Appends a setting to the configuration; the last of the same name counts. `change`: what the agent is after that. */
async function appendSetting(session: AgentSession, line: string, change: Partial<AgentFixture>): Promise<void> {
  const before = await documentsBefore(session);
  const text = `${Buffer.from(before.configuration, 'base64')}\n[default]\n${line}\n`;
  const body = JSON.stringify({ ...before, configuration: Buffer.from(text).toString('base64') });
  await askAgent(session, 'POST /config', { body });
  // The answers of before the reload would mislead.
  if (Object.keys(change).length > 0) await pauseForReload(session);
  session.fixture = { ...session.fixture, ...change };
  await currentDocuments(session);
}

/** The current documents; the first ones are kept, to be restored at the end. */
async function documentsBefore(session: AgentSession): Promise<SentConfig> {
  const before = await currentDocuments(session);
  if (session.original === undefined) session.settings.saved(JSON.stringify(before));
  session.original ??= before;
  return before;
}

async function currentDocuments(session: AgentSession): Promise<SentConfig> {
  const documents = session.isLost ? undefined : await retry(session, () => readConfig(session));
  if (documents !== undefined) return documents;
  session.isLost = true;
  throw new LostAgent('no answer to GET /config');
}

async function readConfig(session: AgentSession): Promise<SentConfig | undefined> {
  const answer = finalAnswer(await askAgent(session, 'GET /config'));
  const members = membersIn(answer?.status === 200 ? jsonIn(answer.body.toString()) : undefined);
  const { configuration, customcheck_configuration = '', prometheus_exporter = '' } = members;
  if (typeof configuration !== 'string') return undefined;
  return {
    configuration,
    customcheck_configuration: `${customcheck_configuration}`,
    prometheus_exporter: `${prometheus_exporter}`,
  };
}

export type RestoredConfig = 'untouched' | 'restored' | 'lost';

/** Gives the agent its configuration and its credentials back. */
export async function restoreConfig(session: AgentSession, auth: AgentFixture['auth']): Promise<RestoredConfig> {
  const { original } = session;
  if (original === undefined) return 'untouched';
  const body = JSON.stringify(original);
  await askAgent(session, 'POST /config', { body });
  await pauseForReload(session);
  session.fixture = { ...session.fixture, auth };
  const protocol = await retry(session, () => protocolOf(session));
  session.fixture = { ...session.fixture, isSecured: protocol === 'https' };
  return JSON.stringify(await retry(session, () => readConfig(session))) === body ? 'restored' : 'lost';
}
