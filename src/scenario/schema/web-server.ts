import { z } from 'zod';
import { quoted } from '../../notation/finding.ts';
import { positiveDuration, wholeNumberFrom } from '../../notation/quantities.ts';
import { choice, flag, section } from '../../notation/section.ts';
import { KEY_TYPES, TLS_LEVELS } from '../../protocol/pull.ts';
import { DIALECT_NAMES } from '../../protocol/push.ts';
import { alignedRange, LISTEN_RANGE, type ListenRange, parseListenRange, writtenListenRange } from '../listen-range.ts';

const LISTEN = 'an address per agent such as 127.20.0.0/16:3333, or a port per agent such as 127.0.0.1:20000+';
const BASIC_AUTH = 'user:password';
// An agent's check runs are never over with less.
const SHORTEST_INTERVAL_MS = 3000;
const INTERVAL = 'whole seconds from 3s such as 30s';
const POOL = 'a number of keys from 1 to 10000, or unique';

/** Where each of many agents listens. */
export const listen = z
  .string(LISTEN)
  .regex(LISTEN_RANGE, LISTEN)
  .transform((text, context): ListenRange => {
    const range = parseListenRange(text);
    const aligned = range && writtenListenRange(alignedRange(range));
    if (range !== undefined && aligned === text) return range;
    const expected = aligned === undefined ? LISTEN : `the network's own address, ${aligned}`;
    context.addIssue({ code: 'custom', message: expected, params: { found: quoted(text) } });
    return z.NEVER;
  })
  .meta({
    title: 'range',
    description:
      'An address for each agent in a network, all at one port; or a port for each agent, counted from the first, at one address.',
    examples: ['127.20.0.0/16:3333', '127.0.0.1:20000+', '[::1]:20000+'],
  });

const keys = section({
  type: choice(KEY_TYPES).default('rsa-4096').describe('Their kind; real agents make `rsa-4096`.'),
  pool: z
    .union([wholeNumberFrom(1, 10_000), z.literal('unique')], POOL)
    .default(16)
    .meta({
      description: 'How many keys the fleet shares, as making one takes seconds; `unique`: one per agent.',
      examples: [16, 'unique'],
    }),
});

/** The agents' own web servers. */
export const webServer = section({
  listen: listen.describe('Where the agents listen, each at an address or a port of its own.'),
  dialect: choice(DIALECT_NAMES)
    .default('documented')
    .describe('Agents answer as the written interface says, or as the released agent does.'),
  autoTls: flag
    .default(false)
    .describe("The agent's `try-autossl`: HTTPS with client certificates, once certificates were exchanged."),
  configPush: flag
    .default(false)
    .describe("The agent's `config-update-mode`: it takes a new configuration, else it answers 403."),
  basicAuth: z
    .string(BASIC_AUTH)
    .regex(/^$|:/, BASIC_AUTH)
    .default('')
    .meta({
      description:
        "The agent's `auth` for every route, `user:password`, cut at the first colon. It belongs into the environment.",
      examples: ['${MUSTER_BASIC_AUTH:-}'],
    }),
  tlsLevel: choice(TLS_LEVELS)
    .default('lax')
    .describe("The agent's `tls-security-level`: which versions and suites it offers."),
  keys: keys.prefault({}).meta({
    description: 'The private keys that agents make for Auto-TLS.',
    examples: [{ type: 'ecdsa-p256', pool: 4 }],
  }),
  interval: positiveDuration
    .refine((milliseconds) => milliseconds >= SHORTEST_INTERVAL_MS && milliseconds % 1000 === 0, INTERVAL)
    .optional()
    .meta({
      description:
        "The agent's `interval` of check runs where no phase has a load, whole seconds from `3s`. Left out: `30s`, or the `every` of `checkdata`.",
      examples: ['10s', '30s'],
    }),
});
