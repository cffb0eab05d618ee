import { hash32 } from '../base/kernel/random.ts';
import { PASSWORD_LENGTH } from '../base/protocol/push.ts';
import { type AgentAction, type Disconnection, isHostAction } from '../load/events/event.ts';
import { uuidOf } from '../wire/agent/identity.ts';
import type { ActionOf } from './active-effects.ts';
import { LIFE } from './agent-life.ts';
import {
  configureTransport,
  endProcess,
  installFromStart,
  listens,
  restartProcess,
  synchronize,
} from './agent-process.ts';
import { IDLE, IN_FLIGHT, STORING, STORING_ONLY } from './busy-agents.ts';
import type { EngineState } from './engine-state.ts';
import type { AgentHit } from './fleet-events.ts';

/** Applies the start or the end of an event to an agent, and notes when the agent has its next result if it started again. */
export function takeHit(engine: EngineState, hit: AgentHit): void {
  const { agent, event, atMs } = hit;
  apply(engine, hit);
  const { ended = false, resultMs = atMs } = engine.reconfigurations.of(agent) ?? {};
  const startedAgainMs = ended || !Number.isFinite(resultMs) ? atMs : resultMs;
  const resumedMs = Math.max(startedAgainMs, engine.outages.returnMs(agent, atMs) ?? atMs);
  if (resumedMs > atMs) engine.events.resumes(event, atMs, resumedMs);
}

/** Acts through the functions of `agent-life.ts`. */
function apply(engine: EngineState, hit: AgentHit): void {
  const { agent, event, action, atMs, kind } = hit;
  if (isHostAction(action)) {
    // Other events on hosts change only documents, which are functions of time.
    if (action.kind === 'reboot') engine.outages.renew(agent, atMs, kind);
  } else if (kind === 'begins') begin(engine, { agent, event, action, atMs });
  else if (engine.activeEffects.end(agent, event)) end(engine, { agent, action, atMs });
}

type Hit = Pick<AgentHit, 'agent' | 'event' | 'atMs'> & { readonly action: AgentAction };

function begin(engine: EngineState, { agent, event, action, atMs }: Hit): void {
  const { activeEffects, identities } = engine;
  switch (action.kind) {
    case 'restart':
      break;
    case 'lose-password':
    case 'register-again':
      // A loss before the run is already reflected in the agent's files.
      if (atMs < 0) break;
      identities.forgetPassword(agent);
      engine.ports.forgetCredential(agent);
      break;
    case 'new-identity':
      identities.renew(agent);
      break;
    case 'synchronize':
      synchronize(engine, agent, atMs);
      return;
    case 'disconnect':
      activeEffects.begin(agent, event, action);
      disconnect(engine, agent, action.how);
      return;
    case 'stop':
    case 'scale':
      activeEffects.begin(agent, event, action);
      stopProcess(engine, agent, atMs);
      return;
    case 'misbehave':
      activeEffects.begin(agent, event, action);
      return;
    case 'clone':
      activeEffects.begin(agent, event, action);
      copy(engine, agent, action);
      break;
    case 'upgrade':
    case 'retarget':
      activeEffects.begin(agent, event, action);
      if (atMs > engine.ports.events.firstStartMs()) break;
      installFromStart(engine, agent);
      becomeClient(engine, agent);
      return;
    default:
      action satisfies never;
  }
  beginAnew(engine, agent, atMs);
}

function end(engine: EngineState, { agent, action, atMs }: Omit<Hit, 'event'>): void {
  const { activeEffects, identities, reconfigurations } = engine;
  switch (action.kind) {
    case 'stop':
    case 'scale':
      if (!activeEffects.isStopped(agent)) startProcess(engine, agent, atMs);
      return;
    case 'clone': {
      const present = activeEffects.present(agent, 'clone');
      if (present === undefined) identities.resume(agent);
      else copy(engine, agent, present);
      break;
    }
    case 'upgrade':
    case 'retarget':
      break;
    case 'disconnect':
      if (activeEffects.isOffline(agent)) return;
      engine.transport.plug(agent);
      if (isRunning(engine, agent, atMs)) listens(engine, agent);
      return;
    case 'misbehave':
      if (activeEffects.present(agent, 'misbehave') === undefined) engine.ports.attacks.leave(agent);
      return;
    case 'restart':
    case 'lose-password':
    case 'register-again':
    case 'new-identity':
    case 'synchronize':
      return;
    default:
      action satisfies never;
  }
  if (!reconfigurations.of(agent)?.ended) beginAnew(engine, agent, atMs);
  else becomeClient(engine, agent);
}

