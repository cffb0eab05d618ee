import { AGENT_VERSION, USER_AGENT } from './push.ts';

/** Known releases of the agent, from the oldest to the latest one (docs/reference/events.md, "upgrade"). */
export const AGENT_VERSIONS = [
  ...(['3.0.10', '3.0.11', '3.0.12', '3.1.0', '3.1.1', '3.2.0', '3.2.1', '3.3.0'] as const),
  ...(['3.4.0', '3.5.0', '3.5.1', '3.5.2', '3.6.0', AGENT_VERSION] as const),
] as const;

/** What a release has that those before it had not. */
const NEWS = {
  /** `agent.goversion` in the check data. */
  goVersion: '3.0.11',
  /** `agent.check_interval` in the check data, and the check `ntp`. */
  ntp: '3.0.12',
  /** The names of exporters in the check data; and the check of the processor waits for the other checks. */
  exporters: '3.1.0',
  /** The agent names itself in requests; those before are Go's client. */
  userAgent: '3.1.1',
  /** Package information: collected, summarized in check data, and pushed. */
  packages: '3.5.0',
} as const satisfies Readonly<Record<string, (typeof AGENT_VERSIONS)[number]>>;

type AgentFeature = keyof typeof NEWS;

/** Whether a release has it; a version that is undefined is the present one. */
export function hasFeature(version: string | undefined, feature: AgentFeature): boolean {
  return version === undefined || placeOf(version) >= placeOf(NEWS[feature]);
}

/** What an agent of a release calls itself in its requests. */
export function userAgentOf(version: string | undefined): string {
  if (version === undefined) return USER_AGENT;
  return hasFeature(version, 'userAgent') ? USER_AGENT.replace(AGENT_VERSION, version) : 'Go-http-client/1.1';
}

/** @throws RangeError of a release that is not known, which no scenario lets through. */
function placeOf(version: string): number {
  const place = (AGENT_VERSIONS as readonly string[]).indexOf(version);
  if (place < 0) throw new RangeError(`agent ${version} is not known`);
  return place;
}
