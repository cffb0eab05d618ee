import { randomBytes } from 'node:crypto';
import { addressText, parseAddress } from '../../base/kernel/address.ts';
import { UserError } from '../../base/kernel/errors.ts';
import { formatDuration } from '../../base/kernel/units.ts';
import { tryPushes } from '../../conformance/pushes/mode.ts';
import type { PushCase } from '../../conformance/pushes/push-case.ts';
import { selfSigned } from '../../wire/http/tls.ts';
import type { ConformFlags } from '../commands/others.ts';
import { tlsOf } from '../flags/server-settings.ts';
import { readFlag } from '../flags/values.ts';
import type { Io } from '../io.ts';
import type { Mode } from './subject.ts';

/** Three default intervals of an agent; `--fast`: more than the timeout of one with an interval of seconds. */
const PATIENCE_MS = { usual: 100_000, fast: 10_000 };

/** The server that takes a pushing agent through the cases. */
export async function pushesMode(flags: ConformFlags, io: Io): Promise<Mode<PushCase>> {
  if (flags.url !== undefined)
    throw new UserError(`muster conform pushes: expected no URL, found ${flags.url}; pass --listen.`);
  const expected = 'host:port such as 127.0.0.1:8080';
  const address = readFlag('listen', flags, { expected, read: parseAddress });
  if (address === undefined)
    throw new UserError(`muster conform pushes: expected --listen with ${expected}, found nothing.`);
  const { host, port } = address;
  const tls = await tlsOf(flags, io);
  const patienceMs = flags.fast ? PATIENCE_MS.fast : PATIENCE_MS.usual;
  const subject = {
    listen: { host, port },
    credentials: tls?.kind === 'given' ? tls : await selfSigned([host]),
    password: randomBytes(64).toString('hex'),
    patienceMs,
    opened: (url: string) => io.stderr.write(`Waiting for an agent without a password at ${url}\n`),
    warn: (text: string) => io.stderr.write(`${text}\n`),
  };
  return {
    subject: addressText({ host, port }),
    run: async (cases, ports) => {
      const results = await tryPushes(subject, cases, ports);
      if (results !== undefined) return { results, left: [KEPT] };
      io.stderr.write(
        `No agent sent a request to ${addressText({ host, port })} within ${formatDuration(patienceMs)}.\n`,
      );
      return undefined;
    },
  };
}

const KEPT = 'The agent keeps the password of this run: delete its auth.json before it is to register again.';
