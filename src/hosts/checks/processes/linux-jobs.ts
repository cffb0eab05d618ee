import { type Cell, type Cells, type Column, nth } from '../../document/nodes.ts';
import { secondsSinceEpoch } from '../../host/calendar.ts';
import type { HostState } from '../../host/host-state.ts';
import type { Lasting } from '../../host/linux/services.ts';
import { inRange, keyOf, scramble, streamLabel, unit, type ValueRange } from '../../host/noise.ts';
import type { Fill } from '../../host/part.ts';
import type { PidOf } from './linux-transient.ts';

/** A process of a daemon with successors. `running` is the cell of its service, if the service can be down. */
type RecurringProcess = {
  readonly index: number;
  readonly lasting: Exclude<Lasting, 'always'>;
  readonly running: Cell | undefined;
};

type JobsInput = {
  readonly recurring: readonly RecurringProcess[];
  /** The PIDs of all processes of daemons, including these. */
  readonly pid: Column;
  readonly pidOf: PidOf;
};

/** The current state of such a process: whether it exists, which file it works on, and a number of its own. */
export type JobRow = { readonly present: Cell; readonly file: Cell; readonly number: Cell };

/** Files that build hosts compile. */
export const SOURCE_FILES =
  `core/allocator core/arena core/bitset core/checksum core/clock core/config core/errors core/hash_map
  net/acceptor net/address net/buffer_chain net/connection net/dns_cache net/frame_codec net/http2_session net/listener
  net/tls_context store/block_cache store/compaction store/index_reader store/journal store/manifest store/page store/snapshot
  store/table_builder query/ast query/binder query/expression query/lexer query/optimizer query/parser query/plan query/scan
  query/sort query/window sched/executor sched/fiber sched/queue sched/timer_wheel sched/worker api/auth api/export_handler
  api/metrics_handler api/orders_handler api/quota api/router api/search_handler api/session tests/arena_test tests/codec_test
  tests/journal_test tests/parser_test tests/planner_test tests/router_test tests/scan_test tests/snapshot_test
  third_party/lz4 third_party/simdjson third_party/xxhash tools/bench tools/dump tools/migrate`.split(/\s+/);

const JOBS = streamLabel('processes.jobs');
/** Durations. A process with turns runs for an hour or more. Chosen, like the figures below. */
const JOB_SECONDS: ValueRange = [7, 83];
const TURN_SECONDS: ValueRange = [3600, 5400];
/** No job starts this soon after a boot. */
const SETTLED_SECONDS = 90;
/** Jobs per busy core. */
const JOBS_PER_LOAD = 3.2;
/** Probability of a job at any load. */
const MIN_LIKELY = 0.03;
const MAX_LIKELY = 0.95;

/**
 * Jobs, which start when there is work and end after some seconds, and processes that take turns: each successor has its own PID.
 * `presence` runs before work is divided, `pids` after the processes of the boot have theirs.
 */
export function jobProcesses({ recurring, pid, pidOf }: JobsInput, cells: Cells) {
  const rows: readonly JobRow[] = recurring.map(() => cells.row('present', 'file', 'number'));
  /** Seconds since the epoch; NaN for a process that is absent, or has run since the boot. */
  const starts = new Float64Array(recurring.length);
  const presence: Fill = (frame, host) => {
    const key = keyOf(host.hostKey, JOBS);
    const settled = secondsSinceEpoch(host.bootMs) + SETTLED_SECONDS;
    const likely = Math.min(MAX_LIKELY, MIN_LIKELY + JOBS_PER_LOAD * host.load1);
    for (let i = 0; i < recurring.length; i++) {
      const { lasting, running } = recurring[i] as RecurringProcess;
      const { present, file, number } = rows[i] as JobRow;
      const { turn, startSeconds } = turnOf(key + i, lasting, host);
      const hasSettled = startSeconds > settled;
      const works = lasting === 'turn' || (hasSettled && unit(key + i, turn) < likely);
      const isPresent = works && (running === undefined || frame[running] !== 0);
      const drawn = scramble(key - i, turn);
      starts[i] = isPresent && hasSettled ? startSeconds : Number.NaN;
      frame[present] = isPresent ? 1 : 0;
      frame[file] = drawn % SOURCE_FILES.length;
      frame[number] = 100_000 + ((drawn >>> 8) % 900_000);
    }
  };
  const pids: Fill = (frame, host) => {
    for (let i = 0; i < recurring.length; i++) {
      const startSeconds = starts[i] as number;
      if (Number.isNaN(startSeconds)) continue;
      frame[nth(pid, (recurring[i] as RecurringProcess).index)] = pidOf(host, startSeconds, i);
    }
  };
  return { rows, presence, pids };
}

/** The turn of a process, from the epoch, and its start. */
function turnOf(key: number, lasting: RecurringProcess['lasting'], { checkMs }: HostState) {
  const seconds = Math.floor(inRange(lasting === 'turn' ? TURN_SECONDS : JOB_SECONDS, unit(key, -1)));
  const phase = Math.floor(seconds * unit(key, -2));
  const turn = Math.floor((secondsSinceEpoch(checkMs) + phase) / seconds);
  return { turn, startSeconds: turn * seconds - phase };
}
