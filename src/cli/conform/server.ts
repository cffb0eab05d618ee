import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { UserError } from '../../base/kernel/errors.ts';
import { counted } from '../../base/kernel/units.ts';
import { monotonicClock, realTimer } from '../../base/runtime/event-loop.ts';
import { readCertificates } from '../../base/storage/text-files.ts';
import type { AgentCredentials, ServerCase } from '../../conformance/server/fixture.ts';
import { tryServer } from '../../conformance/server/mode.ts';
import { displayUrl } from '../../scenario/server-urls.ts';
import type { ConformFlags } from '../commands/others.ts';
import { flagOrVariable } from '../flags/values.ts';
import type { Io } from '../io.ts';
import { hostsOfRun, type RunHosts } from './hosts-of-run.ts';
import { isReachable, type Mode, peerOf, urlOf } from './subject.ts';

export async function serverMode(flags: ConformFlags, io: Io): Promise<Mode<ServerCase>> {
  const url = urlOf(flags);
  const peer = await peerOf(url, flags, io);
  const prefix = url.pathname.replace(/\/$/, '');
  const apiKey = flagOrVariable('api-key', flags, io.env).value ?? '';
  const assigned = credentialsOf(flags.assigned);
  const ca = flags.ca === undefined ? undefined : await readCertificates(resolve(io.cwd, flags.ca));
  const access = { url: `${url.origin}${prefix}`, apiKey, tls: { verify: !flags.insecure, ca } };
  return {
    subject: displayUrl(url.href),
    run: async (cases, ports) => {
      if (!(await isReachable(peer, ports, io))) return undefined;
      const hosts = flags.provision ? hostsOfRun(access) : undefined;
      const uuid = randomUUID();
      const clocks = { clock: monotonicClock, timer: realTimer };
      const subject = { peer, base: url.origin, prefix, apiKey, assigned, uuid, giveHost: hosts?.give, ...clocks };
      const { results, registered } = await tryServer(subject, cases, ports);
      return { results, left: await leftBehind(registered, uuid, hosts) };
    },
  };
}

/** Removes what can be removed, and says what stays. */
async function leftBehind(
  registered: readonly string[],
  own: string,
  hosts: RunHosts | undefined,
): Promise<readonly string[]> {
  if (hosts === undefined) return [keptText(registered, own)];
  const { kept, problems } = await hosts.clear(registered);
  return [...problems, keptText(kept, own)];
}

/** Names the UUIDs with the run's own beginning by the first and the last, and the others each. */
function keptText(uuids: readonly string[], own: string): string {
  if (uuids.length === 0) return 'The server keeps no registration of this run.';
  const isOwn = (uuid: string) => uuid.length === own.length && uuid.slice(0, -12) === own.slice(0, -12);
  const ranged = uuids.filter(isOwn);
  const range = ranged.length === 0 ? [] : [`${ranged.at(0)} to ${ranged.at(-1)}`];
  const others = uuids.filter((uuid) => !isOwn(uuid));
  return `The server keeps ${counted(uuids.length, 'registration')} of this run: ${[...range, ...others].join(', ')}.`;
}

function credentialsOf(text: string | undefined): AgentCredentials | undefined {
  if (text === undefined) return undefined;
  const [, uuid, password] = /^([^:]+):(.+)$/.exec(text) ?? [];
  if (uuid !== undefined && password !== undefined) return { uuid, password };
  throw new UserError('--assigned: expected UUID:PASSWORD of a registered agent that has a host, found another form.');
}
