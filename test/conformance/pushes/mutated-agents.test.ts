import { describe, expect, it } from 'vitest';
import { realTimer } from '../../../src/base/runtime/event-loop.ts';
import type { CaseResult } from '../../../src/conformance/case.ts';
import { PUSH_CASES, tryPushes } from '../../../src/conformance/pushes/mode.ts';
import { selfSigned } from '../../../src/wire/http/tls.ts';
import { CORRECT, type PushBehavior, pushUntil, statsOf } from './pushing-agent.ts';

/** Node's client reads these answers in another way than agents. */
const READ_BY_NODE_OTHERWISE = ['connection.16', 'connection.17', 'connection.18', 'connection.19', 'connection.20'];
const CASES = PUSH_CASES.filter(({ id }) => !READ_BY_NODE_OTHERWISE.includes(id));
const PATIENCE_MS = 1_000_000;
const credentials = selfSigned(['127.0.0.1']);

async function brokenBy(behavior: Partial<PushBehavior>): Promise<readonly string[]> {
  const clock = { nowMs: 0 };
  const stop = new AbortController();
  let pushing: Promise<void> | undefined;
  const results = await tryPushes(
    {
      listen: { host: '127.0.0.1', port: 0 },
      credentials: await credentials,
      password: 'b'.repeat(128),
      patienceMs: PATIENCE_MS,
      opened: (url) => {
        pushing = pushUntil(url, { ...CORRECT, ...behavior }, { clock, signal: stop.signal });
      },
      warn: () => {},
    },
    CASES,
    {
      clock: () => clock.nowMs,
      // A hundredth of the time; silence moves the clock.
      timer: (delayMs, act) =>
        realTimer(delayMs / 100, () => {
          if (delayMs >= PATIENCE_MS / 2) clock.nowMs += delayMs;
          act();
        }),
      signal: stop.signal,
      onResult: () => {},
    },
  );
  stop.abort();
  await pushing;
  return (results ?? []).filter(({ verdict }: CaseResult) => verdict.kind === 'broken').map(({ rule }) => rule.id);
}

const without = (name: string) => (fields: Parameters<PushBehavior['fields']>[0]) =>
  fields.filter(([one]) => one !== name);
const onRegistration =
  (
    change: (fields: Parameters<PushBehavior['fields']>[0]) => Parameters<PushBehavior['fields']>[0],
  ): PushBehavior['fields'] =>
  (fields, endpoint) =>
    endpoint === 'register_agent' ? change(fields) : fields;
const isOn =
  (wanted: number): PushBehavior['follows'] =>
  (status) =>
    status === wanted ? undefined : CORRECT.follows(status);

