import { type Cell, type Cells, type CellValues, type Column, nth, valueAt } from '../../document/nodes.ts';
import { secondsSinceEpoch } from '../../host/calendar.ts';
import type { HostState } from '../../host/host-state.ts';
import type { Lasting } from '../../host/linux/services.ts';
import { keyOf, scramble, streamLabel, unit } from '../../host/noise.ts';
import type { Fill } from '../../host/part.ts';

/** A process with successors. `running` is the cell of its service, if the service can be down. */
type Follower = {
  readonly place: number;
  readonly lasting: Exclude<Lasting, 'always'>;
  readonly running: Cell | undefined;
};

type JobsInput = {
  readonly followers: readonly Follower[];
  /** The PIDs of all processes, including those of the followers. */
  readonly pid: Column;
  /** Returns the PID of a process by its start, in seconds since the epoch. Each follower has an index. */
  readonly pidOf: (host: HostState, startSeconds: number, index: number) => number;
};

/** The current state of a follower: whether it exists, which file it works on, and a number of its own. */
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
/** Durations: `least`, plus up to `more`. A process with turns runs for an hour or more. */
const JOB_SECONDS = { least: 7, more: 83 };
const TURN_SECONDS = { least: 3600, more: 5400 };
/** No job starts this soon after a boot. */
const SETTLED_SECONDS = 90;
/** Jobs per busy core. */
const JOBS_PER_LOAD = 3.2;

/**
 * Jobs, which start when there is work and end after some seconds, and processes that take turns: each successor has its own PID.
 * `presence` runs before work is divided, `numbers` after the processes of the boot have their PIDs.
 */
export function jobProcesses({ followers, pid, pidOf }: JobsInput, cells: Cells) {
  const rows: readonly JobRow[] = followers.map(() => cells.row('present', 'file', 'number'));
  const presence: Fill = (frame, host) => {
    const key = keyOf(host.hostKey, JOBS);
    const settled = secondsSinceEpoch(host.bootMs) + SETTLED_SECONDS;
    const likely = Math.min(0.95, 0.03 + JOBS_PER_LOAD * host.load1);
    for (let i = 0; i < followers.length; i++) {
      const { lasting, running } = followers[i] as Follower;
      const { present, file, number } = rows[i] as JobRow;
      const { turn, startSeconds } = turnOf(key + i, lasting, host);
      const serves = running === undefined || frame[running] !== 0;
      const works = lasting === 'turn' || (startSeconds > settled && unit(key + i, turn) < likely);
      const drawn = scramble(key - i, turn);
      frame[present] = serves && works ? 1 : 0;
      frame[file] = drawn % SOURCE_FILES.length;
      frame[number] = 100_000 + ((drawn >>> 8) % 900_000);
    }
  };
  const numbers = (frame: CellValues, host: HostState) => {
    const key = keyOf(host.hostKey, JOBS);
    const settled = secondsSinceEpoch(host.bootMs) + SETTLED_SECONDS;
    for (let i = 0; i < followers.length; i++) {
      const { place, lasting } = followers[i] as Follower;
      if (valueAt(frame, (rows[i] as JobRow).present) === 0) continue;
      const { startSeconds } = turnOf(key + i, lasting, host);
      if (startSeconds > settled) frame[nth(pid, place)] = pidOf(host, startSeconds, i);
    }
  };
  return { rows, presence, numbers };
}

function turnOf(key: number, lasting: Follower['lasting'], { checkMs }: HostState) {
  const { least, more } = lasting === 'turn' ? TURN_SECONDS : JOB_SECONDS;
  const seconds = Math.floor(least + more * unit(key, -1));
  const phase = Math.floor(seconds * unit(key, -2));
  const turn = Math.floor((secondsSinceEpoch(checkMs) + phase) / seconds);
  return { turn, startSeconds: turn * seconds - phase };
}
