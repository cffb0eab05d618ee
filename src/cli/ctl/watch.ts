import { UserError } from '../../base/kernel/errors.ts';
import { pauseUntil } from '../../base/runtime/event-loop.ts';
import type { EventAnswer, FiguresRow } from '../../staging/control-api/schemas.ts';
import type { CtlFlags } from '../commands/ctl.ts';
import { interruptible } from '../io.ts';
import { createControlClient, type ServerEvent } from './client.ts';
import { findFleet } from './find-fleet.ts';
import type { CtlRequest } from './request.ts';
import { secondText } from './texts.ts';

type WatchRequest = CtlRequest<CtlFlags<'watch'>>;

/** Pause before a fleet that has ended is looked for again. */
const RETRY_MS = 1000;

/** Prints changes until an interrupt. Survives a restart of the fleet, which may have another address afterwards. */
export async function watchFleet(request: WatchRequest): Promise<void> {
  await interruptible(request.io, async (signal) => {
    await watchUntilEnd(request, signal);
    while (!signal.aborted) {
      await pauseUntil(RETRY_MS, signal);
      await watchAgain(request, signal).catch((error: unknown) => {
        // The fleet is not up yet.
        if (!(error instanceof UserError)) throw error;
      });
    }
  });
}

async function watchAgain(request: WatchRequest, signal: AbortSignal): Promise<void> {
  const client = createControlClient(await findFleet(request.flags, request.io));
  await watchUntilEnd({ ...request, client }, signal);
}

/** Resolves when a fleet that was there stops sending; rejects if there was none. */
async function watchUntilEnd({ client, flags, io }: WatchRequest, signal: AbortSignal): Promise<void> {
  let isUp = false;
  try {
    for await (const event of client.events('/api/v1/changes', signal)) {
      isUp = true;
      const line = flags.json ? JSON.stringify(event) : changeLine(event);
      if (line !== undefined) io.stdout.write(`${line}\n`);
    }
  } catch (error) {
    if (signal.aborted) return;
    if (!isUp || !(error instanceof UserError)) throw error;
    io.stderr.write(`${error.message} Waiting for it; Ctrl-C ends.\n`);
  }
}

/** The line of a change; `undefined` for one that only programs read. */
function changeLine({ event, data }: ServerEvent): string | undefined {
  if (event === 'second') return secondText(data as FiguresRow);
  if (event !== 'event') return undefined;
  const { name, do: kind, cohort, status } = data as EventAnswer;
  return `          ${name}: ${kind} (${cohort}), ${status}`;
}
