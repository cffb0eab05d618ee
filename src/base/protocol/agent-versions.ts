import { AGENT_VERSION, USER_AGENT } from './push.ts';

/** Known releases of the agent, oldest first (docs/reference/events.md, "upgrade"). */
export const AGENT_VERSIONS = [
  ...(['3.0.10', '3.0.11', '3.0.12', '3.1.0', '3.1.1', '3.2.0', '3.2.1', '3.3.0'] as const),
  ...(['3.4.0', '3.5.0', '3.5.1', '3.5.2', '3.6.0', AGENT_VERSION] as const),
] as const;

/** The release that introduced each feature. */
const NEWS = {
  goVersion: '3.0.11',
  /** `agent.check_interval` in the check data, and the check `ntp`. */
  ntp: '3.0.12',
  /** Names of exporters in the check data; the CPU check waits for the other checks. */
  exporters: '3.1.0',
  /** The agent's own user agent; earlier releases send that of Go's client. */
  userAgent: '3.1.1',
  /** Package information: collected, summarized in check data, and pushed. */
  packages: '3.5.0',
} as const satisfies Readonly<Record<string, (typeof AGENT_VERSIONS)[number]>>;

type AgentFeature = keyof typeof NEWS;

/** Whether a release has a feature; `undefined` stands for the current release. */
export function hasFeature(version: string | undefined, feature: AgentFeature): boolean {
  return version === undefined || indexOf(version) >= indexOf(NEWS[feature]);
}

/** User agent of Go's client over HTTP/1.1, which releases without an own one send. */
export const GO_USER_AGENT = 'Go-http-client/1.1';

export function userAgentOf(version: string | undefined): string {
  if (version === undefined) return USER_AGENT;
  return hasFeature(version, 'userAgent') ? USER_AGENT.replace(AGENT_VERSION, version) : GO_USER_AGENT;
}

/** @throws RangeError if the release is unknown, which scenarios rule out. */
function indexOf(version: string): number {
  const index = (AGENT_VERSIONS as readonly string[]).indexOf(version);
  if (index < 0) throw new RangeError(`agent ${version} is not known`);
  return index;
}
