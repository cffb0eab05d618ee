import type { Address } from '../../base/kernel/address.ts';
import { AGENT_VERSION } from '../../base/protocol/push.ts';
import type { TlsCredentials } from '../../wire/http/tls.ts';
import type { CaseResult } from '../case.ts';
import { type RunPorts, runCases } from '../run.ts';
import { CHECKDATA_ANSWERS, CONNECTIONS, REDIRECTS, TLS_CASES } from './checkdata-answers.ts';
import type { PushCase } from './push-case.ts';
import { REGISTRATION_ANSWERS } from './registration-answers.ts';
import { AFTER_REGISTRATION, CHECKDATA_REQUESTS, FIRST_REQUESTS, LATER_REQUESTS } from './requests.ts';
import { createScript } from './script.ts';
import { openScriptedServer } from './scripted-server.ts';

const OBSERVED = `agent ${AGENT_VERSION}, observed`;

/** All cases of a pushing agent, in the order in which they are tried. */
export const PUSH_CASES: readonly PushCase[] = [
  ...FIRST_REQUESTS,
  ...REGISTRATION_ANSWERS,
  ...AFTER_REGISTRATION,
  ...CHECKDATA_REQUESTS,
  ...CHECKDATA_ANSWERS,
  ...REDIRECTS,
  ...CONNECTIONS,
  ...TLS_CASES,
  ...LATER_REQUESTS,
].map((one) => (one.level === 'shipped' || one.level === 'note' ? { source: OBSERVED, ...one } : one));

export type PushesSubject = {
  readonly listen: Address;
  readonly credentials: TlsCredentials;
  /** What a registration gets. */
  readonly password: string;
  /** How long the agent may be silent. */
  readonly patienceMs: number;
  /** Called with the URL for the agent. */
  readonly opened: (url: string) => void;
  /** Called with what an agent did that no case covers. */
  readonly warn: (text: string) => void;
};

/** Silences that one case can take. */
const MAX_SILENCES = 14;

/** Takes an agent through the cases. Resolves with `undefined` if none came. @throws UserError if the address is not available. */
export async function tryPushes(
  { listen, credentials, password, patienceMs, opened, warn }: PushesSubject,
  cases: readonly PushCase[],
  ports: RunPorts,
): Promise<readonly CaseResult[] | undefined> {
  let securePort = 0;
  const { clock, timer } = ports;
  const script = createScript({ clock, timer, securePort: () => securePort, password, patienceMs, warn });
  const { arrived, earlyAnswer, tlsPolicy } = script;
  const server = await openScriptedServer(listen, credentials, { clock, timer, arrived, earlyAnswer, tlsPolicy, warn });
  securePort = server.securePort;
  opened(server.url);
  const limitMs = () => MAX_SILENCES * patienceMs;
  const results = await runCases({ cases, attempt: script.attempt, limitMs, atOnce: 1 }, ports);
  server.close();
  return script.hasBegun() ? results : undefined;
}
