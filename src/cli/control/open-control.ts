import { UserError } from '../../base/kernel/errors.ts';
import { once } from '../../base/kernel/memoize.ts';
import {
  controlFileOf,
  identitiesOf,
  newToken,
  recordedControl,
  writeControlFile,
} from '../../base/storage/control-file.ts';
import type { RunOrder } from '../../run/run.ts';
import type { ControlEndpoint } from '../../staging/control-api/server.ts';
import type { ControlledFleet } from '../../staging/fleet/fleet.ts';
import type { Io } from '../io.ts';
import { warnOfNetwork } from '../open-figures.ts';

/** Opens the control API of a run before the run starts. Throws `UserError` like `openControl`. */
export async function controlRun(
  place: ControlEndpoint,
  { scenario, shard, machines }: Pick<RunOrder, 'scenario' | 'shard' | 'machines'>,
  io: Io,
) {
  const { createControlledRun } = await import('../../staging/control-api/controlled-run.ts');
  const controlled = createControlledRun({ scenario, shard }, () => machines?.present() ?? []);
  await assertNoOther(scenario, io);
  const close = await openControl(place, { fleet: controlled.fleet, token: newToken() }, io);
  return { ...controlled, close };
}

/** @throws UserError if the API in the control file answers: another process runs this scenario here. */
async function assertNoOther(scenario: RunOrder['scenario'], { cwd }: Io): Promise<void> {
  const file = controlFileOf(identitiesOf(scenario, cwd));
  const record = recordedControl(file);
  if (record === undefined) return;
  const { createControlClient } = await import('../ctl/client.ts');
  const answers = await createControlClient(record)
    .get('/api/v1/fleet', AbortSignal.timeout(ANSWERS_WITHIN_MS))
    .then(
      () => true,
      () => false,
    );
  if (answers)
    throw new UserError(
      `${file}: expected no other process with this fleet, found one that answers at ${record.url}: stop it first.`,
    );
}

const ANSWERS_WITHIN_MS = 1000;

/**
 * Opens the control API of a fleet, prints its URL on stderr, and returns a function that closes it. `MUSTER_CONTROL_TOKEN` takes
 * precedence over the fleet's own token.
 * @throws UserError if the address is not available or the control file is not writable
 */
export async function openControl(
  place: ControlEndpoint,
  { fleet, token: own }: { readonly fleet: ControlledFleet; readonly token: string },
  io: Io,
): Promise<() => void> {
  const { startControlApi } = await import('../../staging/control-api/server.ts');
  const page = once(async () => (await import('../../staging/dashboard/files.ts')).dashboardFiles());
  const token = io.env.MUSTER_CONTROL_TOKEN || own;
  const api = await startControlApi(
    place,
    { tokens: { control: token, read: io.env.MUSTER_CONTROL_READ_TOKEN || undefined }, page },
    fleet,
  );
  const record = { url: api.url, token, pid: process.pid, startedAt: new Date().toISOString() };
  try {
    const file = writeControlFile(controlFileOf(identitiesOf(fleet.scenario, io.cwd)), record);
    io.stderr.write(`Control: ${api.url}\n`);
    // The link contains the token, so it is only shown on a terminal, not in logs.
    if (io.stderr.isTTY) io.stderr.write(`Dashboard: ${api.url}/#token=${encodeURIComponent(token)}\n`);
    warnOfNetwork(place.address, api.url, io.stderr);
    return () => {
      api.close();
      file.remove();
    };
  } catch (error) {
    api.close();
    throw error;
  }
}
