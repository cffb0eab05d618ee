import { z } from 'zod';
import { quoted } from '../../notation/finding.ts';
import { positiveDuration, wholeNumberFrom } from '../../notation/quantities.ts';
import { choice, flag, section } from '../../notation/section.ts';
import { DIALECT_NAMES } from '../../protocol/dialect-names.ts';
import { TLS_LEVELS } from '../../protocol/tls-levels.ts';
import { alignedRange, LISTEN_RANGE, type ListenRange, parseListenRange, writtenListenRange } from '../listen-range.ts';
import { KEY_TYPES } from '../scenario.ts';

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
  });

const keys = section({
  type: choice(KEY_TYPES).default('rsa-4096').describe('Of the private keys that agents make for Auto-TLS.'),
  pool: z
    .union([wholeNumberFrom(1, 10_000), z.literal('unique')], POOL)
    .default(16)
    .describe('How many keys the fleet shares, as making one takes seconds; `unique`: one per agent.'),
});

/** The agents' own web servers. */
export const webServer = section({
  listen: listen.describe('`127.20.0.0/16:3333`, an address per agent, or `127.0.0.1:20000+`, a port per agent.'),
  dialect: choice(DIALECT_NAMES)
    .default('documented')
    .describe('How agents answer: as the written interface says, or as the released agent does.'),
  autoTls: flag.default(false).describe("The agent's `try-autossl`: HTTPS once certificates were exchanged."),
  configPush: flag.default(false).describe("The agent's `config-update-mode`: it takes a new configuration."),
  basicAuth: z
    .string(BASIC_AUTH)
    .regex(/^$|:/, BASIC_AUTH)
    .default('')
    .describe("The agent's `auth`, `user:password`; best as `${MUSTER_BASIC_AUTH:-}`."),
  tlsLevel: choice(TLS_LEVELS).default('lax').describe("The agent's `tls-security-level`."),
  keys: keys.prefault({}).describe('Private keys for Auto-TLS.'),
  interval: positiveDuration
    .refine((milliseconds) => milliseconds >= SHORTEST_INTERVAL_MS && milliseconds % 1000 === 0, INTERVAL)
    .optional()
    .describe("The agent's `interval` between check runs where no phase has a load; default 30s."),
});
