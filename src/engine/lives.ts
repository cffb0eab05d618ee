import type { Load } from '../load/timeline.ts';
import type { PayloadWriter } from '../machine/payloads.ts';
import type { Core } from './core.ts';

/** What writes the agent's documents. */
export function payloadsOf({ lives, ports }: Core, agent: number): PayloadWriter {
  return lives.size === 0 ? ports.payloads : (lives.get(agent)?.payloads ?? ports.payloads);
}

/** For one exchange of the agent. */
export function timeoutMsOf({ lives, plan }: Core, agent: number): number {
  return lives.size === 0 ? plan.timeoutMs : (lives.get(agent)?.settings?.push?.timeoutMs ?? plan.timeoutMs);
}

/** Whether the agent's process runs, has a result, and sends what a load wants of it at an instant. */
export function sends({ lives }: Core, agent: number, due: { readonly load: Load; readonly dueMs: number }): boolean {
  const life = lives.size === 0 ? undefined : lives.get(agent);
  if (life === undefined) return true;
  const { startMs, resultMs, settings } = life;
  // Package information waits for no check run.
  if (life.ended || due.dueMs < (due.load.operation === 'packages' ? startMs : resultMs)) return false;
  if (settings === undefined) return true;
  const collects = settings.configuration === undefined || settings.configuration.packages !== undefined;
  return settings.push !== undefined && (collects || due.load.operation !== 'packages');
}
