import { isDeepStrictEqual } from 'node:util';
import type { AgentSettings } from '../../agent/configuration/settings.ts';
import type { ReloadSettings } from '../../engine/reconfigurations.ts';
import { MINUTE_MS } from '../../kernel/units.ts';

/** What an agent's settings mean to the engine, beside those it had first: what they do not change stays the fleet's. */
export function reloadSettings(settings: AgentSettings, first: AgentSettings): ReloadSettings {
  const { intervalSeconds, disabledChecks, customChecks, exporters, packages } = settings;
  const { intervalMinutes, updateCheck } = packages;
  return {
    configuration: {
      checkIntervalSeconds: intervalSeconds,
      disabledChecks,
      customChecks: isDeepStrictEqual(customChecks, first.customChecks) ? undefined : customChecks,
      exporters: isDeepStrictEqual(exporters, first.exporters) ? undefined : exporters.map(({ name }) => name),
      packages: packages.enabled ? { intervalMinutes, updateCheck } : undefined,
    },
    push: pushOf(settings, first),
    checkEveryMs: intervalSeconds === first.intervalSeconds ? undefined : intervalSeconds * 1000,
    packagesEveryMs: intervalMinutes === first.packages.intervalMinutes ? undefined : intervalMinutes * MINUTE_MS,
    listens: settings.webServer,
  };
}

/** An agent that is told to report to another server than the run's is silent: no load may go there. */
function pushOf({ push }: AgentSettings, first: AgentSettings): ReloadSettings['push'] {
  if (push === undefined || push.url !== first.push?.url) return undefined;
  return { timeoutMs: Math.max(0, push.timeoutSeconds) * 1000, apiKey: push.apiKey };
}
