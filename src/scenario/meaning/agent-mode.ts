import type { Scenario } from '../scenario.ts';

/** Whether agents only listen: they have a web server, and no phase has them send anything. */
export function isPullMode({ webServer, phases }: Pick<Scenario, 'webServer' | 'phases'>): boolean {
  return webServer !== undefined && phases.every(({ loads }) => loads.length === 0);
}
