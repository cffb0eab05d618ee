import { type Envelope, textOf } from '../json/envelope.ts';
import type { Registration } from '../registrations/registrations.ts';
import type { DialectContext, PushRequest } from './dialect.ts';

/** The agent whose credentials these are; members that are missing count as empty. */
export function findAgent(envelope: Envelope, { registrations }: DialectContext): Registration | undefined {
  return registrations.match(textOf(envelope.agentuuid), textOf(envelope.password));
}

/** Whether the operator has made the agent one of the monitored hosts. */
export function hasHost(agent: Registration | undefined): agent is Registration {
  return agent !== undefined && agent.hostSinceMs <= Date.now();
}

/** Remembers an accepted document; of its content nothing is kept. */
export function receive(agent: Registration, endpoint: 'checkdata' | 'packages', { body }: PushRequest): void {
  agent.last[endpoint] = { receivedMs: Date.now(), sizeBytes: body.length };
}
