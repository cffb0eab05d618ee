import { z } from 'zod';
import { ipv4Of, isAllowedHost } from '../base/kernel/address.ts';
import { type Finding, keyFinding, quoted, valueFinding } from '../base/notation/finding.ts';
import { positiveDuration, wholeNumberFrom } from '../base/notation/quantities.ts';
import { valueAtPath } from '../base/notation/schema-findings.ts';
import { choice, section, textLike, trueOrFalse } from '../base/notation/section.ts';
import { OPERATIONS } from '../base/protocol/operations.ts';
import { KEY_TYPES, TLS_LEVELS } from '../base/protocol/pull.ts';
import { DIALECT_NAMES } from '../base/protocol/push.ts';
import type { Phase } from '../load/timeline.ts';
import { type BasicAuth, basicAuthOf, DEFAULT_INTERVAL_SECONDS } from '../wire/agent/configuration/settings.ts';
import type { FleetFile } from './fleet.ts';
import {
  alignedRange,
  formatListenRange,
  LISTEN_RANGE,
  type ListenRange,
  listenersIn,
  parseListenRange,
} from './listen-range.ts';
import { keysOfPhases } from './phase-findings.ts';
import { secretText } from './reading/variables.ts';

const LISTEN = 'an address per agent such as 127.20.0.0/16:3333, or a port per agent such as 127.0.0.1:20000+';
const ALLOWED = 'an address such as 10.20.0.7, or a network such as 10.20.0.0/16';
const BASIC_AUTH = 'user:password';
// With a shorter interval, an agent's check runs never finish.
const MIN_INTERVAL_MS = 3000;
const INTERVAL = 'whole seconds from 3s such as 30s';
const POOL = 'a number of keys from 1 to 10000, or unique';

/** Listen addresses of the fleet. */
export const listen = z
  .codec(textLike(LISTEN_RANGE, LISTEN), z.custom<ListenRange>(), {
    decode: (text, { issues }) => {
      const range = parseListenRange(text);
      const aligned = range && formatListenRange(alignedRange(range));
      if (range !== undefined && aligned === text) return range;
      const message = aligned === undefined ? LISTEN : `the network's own address, ${aligned}`;
      issues.push({ code: 'custom', message, input: text, params: { found: quoted(text) } });
      return z.NEVER;
    },
    encode: formatListenRange,
  })
  .meta({
    title: 'range',
    description:
      'One address per agent in a network, all on the same port; or one port per agent on the same address, from the first port up.',
    examples: ['127.20.0.0/16:3333', '127.0.0.1:20000+', '[::1]:20000+'],
  });

const allowedHost = textLike(/^[\w.:[\]-]+(\/\d{1,2})?$/, ALLOWED).meta({
  description: 'An address, or an IPv4 network.',
  examples: ['10.20.0.0/16'],
});

const keys = section({
  type: choice(KEY_TYPES).default('rsa-4096').describe('Key type.'),
  pool: z
    .union([wholeNumberFrom(1, 10_000), z.literal('unique')], POOL)
    .default(16)
    .meta({
      description: 'Number of keys that the fleet shares; `unique`: one per agent, which takes seconds each.',
      examples: [16, 'unique'],
    }),
});

export const webServer = section({
  listen: listen.describe('Where agents listen, each on its own address or port.'),
  dialect: choice(DIALECT_NAMES)
    .default('documented')
    .describe('Whether agents follow the documented API or behave like the released agent.'),
  autoTls: trueOrFalse
    .default(false)
    .describe('`try-autossl` of the agent: HTTPS with client certificates after the certificate exchange.'),
  configPush: trueOrFalse
    .default(false)
    .describe('`config-update-mode` of the agent: accept a new configuration; otherwise answer 403.'),
  basicAuth: textLike(/^$|:/, BASIC_AUTH)
    .default('')
    .meta({
      description:
        '`auth` of the agent for every route: `user:password`, split at the first colon. Keep it in the environment.',
      examples: ['${MUSTER_BASIC_AUTH:-}'],
    }),
  allowListen: z
    .array(allowedHost, 'a list of addresses')
    .default([])
    .meta({
      description:
        'Addresses and networks beyond loopback where agents may listen, also through a pushed configuration; `0.0.0.0`: every address. `--allow-listen` adds to them.',
      examples: [['10.20.0.0/16'], ['0.0.0.0']],
    }),
  trustWebPages: trueOrFalse.default(false).describe('Agents accept requests from web pages, like real agents.'),
  tlsLevel: choice(TLS_LEVELS)
    .default('lax')
    .describe('`tls-security-level` of the agent: TLS versions and cipher suites.'),
  keys: keys.prefault({}).meta({
    description: 'Private keys that agents generate for Auto-TLS.',
    examples: [{ type: 'ecdsa-p256', pool: 4 }],
  }),
  interval: positiveDuration
    .refine((milliseconds) => milliseconds >= MIN_INTERVAL_MS && milliseconds % 1000 === 0, INTERVAL)
    .optional()
    .meta({
      description:
        '`interval` of check runs if no phase has a load: whole seconds, at least `3s`. Left out: `30s`, or the `every` of `checkdata`.',
      examples: ['10s', '30s'],
    }),
})
  .optional()
  .meta({
    description:
      'Web servers of the agents, which a monitoring server polls in pull mode. Left out: agents do not listen.',
    examples: [{ listen: '127.20.0.0/16:3333', autoTls: true, keys: { type: 'ecdsa-p256', pool: 4 } }],
  });

