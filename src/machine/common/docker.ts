import { DAY_SECONDS, MIB } from '../../kernel/units.ts';
import { type Cell, type CellValues, type Row, valueAt } from '../document/cells.ts';
import { either, float, hex, integer, type Optional, optional, text } from '../document/nodes.ts';
import type { PartOf } from '../part.ts';
import { keyOf, type Moment, secondsSinceEpoch, streamLabel } from '../time/moment.ts';
import { scramble, smoothNoise, unit, warp } from '../time/noise.ts';
import { fillStatus, statusNode } from './container-status.ts';
import { type HostMemory, pages } from './memory.ts';
import { numbered } from './prometheus-exporters.ts';
import { fillOrder } from './random-order.ts';

export type DockerInput = { readonly count: number; readonly cores: number; readonly memory: HostMemory };

const DOCKER = streamLabel('docker');
const ORDER = streamLabel('docker.order');
const CPU_SHARE = 0.8;
/** Any order within so many containers; the groups stay, because each place must be able to hold each name. */
const GROUP = 8;
const BURSTS = { grid: 29, strength: 0.8 };
const SERVICES = `web api worker scheduler cache database proxy mail search queue metrics registry`.split(' ');
const IMAGES = `nginx:1.29-alpine shop/api:4.18.2 shop/worker:4.18.2 shop/worker:4.18.2 redis:8-alpine postgres:17
  traefik:v3.5 boky/postfix:latest opensearchproject/opensearch:3 rabbitmq:4-management prom/prometheus:v3.5.0
  registry:3`.split(/\s+/);

const PLACE = [
  'present',
  'which',
  'id',
  'idEnd',
  'form',
  'count',
  'received',
  'sent',
  'cpu',
  'memoryPercent',
  'read',
  'written',
  'memory',
] as const;
type Place = Row<(typeof PLACE)[number]>;
type Group = { readonly from: number; readonly rows: readonly Place[]; readonly which: readonly Cell[] };

/** The check `docker`: the running ones of so many containers, in no order. */
export const dockerCheck: PartOf<DockerInput> = ({ count, cores, memory }, cells) => {
  const groups = Array.from({ length: Math.ceil(count / GROUP) }, (_, group): Group => {
    const from = group * GROUP;
    const rows = Array.from({ length: Math.min(GROUP, count - from) }, () => cells.row(...PLACE));
    return { from, rows, which: rows.map(({ which }) => which) };
  });
  return {
    node: groups.flatMap((group) => group.rows.map((row) => entry(row, group))),
    fill(frame, moment) {
      for (const { from, rows, which } of groups) {
        fillOrder(frame, which, { key: keyOf(moment.hostKey, ORDER) + from, checkMs: moment.checkMs });
        for (const row of rows) {
          fillContainer(frame, row, { moment, index: from + valueAt(frame, row.which), memory, cores, count });
        }
      }
    },
  };
};

function entry(row: Place, { from, rows }: Group): Optional {
  const each = (name: (index: number) => string) => {
    return either(
      row.which,
      rows.map((_, index) => name(from + index)),
    );
  };
  return optional(row.present, {
    id: text(hex(row.id, 8), hex(row.idEnd, 2)),
    name: each((index) => `/shop-${numbered(SERVICES, index, '-')}-1`),
    image: each((index) => IMAGES[index % IMAGES.length] ?? ''),
    size_rw: 0,
    size_root_fs: 0,
    state: 'running',
    status: statusNode(row),
    network_rx: integer(row.received),
    network_tx: integer(row.sent),
    cpu_percentage: float(row.cpu),
    memory_percentage: float(row.memoryPercent),
    disk_read: integer(row.read),
    disk_write: integer(row.written),
    memory_used: integer(row.memory),
  });
}

type Container = DockerInput & { readonly moment: Moment; readonly index: number };

/** A container is replaced every few days and is down for moments then; its counters begin anew each time. */
function fillContainer(frame: CellValues, row: Place, { moment, index, memory, cores, count }: Container): void {
  const key = keyOf(moment.hostKey, DOCKER) + 97 * index;
  const now = secondsSinceEpoch(moment.checkMs);
  const life = (2 + 40 * unit(key, -1)) * DAY_SECONDS;
  const turn = Math.floor(now / life + unit(key, -2));
  const replaced = Math.ceil((turn - unit(key, -2)) * life + 5 + 60 * unit(key, turn));
  const started = Math.max(replaced, secondsSinceEpoch(moment.bootMs) + 9 + (index % 7));
  const up = now - started;
  frame[row.present] = up < 0 ? 0 : 1;
  if (up < 0) return;
  frame[row.id] = scramble(key + 1, turn);
  frame[row.idEnd] = scramble(key + 2, turn) & 0xff;
  fillStatus(frame, row, up);
  const level = 0.2 + 1.6 * unit(key, -3) ** 2;
  const work = level * Math.max(0, warp(up, key + 3, BURSTS));
  const wanted = level * (180 * MIB) * (1 + 0.2 * smoothNoise(key + 4, up / 900)) + 12 * MIB;
  // All containers together have a part of what the host's programs hold and do.
  const used = pages(Math.min(wanted, (0.6 * valueAt(frame, memory.programs)) / count));
  frame[row.received] = Math.floor(900 + 2100 * work);
  frame[row.sent] = Math.floor(600 + 3400 * work);
  frame[row.cpu] = (100 * cores * CPU_SHARE * moment.ownBusy * level * (0.5 + unit(key + 5, now))) / (2.7 * count);
  frame[row.memory] = used;
  frame[row.memoryPercent] = (used / valueAt(frame, memory.total)) * 100;
  frame[row.read] = 4096 * Math.floor(900 + 0.02 * work);
  frame[row.written] = 4096 * Math.floor(0.4 * work);
}