/** Clients of the agent's web server see a closed port. */
function disconnect(engine: EngineState, agent: number, how: Disconnection): void {
  const { transport, table, ports } = engine;
  ports.listening?.hostDown(agent);
  const { activity } = table.busy.of(agent);
  if (how === 'cable' && transport.unplug(agent)) LIFE.unplugged[activity](engine, agent);
  else {
    LIFE.offline[activity](engine, agent);
    // Also closes connections that another event left half open.
    transport.plug(agent);
    transport.disconnect(agent);
  }
}

/** Restarts a running process, which reads the changed files. A stopped process reads them at its next start. */
function beginAnew(engine: EngineState, agent: number, atMs: number): void {
  if (isRunning(engine, agent, atMs)) restartProcess(engine, agent, atMs);
  becomeClient(engine, agent);
}

function isRunning({ outages, reconfigurations }: EngineState, agent: number, atMs: number): boolean {
  outages.watch(agent, atMs);
  return !outages.isAway(agent, atMs) && !(reconfigurations.of(agent)?.ended ?? false);
}

function stopProcess(engine: EngineState, agent: number, atMs: number): void {
  const runs = isRunning(engine, agent, atMs);
  endProcess(engine, agent, atMs);
  if (runs) engine.ports.listening?.hostDown(agent);
}

/** If the agent's host is down, the agent starts when the host is up. */
function startProcess(engine: EngineState, agent: number, atMs: number): void {
  const { outages, reconfigurations } = engine;
  outages.watch(agent, atMs);
  const before = reconfigurations.of(agent);
  if (!outages.isAway(agent, atMs)) restartProcess(engine, agent, atMs);
  else if (before !== undefined) reconfigurations.set(agent, { ...before, ended: false });
}

function copy({ plan, ports, identities, table }: EngineState, agent: number, action: ActionOf<'clone'>): void {
  const { original, password } = action;
  if (original === undefined) return;
  const passwords = {
    shared: () => ports.events.passwordOf(original),
    diverged: () => divergedPassword(plan.seed, table.fleetIndex(agent)),
    none: () => '',
  };
  identities.assume(agent, uuidOf(plan.seed, original), passwords[password]());
}

const WORD_DIGITS = 8;

/** A password that a server might have issued after the agent was cloned; only the agent knows it. */
function divergedPassword(seed: number, agent: number): string {
  const words = Array.from({ length: PASSWORD_LENGTH / WORD_DIGITS }, (_, word) =>
    hash32(seed, 'diverged password', agent, word).toString(16).padStart(WORD_DIGITS, '0'),
  );
  return words.join('');
}

/** Version, server URL and API key of the agent are visible in its requests. What its own configuration sets stays. */
function becomeClient(engine: EngineState, agent: number): void {
  const { activeEffects, table, ports } = engine;
  const version = activeEffects.present(agent, 'upgrade')?.version;
  const { url, apiKey } = activeEffects.present(agent, 'retarget') ?? {};
  const isOther = version !== undefined || url !== undefined || apiKey !== undefined;
  ports.events.become(agent, isOther ? { url, apiKey, version } : undefined);
  configureTransport(engine, agent);
  table.delivery.setElsewhere(agent, url !== undefined);
}

/** `idle`: busy agents finish first. `now`: operations are cut short, except where that would leave an agent with an unknown password. */
export type Leaving = 'idle' | 'now';

/**
 * Removes agents from the shard: they are no longer counted or hit by events. Returns the number of agents that could not leave yet; call
 * again for them.
 */
export function leave(engine: EngineState, agents: readonly number[], how: Leaving): number {
  const { table, activeEffects, transport, ports } = engine;
  let remaining = 0;
  for (const agent of agents) {
    if (table.isGone(agent)) continue;
    if (!mayLeave(engine, agent, how)) {
      remaining++;
      continue;
    }
    activeEffects.forget(agent);
    ports.attacks.leave(agent);
    endProcess(engine, agent);
    transport.plug(agent);
    ports.listening?.hostDown(agent);
    table.leave(agent);
  }
  return remaining;
}

function mayLeave({ table: { busy } }: EngineState, agent: number, how: Leaving): boolean {
  const { activity, operation } = busy.of(agent);
  if (how === 'idle') return activity === IDLE;
  const isRegistering = activity === IN_FLIGHT && operation === 'register';
  return !isRegistering && activity !== STORING && activity !== STORING_ONLY;
}