export type WebServerFile = NonNullable<z.output<typeof webServer>>;

/** The agents' own web servers (docs/reference/agent-web-server.md, "Agent web server"). */
export type WebServer = Readonly<Omit<WebServerFile, 'basicAuth' | 'interval' | 'allowListen'>> & {
  readonly allowListen: readonly string[];
  readonly basicAuth: BasicAuth | undefined;
  /** `interval` of agents in pull mode; `undefined` in push mode, where the check-data cadence determines it. */
  readonly intervalMs: number | undefined;
};

/** Number of keys that agents share; `unique` for one key per agent. */
export type KeyPool = Readonly<WebServerFile['keys']>;

export function webServerOf({ basicAuth, interval, ...rest }: WebServerFile, phases: readonly Phase[]): WebServer {
  const isPushed = phases.some(({ loads }) => loads.length > 0);
  return {
    ...rest,
    basicAuth: basicAuthOf(basicAuth),
    intervalMs: isPushed ? undefined : (interval ?? DEFAULT_INTERVAL_SECONDS * 1000),
  };
}

/** The inverse of `webServerOf`. */
export function webServerFile({ basicAuth, intervalMs, ...rest }: WebServer): object {
  const userAndPassword = basicAuth && secretText('MUSTER_BASIC_AUTH', `${basicAuth.user}:${basicAuth.password}`);
  return { ...rest, basicAuth: userAndPassword ?? '', interval: intervalMs };
}

type PartialWebServer = { readonly webServer?: Partial<WebServerFile>; readonly fleet?: Partial<FleetFile> };

/** Conflicts of web servers with the fleet and the phases. */
export function webServerFindings(file: PartialWebServer, raw: unknown): readonly Finding[] {
  return [...tooFewListenAddresses(file), ...listenBeyondLoopback(file), ...unusedInterval(raw)];
}

/** Anyone who can reach an agent can read its data, and may be able to configure it. */
function listenBeyondLoopback({ webServer }: PartialWebServer): readonly Finding[] {
  const listen = webServer?.listen;
  if (listen === undefined || isAllowedRange(listen, webServer?.allowListen ?? [])) return [];
  const expected = 'loopback addresses, or addresses in webServer.allowListen or --allow-listen';
  return [valueFinding(['webServer', 'listen'], expected, quoted(formatListenRange(listen)))];
}

function isAllowedRange(range: ListenRange, allow: readonly string[]): boolean {
  if (range.kind === 'ports') return isAllowedHost(range.host, allow);
  const [first, last] = [range.network, range.network + 2 ** (32 - range.prefixBits) - 1].map(ipv4Of);
  const covers = (entries: readonly string[]) => [first, last].every((host = '') => isAllowedHost(host, entries));
  return covers([]) || allow.some((entry) => covers([entry]));
}

function tooFewListenAddresses({ fleet, webServer }: PartialWebServer): readonly Finding[] {
  const listen = webServer?.listen;
  const agents = fleet?.agents ?? 0;
  if (listen === undefined || agents <= listenersIn(listen)) return [];
  const room = listen.kind === 'addresses' ? 'an address' : 'a port up to 65535';
  const found = `${quoted(formatListenRange(listen))}, which has room for ${listenersIn(listen)}`;
  return [valueFinding(['webServer', 'listen'], `${room} for each of ${agents} agents`, found)];
}

/** Agents that push take their interval from the cadence of their check data. */
function unusedInterval(raw: unknown): readonly Finding[] {
  const hasLoads = keysOfPhases(raw).some((keys = []) => OPERATIONS.some((operation) => keys.includes(operation)));
  if (valueAtPath(raw, ['webServer', 'interval']) === undefined || !hasLoads) return [];
  const expected = 'interval only if no phase has a load, because pushing agents use the interval of their check data';
  return [keyFinding(['webServer', 'interval'], expected, 'interval with a load')];
}
