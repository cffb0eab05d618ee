import { join, resolve } from 'node:path';
import { messageOf, NotYetError } from '../../base/kernel/errors.ts';
import { printable } from '../../base/kernel/printable.ts';
import { counted, formatDuration } from '../../base/kernel/units.ts';
import { oneAtATime, pauseUntil } from '../../base/runtime/event-loop.ts';
import { identitiesOf, lastingToken } from '../../base/storage/control-file.ts';
import type { RunFigures } from '../../outputs/exposition/run-families.ts';
import type { WebhookOrder } from '../../outputs/webhook/webhook.ts';
import type { RunOutcome } from '../../run/run.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { FleetNews } from '../../staging/fleet/feed.ts';
import { type StartedFleet, startFleet } from '../../staging/fleet/fleet.ts';
import { keptBeside } from '../../staging/fleet/fleet-changes.ts';
import type { FleetFlags } from '../commands/fleets.ts';
import { openControl } from '../control/open-control.ts';
import { EXIT_CODES, type ExitCode, exitCodeOf, worstExitCode } from '../exit-codes.ts';
import { clusterRequest, type OpenCluster, openCluster } from '../flags/cluster-request.ts';
import type { CommandContext } from '../flags/common.ts';
import { figuresRequest } from '../flags/figures-request.ts';
import { loadScenario } from '../flags/load-scenarios.ts';
import { controlOfFleet, workerCount } from '../flags/run.ts';
import { flagOrVariable } from '../flags/values.ts';
import { type Io, interruptible } from '../io.ts';
import { openFigures, takeEvent } from '../open-figures.ts';
import { createProgress, type Progress, showEvent, stopAtInterrupts } from '../output/progress.ts';
import { startSelfProvisioning } from '../self-provisioning.ts';
import { sendWebhook, webhookOrder } from '../webhook.ts';

/**
 * Keeps a fleet running. The first interrupt waits for operations in flight, the second stops immediately. Waits for addresses and the
 * clock of the machine, which may not be there yet after a boot.
 */
export async function keepFleet(flags: FleetFlags, io: Io): Promise<ExitCode> {
  const note = (sentence: string): void => void io.stderr.write(`! ${printable(sentence)}\n`);
  try {
    return await interruptible(io, (signal) => whenAvailable(() => keptFleet(flags, io), { note, signal }));
  } catch (error) {
    if (error instanceof WaitEndedError) return EXIT_CODES.pass;
    throw error;
  }
}

async function keptFleet(flags: FleetFlags, io: Io): Promise<ExitCode> {
  const { scenario, environment } = await loadScenario(flags.scenario, flags, io);
  const [workers, control] = [workerCount(flags, environment), controlOfFleet(flags, environment)];
  if (scenario.thresholds.length > 0)
    io.stderr.write('! muster fleet does not evaluate thresholds: it ignores those of this scenario\n');
  const cluster = clusterRequest({ ...flags, resume: undefined }, environment);
  const webhook = webhookOrder(flags, environment);
  const outputs = await openFigures(await figuresRequest(flags, { environment, cwd: io.cwd }), io);
  let machines: OpenCluster | undefined;
  try {
    const identities = fleetIdentities(flags, scenario, { environment, cwd: io.cwd });
    const file = resolve(io.cwd, flags.scenario);
    if (cluster !== undefined) {
      machines = await openCluster(cluster, 'muster fleet', environment);
      const { awaitMachines } = await import('../../cluster/coordinator.ts');
      await awaitMachines(machines.order, keptBeside(identities, scenario), (text) => io.stderr.write(`${text}\n`));
    }
    const joined = machines?.machines();
    const order = { scenario, file, identities, workers, machines: joined, upgradesHosts: flags['upgrade-hosts'] };
    let take = (news: FleetNews): void => {
      if (news.kind === 'note') io.stderr.write(`! ${printable(news.text)}\n`);
    };
    const fleet = startFleet(order, (news) => take(news));
    const { phases } = fleet.current;
    const progress = createProgress(fleet.current, { quiet: flags.quiet, machines: joined }, io);
    const figures = outputs?.begin({ scenario: scenario.name, seed: scenario.fleet.seed, phases }, progress.note);
    const shown = { progress, figures, startedText: () => startedText(fleet, identities) };
    take = (news) => show(news, shown);
    const unsubscribe = stopAtInterrupts(fleet, progress, io);
    // The lock of the figures guards the control file, too. The agents do not wait for the address of the API.
    const ended = new AbortController();
    if (figures !== undefined) fleet.subscribe(observeHealth(fleet, figures));
    if (webhook !== undefined)
      fleet.subscribe(await notifyOfHealth(fleet, webhook, { ...io, stderr: { write: progress.note } }));
    const closing = whenAvailable(async () => openControl(control, { fleet, token: lastingToken(identities) }, io), {
      note: (sentence) => progress.note(`! ${printable(sentence)}`),
      signal: ended.signal,
    });
    closing.catch(() => fleet.send('cancel'));
    const provisioning = startSelfProvisioning({ scenario: () => fleet.scenario, note: progress.note, cwd: io.cwd });
    fleet.subscribe(provisioning.take);
    try {
      return exitOf(await fleet.outcome, progress.note);
    } finally {
      unsubscribe();
      progress.end();
      ended.abort();
      await provisioning.end();
      const close = await closing.catch((error: unknown) => {
        if (error instanceof WaitEndedError) return () => {};
        throw error;
      });
      close();
    }
  } finally {
    await machines?.close();
    await outputs?.close();
  }
}