/** Agents that break one rule each. */
const MUTATED: readonly { readonly rule: string; readonly agent: string; readonly behavior: Partial<PushBehavior> }[] =
  [
    {
      rule: 'request.2',
      agent: 'registers without its API key',
      behavior: { fields: onRegistration(without('Authorization')) },
    },
    {
      rule: 'request.3',
      agent: 'registers with text',
      behavior: {
        fields: onRegistration((fields) =>
          fields.map(([name, value]) => [name, name === 'Content-Type' ? 'text/plain' : value]),
        ),
      },
    },
    {
      rule: 'request.4',
      agent: 'has the name of its library',
      behavior: {
        fields: onRegistration((fields) =>
          fields.map(([name, value]) => [name, name === 'User-Agent' ? 'Go-http-client/1.1' : value]),
        ),
      },
    },
    {
      rule: 'request.5',
      agent: 'sends Accept',
      behavior: { fields: onRegistration((fields) => [...fields, ['Accept', 'application/json']]) },
    },
    { rule: 'request.6', agent: 'registers in chunks', behavior: { isChunked: true } },
    {
      rule: 'request.8',
      agent: 'has a UUID in capitals',
      behavior: { uuid: () => '3F1D8A52-6A5E-4B52-9C5E-0F6A9D1C7E42' },
    },
    {
      rule: 'request.9',
      agent: 'registers with a password of its own',
      behavior: {
        members: (members, endpoint) => (endpoint === 'register_agent' ? { ...members, password: 'mine' } : members),
      },
    },
    {
      rule: 'request.10',
      agent: 'leaves out its address',
      behavior: {
        members: ({ ipaddress, ...members }, endpoint) => (endpoint === 'register_agent' ? members : { ...members }),
      },
    },
    {
      rule: 'checkdata.2',
      agent: 'sends its credentials first',
      behavior: {
        members: (members, endpoint) => {
          const { checkdata, ...credentials } = members;
          return endpoint === 'submit_checkdata' ? { ...credentials, checkdata } : members;
        },
      },
    },
    {
      rule: 'checkdata.3',
      agent: 'sends check data without its key',
      behavior: {
        fields: (fields, endpoint) => (endpoint === 'submit_checkdata' ? without('Authorization')(fields) : fields),
      },
    },
    {
      rule: 'checkdata.5',
      agent: 'leaves out custom checks',
      behavior: {
        members: (members, endpoint) => {
          const { customchecks, ...checkdata } = (members.checkdata ?? {}) as Readonly<Record<string, unknown>>;
          return endpoint === 'submit_checkdata' ? { ...members, checkdata } : members;
        },
      },
    },
    {
      rule: 'answer.2',
      agent: 'registers again after 400',
      behavior: { after: (status) => (status === 400 ? 'register' : 'nothing') },
    },
    {
      rule: 'answer.5',
      agent: 'registers again after 404',
      behavior: { after: (status) => (status === 404 ? 'register' : 'nothing') },
    },
    {
      rule: 'answer.10',
      agent: 'repeats after 503',
      behavior: { after: (status) => (status === 503 ? 'repeat' : 'nothing') },
    },
    { rule: 'answer.18', agent: 'keeps cookies', behavior: { hasCookies: true } },
    { rule: 'redirect.1', agent: 'does not follow 301', behavior: { follows: isOn(301) } },
    { rule: 'redirect.5', agent: 'does not follow 308', behavior: { follows: isOn(308) } },
    { rule: 'redirect.6', agent: 'keeps its key from other ports', behavior: { keepsKey: false } },
    { rule: 'redirect.7', agent: 'sends no Referer', behavior: { sendsReferer: false } },
    { rule: 'redirect.8', agent: 'follows 20 redirects', behavior: { mostRequests: 20 } },
    { rule: 'connection.1', agent: 'dials for each push', behavior: { keepsConnections: false } },
    { rule: 'tls.5', agent: 'offers a protocol', behavior: { tls: { ALPNProtocols: ['http/1.1'] } } },
    { rule: 'register.27', agent: 'waits after its registration', behavior: { submitsAtOnce: false } },
    {
      rule: 'register.20',
      agent: 'takes a password from a 202',
      behavior: {
        passwordIn: (answer, uuid) =>
          CORRECT.passwordIn({ ...answer, status: answer.status === 202 ? 201 : answer.status }, uuid),
      },
    },
    {
      rule: 'packages.3',
      agent: 'pushes pending packages',
      behavior: { packages: { ...CORRECT.packages, Pending: true } },
    },
    {
      rule: 'packages.4',
      agent: 'calls its system darwin',
      behavior: { packages: { ...CORRECT.packages, Stats: statsOf('darwin') } },
    },
    {
      rule: 'packages.6',
      agent: 'repeats refused packages',
      behavior: {
        after: (status, endpoint) => (status === 500 && endpoint === 'submit_package_info' ? 'repeat' : 'nothing'),
      },
    },
    { rule: 'cadence.1', agent: 'has jitter', behavior: { gapMs: (pushes) => 1000 + 500 * (pushes % 2) } },
  ];

describe('a pushing agent', () => {
  // At the same time, because most of theirs is waiting.
  const broken = MUTATED.map(({ behavior }) => brokenBy(behavior));

  it('that does all that the page says breaks no rule', async () => {
    expect(await brokenBy({})).toEqual([]);
  });

  it.each(MUTATED.map((one, at) => ({ ...one, at })))('that $agent breaks exactly $rule', async ({ rule, at }) => {
    expect(await broken[at]).toEqual([rule]);
  });
});
