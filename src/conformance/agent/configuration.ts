import type { CaseVerdict } from '../case.ts';
import { casesOf } from '../case.ts';
import { json, TEXT } from '../expectation.ts';
import { conversationText, finalAnswer } from '../http-case.ts';
import type { ConformanceRequest } from '../request.ts';
import type { AgentCase } from './agent-case.ts';
import { type ConfigPush, pushConfig } from './config-pushes.ts';
import { asks, brokenUnless, errorBody } from './fixture.ts';
import { ask, retry, type SentConfig } from './session.ts';

const { written, shipped } = casesOf<AgentCase>();

const BASE64 = {
  text: 'base64 with padding',
  test: (value: unknown) => typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value,
};
const DISABLED = 'config update is disabled';
const INVALID = 'invalid json or base64 string';

/** Custom checks that do nothing, with text that only bytes preserve. */
const CHECKS = '; muster conform: \r\n;\tÄ "\\" \u2028\n';
const EXPORTERS = '; muster conform\n';

const encoded = (text: string): string => Buffer.from(text).toString('base64');
const bodyWith = (members: (before: SentConfig) => object) => (before: SentConfig) =>
  JSON.stringify({ ...before, ...members(before) });
/** A body whose custom checks are written by hand. */
const withChecks = (checks: string) => bodyWith(() => ({ customcheck_configuration: checks }));

type Change = Pick<AgentCase, 'id' | 'rule'> & { readonly guess?: string };

/** A push that the agent must refuse, without changing anything. */
const refuses = (about: Change, bodyOf: (before: SentConfig) => string): AgentCase => ({
  ...about,
  level: 'shipped',
  needs: 'changes',
  expected: `500 and "${INVALID}", and the documents as before`,
  perform: async (session) => {
    const { conversation, before, after } = await pushConfig(session, bodyOf);
    const answer = finalAnswer(conversation);
    const isRefused = answer?.status === 500 && answer.body.toString() === `${INVALID}\n`;
    const isSame = JSON.stringify(before) === JSON.stringify(after);
    return brokenUnless(
      isRefused && isSame,
      isSame ? conversationText(conversation) : `${conversationText(conversation)}; and other documents than before`,
    );
  },
});

/** A push that the agent must take; the answer may be lost in the reload. */
const takes = (
  about: Change,
  how: {
    readonly body: (before: SentConfig) => string | Buffer;
    readonly headers?: ConformanceRequest['headers'];
    readonly expected: string;
    readonly isRight: (pushed: ConfigPush) => boolean;
  },
): AgentCase => ({
  ...about,
  level: 'shipped',
  needs: 'changes',
  expected: how.expected,
  perform: async (session): Promise<string | CaseVerdict> => {
    // So that each push finds other documents than it leaves.
    await pushConfig(
      session,
      bodyWith(() => ({ customcheck_configuration: encoded('; before\n'), prometheus_exporter: encoded(EXPORTERS) })),
    );
    const pushed = await pushConfig(session, how.body, how.headers);
    const shown = Object.entries(pushed.after)
      .slice(1)
      .map(([name, text]) => `${name} ${JSON.stringify(text)}`);
    return brokenUnless(how.isRight(pushed), `${conversationText(pushed.conversation)}; then ${shown.join(', ')}`);
  },
});

const hasChecks =
  (text: string) =>
  ({ after }: ConfigPush) =>
    after.customcheck_configuration === encoded(text);
const STORED = { expected: 'the pushed custom checks in GET /config', isRight: hasChecks(CHECKS) };

