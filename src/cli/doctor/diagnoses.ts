import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { counted, formatBytes } from '../../base/kernel/units.ts';
import { monotonicClock } from '../../base/runtime/event-loop.ts';
import type { MachineLimits } from '../../base/system/limits.ts';
import type { MachineMeter } from '../../base/system/machine-load.ts';
import { countText } from '../../report/page/figures.ts';
import { percentileOf } from '../../run/calibration/truth.ts';
import { COSTS, needed, type Resource, remedyFor, roomIn, workersOn } from '../../scenario/planning/needs.ts';

export type Diagnosis = {
  /** `absent`: optional and not found. */
  readonly mark: 'good' | 'caution' | 'absent';
  readonly what: string;
  readonly found: string;
  /** Its consequence. */
  readonly meaning: string;
  /** How to raise the limit; empty if it suffices. */
  readonly remedy: string;
};

/** A diagnosis with a remedy only if it is needed. */
function diagnosisOf(isGood: boolean, diagnosis: Omit<Diagnosis, 'mark'>): Diagnosis {
  return { ...diagnosis, mark: isGood ? 'good' : 'caution', remedy: isGood ? '' : diagnosis.remedy };
}

const MIN_NODE_VERSION = 24;

/** What this machine's limits mean for a fleet with one connection per agent. */
export function machineDiagnoses(limits: MachineLimits, agents: number): readonly Diagnosis[] {
  const { fileDescriptors: soft, hardFileDescriptors: hard, localPorts, memoryBytes } = limits;
  return [
    roomDiagnosis('open files', openFilesText(soft, hard), { resource: 'fileDescriptors', available: soft, agents }),
    roomDiagnosis('local ports', amountText(localPorts), { resource: 'localPorts', available: localPorts, agents }),
    coresDiagnosis(limits),
    roomDiagnosis('memory', formatBytes(memoryBytes), { resource: 'memoryBytes', available: memoryBytes, agents }),
  ];
}

export function nodeDiagnosis(version: string): Diagnosis {
  return diagnosisOf(Number.parseInt(version.replace(/^v/, ''), 10) >= MIN_NODE_VERSION, {
    what: 'Node',
    found: version,
    meaning: `requires ${MIN_NODE_VERSION} or newer`,
    remedy: 'npm ci installs a newer version in the checkout, which npm start and muster use',
  });
}

type Room = { readonly resource: Resource; readonly available: number | undefined; readonly agents: number };

function roomDiagnosis(what: string, found: string, { resource, available, agents }: Room): Diagnosis {
  const { external, embedded } = COSTS;
  const most = needed(embedded[resource], agents);
  if (available === undefined)
    return diagnosisOf(true, { what, found, meaning: `${countText(most)} needed at peak`, remedy: '' });
  const text = resource === 'memoryBytes' ? aboutText : fleetText;
  const alone = text(roomIn(available, external[resource]));
  const together = text(roomIn(available, embedded[resource]));
  const place = resource === 'localPorts' ? ' to one address and port of a server' : '';
  const meaning = alone === together ? `${alone}${place}` : `${alone}; with the embedded server: ${together}`;
  return diagnosisOf(most <= available, { what, found, meaning, remedy: remedyFor(resource, most) });
}

function coresDiagnosis({ cores }: MachineLimits): Diagnosis {
  const [alone, together] = [workersOn(cores, 'external'), workersOn(cores, 'embedded')];
  return diagnosisOf(cores > 1, {
    what: 'cores',
    found: String(Number(cores.toFixed(2))),
    meaning: `${counted(alone, 'worker')}; with the embedded server: ${together}`,
    remedy: 'add a second core: on one core, the agents and the embedded server slow each other down',
  });
}

function openFilesText(soft: number | undefined, hard: number | undefined): string {
  if (soft === undefined) return amountText(soft);
  return soft === hard ? `${amountText(soft)} soft and hard` : `${amountText(soft)} soft, ${amountText(hard)} hard`;
}

function amountText(amount: number | undefined): string {
  if (amount === undefined) return 'unknown';
  return amount === Number.POSITIVE_INFINITY ? 'no limit' : countText(amount);
}

function fleetText(agents: number): string {
  return agents === Number.POSITIVE_INFINITY ? 'any fleet' : counted(agents, 'agent', countText(agents));
}