const LOOKED_EVERY_SECONDS = 5;

/** Looks at a fleet every few seconds, except while the last look still takes. A fleet that is ending has no agents to ask. */
function everyFewSeconds(look: () => Promise<void>): (news: FleetNews) => void {
  const lookOnce = oneAtATime(look, 0);
  return (news) => {
    if (news.kind === 'seconds' && (news.seconds.at(-1)?.second ?? 0) % LOOKED_EVERY_SECONDS === 0) lookOnce();
  };
}

/** Lets scrapers see the health of the agents and the events. */
function observeHealth(fleet: StartedFleet, figures: RunFigures): (news: FleetNews) => void {
  return everyFewSeconds(async () => {
    const { fleetObservation } = await import('../../staging/control-api/routes/events.ts');
    figures.observe(await fleetObservation(fleet));
  });
}

/** Tells others of lasting changes of the fleet's health, one after another. */
async function notifyOfHealth(fleet: StartedFleet, order: WebhookOrder, io: Io): Promise<(news: FleetNews) => void> {
  const { createHealthWatch } = await import('../../outputs/webhook/webhook.ts');
  const { fleetHealth } = await import('../../staging/control-api/fleet-health.ts');
  const watch = createHealthWatch(fleet.scenario.name);
  return everyFewSeconds(async () => {
    const notice = watch(fleetHealth(await fleet.agents.health(), fleet), new Date());
    if (notice !== undefined) await sendWebhook(notice, order, io);
  });
}

type Shown = {
  readonly progress: Progress;
  readonly figures: RunFigures | undefined;
  readonly startedText: () => string;
};

function show(news: FleetNews, { progress, figures, startedText }: Shown): void {
  if (news.kind !== 'applied') takeEvent(figures, news);
  if (news.kind === 'applied') progress.note(`applied an edited scenario: ${agentsUp(news.scenario.fleet.agents)}`);
  else if (news.kind === 'started') progress.note(startedText());
  else if (news.kind === 'note') progress.note(`! ${printable(news.text)}`);
  else showEvent(news, progress);
}

function agentsUp(agents: number): string {
  return `${counted(agents, 'agent')} ${agents === 1 ? 'is' : 'are'} up`;
}

/** `staging: 2000 agents are up for the first time; their files are /…/identities.db*` */
function startedText({ scenario: { name, fleet }, times }: StartedFleet, identities: string): string {
  const { firstStartedAt, startedAt } = times() ?? { firstStartedAt: new Date(0), startedAt: new Date(0) };
  const sinceMs = startedAt.getTime() - firstStartedAt.getTime();
  const since =
    sinceMs === 0
      ? 'for the first time'
      : `again, ${formatDuration(Math.floor(sinceMs / 1000) * 1000)} after the first start`;
  return `${name}: ${agentsUp(fleet.agents)} ${since}; the data files are ${identities}*`;
}

/** An interrupt is the normal end of a fleet. */
function exitOf({ summary, resultsProblem }: RunOutcome, note: (text: string) => void): ExitCode {
  const reasons = summary.verdict.reasons.filter(({ kind }) => kind === 'incomplete');
  for (const { text } of reasons) note(`! ${printable(text)}`);
  const code = reasons.length === 0 ? EXIT_CODES.pass : exitCodeOf('incomplete');
  return resultsProblem === undefined ? code : worstExitCode([EXIT_CODES.notStored, code]);
}

/** Absolute path of a kept fleet's identity file; all other persistent data is next to it. */
function fleetIdentities(
  flags: { readonly data: string | undefined },
  scenario: Scenario,
  { environment, cwd }: CommandContext,
): string {
  const { value: folder } = flagOrVariable('data', flags, environment);
  if (folder !== undefined) return join(resolve(cwd, folder), 'identities.db');
  return identitiesOf(scenario, cwd);
}

const EVERY_MS = 1000;
const NOTED_EVERY = 60;

/** Ends the wait for something that may come later. */
export class WaitEndedError extends Error {}

/**
 * Repeats an attempt every second while what it needs may come later, and notes why: immediately, and then every minute.
 * @throws WaitEndedError after the signal.
 */
export async function whenAvailable<T>(
  attempt: () => Promise<T>,
  { note, signal }: { readonly note: (sentence: string) => void; readonly signal: AbortSignal },
  wait = pauseUntil,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof NotYetError)) throw error;
      if (tries % NOTED_EVERY === 0) note(`${messageOf(error)} Muster waits and tries again every second.`);
    }
    await wait(EVERY_MS, signal);
    if (signal.aborted) throw new WaitEndedError('interrupted');
  }
}
