import { hash32, uniform } from '../../base/kernel/random.ts';
import { realTimer } from '../../base/runtime/event-loop.ts';
import type { Fault, RequestFault } from '../faults/schema.ts';
import { NotStoredError } from '../registrations.ts';
import { type ActiveFault, type FaultTarget, NO_FAULT, planRequest, type RequestPlan } from './request-plan.ts';

export type ServerCondition = {
  readonly frozen: boolean;
  readonly accepting: boolean;
  readonly connectionLimit: number;
  readonly down: boolean;
};

/** A freeze of the server, during which all actions wait. */
export type Freeze = ReturnType<typeof createFreeze>;

export function createFreeze() {
  let standstill: PromiseWithResolvers<void> | undefined;
  return {
    holds: (): boolean => standstill !== undefined,
    /** Resolves when the freeze ends; waiters continue in order of arrival. */
    thawed: async (): Promise<void> => {
      while (standstill !== undefined) await standstill.promise;
    },
    set: (frozen: boolean) => {
      if (frozen) {
        standstill ??= Promise.withResolvers();
        return;
      }
      standstill?.resolve();
      standstill = undefined;
    },
  };
}

export type ServerEffects = {
  readonly become: (condition: ServerCondition) => void;
  readonly forget: (isForgotten: (uuid: string) => boolean) => void;
};

export type FaultInjector = ReturnType<typeof createFaultInjector>;

export function createFaultInjector(seed: number, effects: ServerEffects) {
  let current: readonly Fault[] = [];
  let active: readonly ActiveFault[] = [];
  let notStored: NotStoredError | undefined;
  const schedule = createFaultSchedule({
    started: ({ index, fault }) => {
      if (fault.do !== 'forget') return;
      try {
        effects.forget((uuid) => uniform(seed, 'fault.forget', index, hash32(0, uuid)) < fault.share);
      } catch (error) {
        if (!(error instanceof NotStoredError)) throw error;
        notStored = error;
      }
    },
    changed: (numbered) => {
      active = numbered.flatMap(({ index, fault }) => (isRequestFault(fault) ? [{ index, fault }] : []));
      effects.become(conditionUnder(numbered));
    },
  });
  return {
    /**
     * Replaces all faults; their times count from now.
     * @throws NotStoredError if a fault that starts immediately could not change the data file; the other faults apply.
     */
    set: (faults: readonly Fault[]) => {
      current = faults;
      notStored = undefined;
      schedule.set(faults);
      if (notStored !== undefined) throw notStored;
    },
    current: (): readonly Fault[] => current,
    /** Determines what goes wrong with this request; `undefined`: nothing. */
    plan: (target: FaultTarget): RequestPlan | undefined => {
      const plan = active.length === 0 ? NO_FAULT : planRequest(seed, active, target);
      return plan === NO_FAULT ? undefined : plan;
    },
    stop: schedule.stop,
  };
}

// Not beside the schema, which takes a third of the time that a server's thread needs to start.
export function isRequestFault(fault: Fault): fault is RequestFault {
  return 'operations' in fault;
}

function conditionUnder(numbered: readonly NumberedFault[]): ServerCondition {
  const faults = numbered.map(({ fault }) => fault);
  const limits = faults.map((fault) =>
    fault.do === 'connection-limit' ? fault.connections : Number.POSITIVE_INFINITY,
  );
  return {
    frozen: faults.some((fault) => fault.do === 'freeze'),
    accepting: !faults.some((fault) => fault.do === 'stop-accepting'),
    connectionLimit: Math.min(...limits, Number.POSITIVE_INFINITY),
    down: faults.some((fault) => fault.do === 'outage'),
  };
}

/** A fault, with its index among all that were set. */
export type NumberedFault = { readonly index: number; readonly fault: Fault };

export type ScheduleListener = {
  readonly started: (fault: NumberedFault) => void;
  /** The active faults, in the order in which they were set. */
  readonly changed: (active: readonly NumberedFault[]) => void;
};

/** Starts and ends faults at their times. */
export function createFaultSchedule({ started, changed }: ScheduleListener) {
  const timers = new Set<() => void>();
  let active: readonly NumberedFault[] = [];
  const at = (delayMs: number, act: () => void) => {
    const cancel = realTimer(delayMs, () => {
      timers.delete(cancel);
      act();
    });
    timers.add(cancel);
  };
  const begin = (numbered: NumberedFault) => {
    const { fault } = numbered;
    // Measured from its actual start, so that a delayed fault has its full duration.
    if ('forMs' in fault && fault.forMs !== undefined) at(fault.forMs, () => end(numbered));
    active = [...active, numbered].sort((a, b) => a.index - b.index);
    changed(active);
    started(numbered);
  };
  const end = (numbered: NumberedFault) => {
    active = active.filter((other) => other !== numbered);
    changed(active);
  };
  const stop = () => {
    for (const cancel of timers) cancel();
    timers.clear();
  };
  return {
    /** Replaces all faults; their times count from now. */
    set: (faults: readonly Fault[]) => {
      stop();
      active = [];
      changed(active);
      for (const [index, fault] of faults.entries()) {
        const numbered = { index, fault };
        if (fault.atMs === 0) begin(numbered);
        else at(fault.atMs, () => begin(numbered));
      }
    },
    /** Cancels all pending starts and ends. */
    stop,
  };
}