export const CONFIGURATION: readonly AgentCase[] = [
  shipped('config.1', 'While config-update-mode is off, `/config` gets 403.', {
    guess: '404',
    needs: 'no-config',
    ask: asks('GET /config'),
    expect: errorBody(403, DISABLED),
  }),
  written('config.2', '`GET /config` has configuration and `customcheck_configuration` as base64.', {
    needs: 'config',
    ask: asks('GET /config'),
    expect: json({ configuration: BASE64, customcheck_configuration: BASE64 }),
  }),
  shipped('config.3', 'It also has prometheus_exporter.', {
    guess: 'the two members of the written API',
    needs: 'config',
    ask: asks('GET /config'),
    expect: json({ prometheus_exporter: TEXT }),
  }),
  takes(
    { id: 'config.4', rule: 'A push gets 200 and an empty body.' },
    {
      body: bodyWith(() => ({ customcheck_configuration: encoded(CHECKS) })),
      expected: '200, empty; or the end of the connection, if the reload is quicker',
      isRight: ({ conversation }) => {
        const answer = finalAnswer(conversation);
        return answer === undefined
          ? conversation.received.sizeBytes === 0
          : answer.status === 200 && answer.body.length === 0;
      },
    },
  ),
  takes(
    { id: 'config.5', rule: 'What was pushed is stored byte by byte.' },
    { body: bodyWith(() => ({ customcheck_configuration: encoded(CHECKS) })), ...STORED },
  ),
  shipped('config.6', 'After a push GET / answers {} until the next check run ends.', {
    guess: 'the check data stays',
    needs: 'changes',
    expected: '{}',
    perform: async (session) => {
      await pushConfig(
        session,
        bodyWith(() => ({})),
      );
      const isEmpty = await retry(
        session,
        async () => finalAnswer(await ask(session, 'GET /'))?.body.toString() === '{}' || undefined,
      );
      return brokenUnless(isEmpty === true, 'check data all the time');
    },
  }),
  refuses({ id: 'config.7', rule: 'A body that is not JSON gets 500.', guess: '400' }, () => '{"configuration":'),
  refuses({ id: 'config.8', rule: 'Text that is not base64 gets 500.' }, withChecks('!')),
  refuses({ id: 'config.9', rule: 'Base64 without its padding gets 500.', guess: 'decoded' }, withChecks('OyB4Cg')),
  refuses(
    { id: 'config.10', rule: 'Spaces in base64 get 500.', guess: 'ignored, as line breaks are' },
    withChecks('OyB 4Cg=='),
  ),
  refuses({ id: 'config.11', rule: 'The alphabet of URLs in base64 gets 500.' }, withChecks('Oy_-')),
  refuses(
    { id: 'config.12', rule: 'An empty configuration gets 500.' },
    bodyWith(() => ({ configuration: '' })),
  ),
  refuses(
    { id: 'config.13', rule: 'A member that is no string gets 500.' },
    bodyWith(() => ({ customcheck_configuration: 42 })),
  ),
  refuses({ id: 'config.14', rule: 'An array gets 500.' }, (before) => JSON.stringify([before])),
  takes(
    { id: 'config.15', rule: 'A document that is left out is emptied.', guess: 'kept as it is' },
    {
      body: ({ configuration }) => JSON.stringify({ configuration }),
      expected: 'no custom checks and no exporters',
      isRight: ({ after }) => after.customcheck_configuration === '' && after.prometheus_exporter === '',
    },
  ),
  takes(
    { id: 'config.16', rule: 'A member that is null counts as left out.' },
    {
      body: bodyWith(() => ({ customcheck_configuration: null })),
      expected: 'no custom checks',
      isRight: hasChecks(''),
    },
  ),
  takes(
    { id: 'config.17', rule: 'Names of members are read without regard to case.', guess: 'case-sensitive' },
    {
      body: ({ configuration }) =>
        JSON.stringify({ CONFIGURATION: configuration, CustomCheck_Configuration: encoded(CHECKS) }),
      ...STORED,
    },
  ),
  takes(
    { id: 'config.18', rule: 'Of two members with one name the last counts.' },
    {
      body: ({ configuration }) =>
        `{"configuration":"${configuration}","customcheck_configuration":"Ow==","customcheck_configuration":"${encoded(CHECKS)}"}`,
      ...STORED,
    },
  ),
  takes(
    { id: 'config.19', rule: 'Base64 may have line breaks.' },
    { body: bodyWith(() => ({ customcheck_configuration: encoded(CHECKS).replace(/.{8}/g, '$&\r\n') })), ...STORED },
  ),
  takes(
    { id: 'config.20', rule: 'The content type is ignored, as are other members.' },
    {
      body: bodyWith(() => ({ customcheck_configuration: encoded(CHECKS), more: {} })),
      headers: [['Content-Type', 'text/plain']],
      ...STORED,
    },
  ),
];