// The memory per agent is an estimate with two significant digits.
function aboutText(agents: number): string {
  return `about ${fleetText(Number(agents.toPrecision(2)))}`;
}

/** Clock resolution of this process and lateness of its timers, in milliseconds. */
export type ClockPrecision = {
  /** Median step of the monotonic clock. */
  readonly stepMs: number;
  /** How late one-millisecond timers fired. */
  readonly timerLateMs: { readonly median: number; readonly worst: number };
};

const TIMERS = 50;
const STEPS = 1000;
// Node rounds timers up to whole milliseconds; the limits allow for that and some jitter.
const USUAL_STEP_MS = 0.01;
const USUAL_LATE_MS = 2;
const USUAL_WORST_MS = 20;

/** Takes about a tenth of a second. */
export async function measureClock(): Promise<ClockPrecision> {
  const late: number[] = [];
  for (let i = 0; i < TIMERS; i++) {
    const dueMs = monotonicClock() + 1;
    await new Promise((resolve) => setTimeout(resolve, 1));
    late.push(Math.max(0, monotonicClock() - dueMs));
  }
  return {
    stepMs: percentileOf(clockSteps(), 50),
    timerLateMs: { median: percentileOf(late, 50), worst: percentileOf(late, 100) },
  };
}

export function clockDiagnoses({ stepMs, timerLateMs: { median, worst } }: ClockPrecision): readonly Diagnosis[] {
  return [
    diagnosisOf(stepMs <= USUAL_STEP_MS, {
      what: 'clock',
      found: `steps of ${stepText(stepMs)}`,
      meaning: 'durations are recorded in microseconds',
      remedy: 'choose a finer clock source for the kernel or the virtual machine',
    }),
    diagnosisOf(median <= USUAL_LATE_MS && worst <= USUAL_WORST_MS, {
      what: 'timers',
      found: `${stepText(median)} late`,
      meaning: `median of ${TIMERS}; worst: ${stepText(worst)}`,
      remedy: 'other processes are using the cores: stop them before measuring, or add cores',
    }),
  ];
}

// Beyond this share of the cores, a generator waits for one noticeably often.
const MUCH_TAKEN = 0.25;

/** What others take of this machine now; nothing if the system does not tell. */
export function neighborDiagnoses({
  cores,
  otherCores,
  stealShare = 0,
}: ReturnType<MachineMeter>): readonly Diagnosis[] {
  if (otherCores === undefined) return [];
  const share = otherCores / cores + stealShare;
  const stolen = stealShare < 0.01 ? '' : `; the hypervisor gave ${Math.round(stealShare * 100)}% to other machines`;
  return [
    diagnosisOf(share <= MUCH_TAKEN, {
      what: 'other processes',
      found: `${otherCores.toFixed(1)} of ${counted(cores, 'core')}`,
      meaning: `${Math.round((otherCores / cores) * 100)}% of this machine in the last second${stolen}`,
      remedy: 'stop them before measuring: what they delay is left out of thresholds, and above 20% it is not judged',
    }),
  ];
}

function clockSteps(): readonly number[] {
  const steps: number[] = [];
  let before = performance.now();
  while (steps.length < STEPS) {
    const now = performance.now();
    if (now > before) steps.push(now - before);
    before = now;
  }
  return steps;
}

function stepText(milliseconds: number): string {
  if (milliseconds < 0.001) return `${Math.round(milliseconds * 1e6)} ns`;
  return milliseconds < 1 ? `${Math.round(milliseconds * 1000)} µs` : `${milliseconds.toFixed(1)} ms`;
}

const OPTIONAL_PROGRAMS = [
  { name: 'nginx', purpose: 'server for npm run bench' },
  { name: 'wrk', purpose: 'load generator that npm run bench compares with' },
  { name: 'java', purpose: "runs HdrHistogram's own tools on histograms.hlog" },
];

/** Searches the folders of a `PATH` for optional programs. */
export function programDiagnoses(path: string | undefined): readonly Diagnosis[] {
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '');
  return OPTIONAL_PROGRAMS.map(({ name, purpose }) => {
    const file = folders.map((folder) => join(folder, name)).find(isExecutable);
    return {
      mark: file === undefined ? 'absent' : 'good',
      what: name,
      found: file ?? 'not found',
      meaning: purpose,
      remedy: '',
    };
  });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
