import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monotonicClock, realTimer } from '../../base/runtime/event-loop.ts';
import type { AgentCase } from '../../conformance/agent/agent-case.ts';
import { openAuthority } from '../../conformance/agent/authority.ts';
import { type AgentFindings, tryAgent } from '../../conformance/agent/mode.ts';
import { displayUrl } from '../../scenario/server-urls.ts';
import { type Authority, makeAuthority } from '../../wire/poller/authority.ts';
import type { ConformFlags } from '../commands/others.ts';
import { tlsOf } from '../flags/server-settings.ts';
import { flagOrVariable } from '../flags/values.ts';
import type { Io } from '../io.ts';
import { isReachable, type Mode, peerOf, urlOf } from './subject.ts';

/** The agent's first check run takes up to 6 s, and the next one begins after an interval. */
const PATIENCE_MS = 45_000;
const CHANGES = `With --allow-changes, Muster pushes configurations to the agent, which reloads it, and gives it back its own at the end.
It also sends it certificates, if it can switch on try-autossl: agent.crt and server_ca.crt are replaced and stay so.
`;

export async function agentMode(flags: ConformFlags, io: Io): Promise<Mode<AgentCase>> {
  const url = urlOf(flags);
  const peer = await peerOf(url, { ...flags, insecure: true }, io);
  const tls = await tlsOf(flags, io);
  const allowChanges = flags['allow-changes'] ?? false;
  const given = tls?.kind === 'given' ? tls : undefined;
  const auth = flagOrVariable('auth', flags, io.env).value;
  const run: Mode<AgentCase>['run'] = async (cases, ports) => {
    if (!(await isReachable(peer, ports, io))) return undefined;
    const files = createFolder();
    if (allowChanges) io.stderr.write(CHANGES);
    const own = allowChanges ? (given ?? (await ownAuthority(files))) : given;
    const subject = {
      peer,
      base: url.origin,
      auth,
      allowChanges,
      patienceMs: PATIENCE_MS,
      authority: own && (await openAuthority(own)),
      saved: (configuration: string) => files.write('configuration.json', configuration),
      clock: monotonicClock,
      timer: realTimer,
    };
    const findings = await tryAgent(subject, cases, ports);
    if (findings === undefined) io.stderr.write(`${url.origin} gave no answer to GET /.\n`);
    const isNeeded = findings?.configuration === 'lost' || findings?.hasCertificates;
    if (!isNeeded) files.remove();
    return findings && { results: findings.results, left: leftText(findings, files.folder()) };
  };
  return { subject: displayUrl(url.href), run };
}

/** What is needed to reach the agent again, and to repair it, should this process be killed. */
function createFolder() {
  let folder: string | undefined;
  return {
    folder: () => folder,
    write: (name: string, text: string) => {
      folder ??= mkdtempSync(join(tmpdir(), 'muster-conform-'));
      writeFileSync(join(folder, name), text, { mode: 0o600 });
    },
    remove: () => {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ownAuthority(files: ReturnType<typeof createFolder>): Promise<Authority> {
  const authority = await makeAuthority({ systemId: 'muster-conform', keyType: 'rsa-4096', nowMs: Date.now() });
  files.write('authority.crt', authority.certificate);
  files.write('authority.key', authority.key);
  return authority;
}

function leftText({ configuration, hasCertificates }: AgentFindings, folder: string | undefined): readonly string[] {
  const texts = {
    untouched:
      'The configuration of the agent was not changed. GET /autotls writes agent.csr, and agent.key if there is none.',
    restored: 'The agent has its configuration back.',
    lost: `The agent did not take its configuration back: send ${folder}/configuration.json to POST /config, or restart it with its old files.`,
  };
  const certificates = `It keeps certificates of this run in agent.crt and server_ca.crt: delete them, or poll with ${folder}/authority.crt and authority.key.`;
  return [texts[configuration], ...(hasCertificates && folder !== undefined ? [certificates] : [])];
}
