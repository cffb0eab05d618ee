import { casesOf, type Deviation, deviationUnless } from '../case.ts';
import { json, TEXT } from '../expectation.ts';
import { conversationText, finalAnswer } from '../http-case.ts';
import type { ConformanceRequest } from '../request.ts';
import type { AgentCase } from './agent-case.ts';
import { type BodyMaker, type ConfigPush, pushConfig } from './config-pushes.ts';
import { errorBody, gets } from './fixture.ts';
import { askAgent, retry } from './session.ts';

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
/** The current documents with other members. */
const withMembers =
  (members: object): BodyMaker =>
  (before) =>
    JSON.stringify({ ...before, ...members });
/** A body whose custom checks are written by hand. */
const withChecks = (checks: string) => withMembers({ customcheck_configuration: checks });

type Refusal = { readonly body: BodyMaker; readonly guess?: string };

/** A push that the agent must refuse, without changing anything. */
const refuses = (id: string, rule: string, { body, ...rest }: Refusal): AgentCase =>
  shipped(id, rule, {
    ...rest,
    needs: 'changes',
    expected: `500 and "${INVALID}", and the documents as before`,
    perform: async (session) => {
      const { conversation, before, after } = await pushConfig(session, body);
      const answer = finalAnswer(conversation);
      const isRefused = answer?.status === 500 && answer.body.toString() === `${INVALID}\n`;
      const isSame = JSON.stringify(before) === JSON.stringify(after);
      const text = conversationText(conversation);
      return deviationUnless(isRefused && isSame, isSame ? text : `${text}; and other documents than before`);
    },
  });

type Acceptance = {
  readonly body: BodyMaker;
  readonly headers?: ConformanceRequest['headers'];
  readonly guess?: string;
  readonly expected: string;
  readonly isRight: (push: ConfigPush) => boolean;
};

/** A push that the agent must accept; the answer may be lost in the reload. */
const accepts = (id: string, rule: string, { body, headers, isRight, ...rest }: Acceptance): AgentCase =>
  shipped(id, rule, {
    ...rest,
    needs: 'changes',
    perform: async (session): Promise<Deviation> => {
      // So that each push finds other documents than it leaves.
      await pushConfig(
        session,
        withMembers({ customcheck_configuration: encoded('; before\n'), prometheus_exporter: encoded(EXPORTERS) }),
      );
      const push = await pushConfig(session, body, headers);
      const shown = Object.entries(push.after)
        .slice(1)
        .map(([name, text]) => `${name} ${JSON.stringify(text)}`);
      return deviationUnless(isRight(push), `${conversationText(push.conversation)}; then ${shown.join(', ')}`);
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
    ...gets('GET /config', errorBody(403, DISABLED)),
  }),
  written('config.2', '`GET /config` has configuration and `customcheck_configuration` as base64.', {
    needs: 'config',
    ...gets('GET /config', json({ configuration: BASE64, customcheck_configuration: BASE64 })),
  }),
  shipped('config.3', 'It also has prometheus_exporter.', {
    guess: 'the two members of the written API',
    needs: 'config',
    ...gets('GET /config', json({ prometheus_exporter: TEXT })),
  }),
  accepts('config.4', 'A push gets 200 and an empty body.', {
    body: withMembers({ customcheck_configuration: encoded(CHECKS) }),
    expected: '200, empty; or the end of the connection, if the reload is quicker',
    isRight: ({ conversation }) => {
      const answer = finalAnswer(conversation);
      return answer === undefined
        ? conversation.received.sizeBytes === 0
        : answer.status === 200 && answer.body.length === 0;
    },
  }),
  accepts('config.5', 'What was pushed is stored byte by byte.', {
    body: withMembers({ customcheck_configuration: encoded(CHECKS) }),
    ...STORED,
  }),
  shipped('config.6', 'After a push GET / answers {} until the next check run ends.', {
    guess: 'the check data stays',
    needs: 'changes',
    expected: '{}',
    perform: async (session) => {
      await pushConfig(session, withMembers({}));
      const isEmpty = await retry(
        session,
        async () => finalAnswer(await askAgent(session, 'GET /'))?.body.toString() === '{}' || undefined,
      );
      return deviationUnless(isEmpty === true, 'check data all the time');
    },
  }),
  refuses('config.7', 'A body that is not JSON gets 500.', { body: () => '{"configuration":', guess: '400' }),
  refuses('config.8', 'Text that is not base64 gets 500.', { body: withChecks('!') }),
  refuses('config.9', 'Base64 without its padding gets 500.', { body: withChecks('OyB4Cg'), guess: 'decoded' }),
  refuses('config.10', 'Spaces in base64 get 500.', {
    body: withChecks('OyB 4Cg=='),
    guess: 'ignored, as line breaks are',
  }),
  refuses('config.11', 'The alphabet of URLs in base64 gets 500.', { body: withChecks('Oy_-') }),
  refuses('config.12', 'An empty configuration gets 500.', { body: withMembers({ configuration: '' }) }),
  refuses('config.13', 'A member that is no string gets 500.', {
    body: withMembers({ customcheck_configuration: 42 }),
  }),
  refuses('config.14', 'An array gets 500.', { body: (before) => JSON.stringify([before]) }),
  accepts('config.15', 'A document that is left out is emptied.', {
    body: ({ configuration }) => JSON.stringify({ configuration }),
    expected: 'no custom checks and no exporters',
    isRight: ({ after }) => after.customcheck_configuration === '' && after.prometheus_exporter === '',
    guess: 'kept as it is',
  }),
  accepts('config.16', 'A member that is null counts as left out.', {
    body: withMembers({ customcheck_configuration: null }),
    expected: 'no custom checks',
    isRight: hasChecks(''),
  }),
  accepts('config.17', 'Names of members are read without regard to case.', {
    body: ({ configuration }) =>
      JSON.stringify({ CONFIGURATION: configuration, CustomCheck_Configuration: encoded(CHECKS) }),
    ...STORED,
    guess: 'case-sensitive',
  }),
  accepts('config.18', 'Of two members with one name the last counts.', {
    body: ({ configuration }) =>
      `{"configuration":"${configuration}","customcheck_configuration":"Ow==","customcheck_configuration":"${encoded(CHECKS)}"}`,
    ...STORED,
  }),
  accepts('config.19', 'Base64 may have line breaks.', {
    body: withMembers({ customcheck_configuration: encoded(CHECKS).replace(/.{8}/g, '$&\r\n') }),
    ...STORED,
  }),
  accepts('config.20', 'The content type is ignored, as are other members.', {
    body: withMembers({ customcheck_configuration: encoded(CHECKS), more: {} }),
    headers: [['Content-Type', 'text/plain']],
    ...STORED,
  }),
];
