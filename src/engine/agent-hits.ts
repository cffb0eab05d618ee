import { uuidOf } from '../agent/identity.ts';
import { type AgentAction, type Disconnection, isHostAction } from '../events/event.ts';
import { endProcess, LIFE, listens, restartProcess, synchronize } from './agent-life.ts';
import { IDLE, IN_FLIGHT, STORING, STORING_ONLY } from './agent-table.ts';
import type { ActionOf } from './circumstances.ts';
import type { EngineState } from './engine-state.ts';
import type { AgentHit } from './fleet-events.ts';
import { divergedPassword } from './identities.ts';

/** An event begins for an agent, or is over for it. What it does comes down to a few verbs of the agent's life. */
export function takeHit(engine: EngineState, hit: AgentHit): void {
  const { agent, event, action, atMs, kind } = hit;
  if (isHostAction(action)) {
    // All else that happens to hosts shows in nothing but documents, which know it by time.
    if (action.kind === 'reboot') engine.outages.renew(agent, atMs, kind);
  } else if (kind === 'begins') begin(engine, { agent, event, action, atMs });
  else if (engine.circumstances.end(agent, event)) end(engine, { agent, action, atMs });
}

type Hit = Pick<AgentHit, 'agent' | 'event' | 'atMs'> & { readonly action: AgentAction };

function begin(engine: EngineState, { agent, event, action, atMs }: Hit): void {
  const { circumstances, identities } = engine;
  switch (action.kind) {
    case 'restart':
      break;
    case 'lose-password':
      // Of what was before the run, the agent's disk knows.
      if (atMs < 0) break;
      identities.forgetPassword(agent);
      engine.ports.forgetCredential?.(agent);
      break;
    case 'new-identity':
      identities.renew(agent);
      break;
    case 'synchronize':
      synchronize(engine, agent, atMs);
      return;
    case 'disconnect':
      circumstances.begin(agent, event, action);
      disconnect(engine, agent, action.how);
      return;
    case 'stop':
    case 'scale':
      circumstances.begin(agent, event, action);
      stopProcess(engine, agent, atMs);
      return;
    case 'misbehave':
      circumstances.begin(agent, event, action);
      return;
    case 'clone':
      circumstances.begin(agent, event, action);
      copy(engine, agent, action);
      break;
    case 'upgrade':
    case 'retarget':
      circumstances.begin(agent, event, action);
      break;
  }
  begunAnew(engine, agent, atMs);
}

function end(engine: EngineState, { agent, action, atMs }: Omit<Hit, 'event'>): void {
  const { circumstances, identities, reconfigurations } = engine;
  switch (action.kind) {
    case 'stop':
    case 'scale':
      if (!circumstances.isStopped(agent)) startProcess(engine, agent, atMs);
      return;
    case 'clone': {
      const present = circumstances.present(agent, 'clone');
      if (present === undefined) identities.resume(agent);
      else copy(engine, agent, present);
      break;
    }
    case 'upgrade':
    case 'retarget':
      break;
    case 'disconnect':
      if (circumstances.isOffline(agent)) return;
      engine.transport.plug(agent);
      if (isRunning(engine, agent, atMs)) listens(engine, agent);
      return;
    case 'misbehave':
      if (circumstances.present(agent, 'misbehave') === undefined) engine.ports.attacks?.leave(agent);
      return;
    default:
      return;
  }
  if (!reconfigurations.of(agent)?.ended) begunAnew(engine, agent, atMs);
  else becomeClient(engine, agent);
}

/** Its web server is unreachable, too: clients see a closed port. */
function disconnect(engine: EngineState, agent: number, how: Disconnection): void {
  const { transport, table, ports } = engine;
  ports.listening?.hostDown(agent);
  const activity = table.busy.activity(agent);
  if (how === 'cable' && transport.unplug(agent)) LIFE.unplugged[activity](engine, agent);
  else {
    LIFE.offline[activity](engine, agent);
    // What another event left half open is closed, too.
    transport.plug(agent);
    transport.disconnect(agent);
  }
}

/** What it finds on its disk now counts from now on; a process that does not run finds it when it begins. */
function begunAnew(engine: EngineState, agent: number, atMs: number): void {
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

/** A host that is away starts its agent when it is back. */
function startProcess(engine: EngineState, agent: number, atMs: number): void {
  const { outages, reconfigurations } = engine;
  outages.watch(agent, atMs);
  const before = reconfigurations.of(agent);
  if (!outages.isAway(agent, atMs)) restartProcess(engine, agent, atMs);
  else if (before !== undefined) reconfigurations.set(agent, { ...before, ended: false });
}

function copy({ plan, ports, identities, table }: EngineState, agent: number, action: ActionOf<'clone'>): void {
  const { original, password } = action;
  if (original === undefined || ports.events === undefined) return;
  const passwords = {
    shared: () => ports.events?.passwordOf(original) ?? '',
    diverged: () => divergedPassword(plan.seed, table.fleetIndex(agent)),
    none: () => '',
  };
  identities.assume(agent, uuidOf(plan.seed, original), passwords[password]());
}

/** Which version the agent is and what its configuration names is seen in its requests. */
function becomeClient({ circumstances, identities, ports }: EngineState, agent: number): void {
  const version = circumstances.present(agent, 'upgrade')?.version;
  const { url, apiKey } = circumstances.present(agent, 'retarget') ?? {};
  const isOther = version !== undefined || url !== undefined || apiKey !== undefined;
  ports.events?.become(agent, isOther ? { url, apiKey, version } : undefined);
  identities.setElsewhere(agent, url !== undefined);
}

/** `idle`: busy agents finish first. `now`: cuts operations short, unless that would leave an agent with an unknown password. */
export type Leaving = 'idle' | 'now';

/** These agents are not of the shard any more: they are counted and hit no more. Returns how many still are, to be asked again. */
export function leave(engine: EngineState, agents: readonly number[], how: Leaving): number {
  const { table, circumstances, transport, ports } = engine;
  let left = 0;
  for (const agent of agents) {
    if (table.isGone(agent)) continue;
    if (!mayLeave(engine, agent, how)) {
      left++;
      continue;
    }
    circumstances.forget(agent);
    ports.attacks?.leave(agent);
    endProcess(engine, agent);
    transport.plug(agent);
    ports.listening?.hostDown(agent);
    table.leave(agent);
  }
  return left;
}

function mayLeave({ table: { busy } }: EngineState, agent: number, how: Leaving): boolean {
  const activity = busy.activity(agent);
  if (how === 'idle') return activity === IDLE;
  const isRegistering = activity === IN_FLIGHT && busy.operation(agent) === 'register';
  return !isRegistering && activity !== STORING && activity !== STORING_ONLY;
}
