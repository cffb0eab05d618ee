import { onTestFinished } from 'vitest';
import type { FaultInput } from '../../../src/server/faults/schema.ts';
import type { MonitoringServerSettings } from '../../../src/server/settings.ts';
import { startMonitoringServer } from '../../../src/server/start.ts';
import { faultsOf } from '../faults/faults-of.ts';

/** Credentials of the agent that a server with faults knows. */
export const own = { agentuuid: 'a', password: 'p' };

/** A server with these faults, which runs until the end of the test. */
export async function startWith(faults: readonly FaultInput[], settings: Partial<MonitoringServerSettings> = {}) {
  const registrations = [{ uuid: own.agentuuid, password: own.password }];
  const server = await startMonitoringServer({ registrations, ...settings, faults: faultsOf(...faults) });
  onTestFinished(() => server.stop());
  return server;
}
