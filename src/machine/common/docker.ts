import { either, type Frame, float, hex, integer, type Optional, optional, text } from '../document/nodes.ts';
import type { PartOf } from '../part.ts';
import { keyOf, type Moment, secondsSinceEpoch, streamLabel } from '../time/moment.ts';
import { scramble, smoothNoise, unit, warp } from '../time/noise.ts';
import { fillStatus, statusNode } from './container-status.ts';
import { pages } from './memory.ts';
import { numbered } from './prometheus-exporters.ts';
import { fillOrder } from './random-order.ts';

export type DockerInput = { readonly count: number; readonly memoryBytes: number };

const DOCKER = streamLabel('docker');
const ORDER = streamLabel('docker.order');
const DAY_SECONDS = 86_400;
const MIB = 1024 ** 2;
/** Any order within so many containers; the groups stay, because each place must be able to hold each name. */
const GROUP = 8;
const BURSTS = { grid: 29, strength: 0.8 };
const SERVICES = `web api worker scheduler cache database proxy mail search queue metrics registry`.split(' ');
const IMAGES = `nginx:1.29-alpine shop/api:4.18.2 shop/worker:4.18.2 shop/worker:4.18.2 redis:8-alpine postgres:17
  traefik:v3.5 boky/postfix:latest opensearchproject/opensearch:3 rabbitmq:4-management prom/prometheus:v3.5.0
  registry:3`.split(/\s+/);

/** Cells of a place in the list, in this order. */
const PRESENT = 0;
const WHICH = 1;
const ID = 2;
const STATUS = 4;
const RECEIVED = 6;
const SENT = 7;
const CPU = 8;
const MEMORY_PERCENT = 9;
const READ = 10;
const WRITTEN = 11;
const MEMORY = 12;
const WIDTH = 13;

/** The check `docker`: the running ones of so many containers, in no order. */
export const dockerCheck: PartOf<DockerInput> = ({ count, memoryBytes }, cells) => {
  const first = cells.take(WIDTH * count);
  const groups = Array.from({ length: Math.ceil(count / GROUP) }, (_, group) => {
    return { from: group * GROUP, size: Math.min(GROUP, count - group * GROUP) };
  });
  return {
    node: groups.flatMap(({ from, size }) => {
      return Array.from({ length: size }, (_, place) => entry(first + WIDTH * (from + place), { from, size }));
    }),
    fill(frame, moment) {
      for (const { from, size } of groups) {
        const cell = first + WIDTH * from;
        const chance = { key: keyOf(moment.hostKey, ORDER) + from, checkMs: moment.checkMs };
        fillOrder(frame, { first: cell + WHICH, count: size, stride: WIDTH }, chance);
        for (let place = 0; place < size; place++) {
          const row = cell + WIDTH * place;
          fillContainer(frame, row, { moment, index: from + (frame[row + WHICH] as number), memoryBytes, count });
        }
      }
    },
  };
};

function entry(row: number, { from, size }: { from: number; size: number }): Optional {
  const each = (name: (index: number) => string) => {
    return either(
      row + WHICH,
      Array.from({ length: size }, (_, index) => name(from + index)),
    );
  };
  return optional(row + PRESENT, {
    id: text(hex(row + ID, 8), hex(row + ID + 1, 2)),
    name: each((index) => `/shop-${numbered(SERVICES, index, '-')}-1`),
    image: each((index) => IMAGES[index % IMAGES.length] ?? ''),
    size_rw: 0,
    size_root_fs: 0,
    state: 'running',
    status: statusNode(row + STATUS),
    network_rx: integer(row + RECEIVED),
    network_tx: integer(row + SENT),
    cpu_percentage: float(row + CPU),
    memory_percentage: float(row + MEMORY_PERCENT),
    disk_read: integer(row + READ),
    disk_write: integer(row + WRITTEN),
    memory_used: integer(row + MEMORY),
  });
}

type Container = DockerInput & { readonly moment: Moment; readonly index: number };

/** A container is replaced every few days and is down for moments then; its counters begin anew each time. */
function fillContainer(frame: Frame, row: number, { moment, index, memoryBytes, count }: Container): void {
  const key = keyOf(moment.hostKey, DOCKER) + 97 * index;
  const now = secondsSinceEpoch(moment.checkMs);
  const life = (2 + 40 * unit(key, -1)) * DAY_SECONDS;
  const turn = Math.floor(now / life + unit(key, -2));
  const replaced = Math.ceil((turn - unit(key, -2)) * life + 5 + 60 * unit(key, turn));
  const started = Math.max(replaced, secondsSinceEpoch(moment.bootMs) + 9 + (index % 7));
  const up = now - started;
  frame[row + PRESENT] = up < 0 ? 0 : 1;
  if (up < 0) return;
  frame[row + ID] = scramble(key + 1, turn);
  frame[row + ID + 1] = scramble(key + 2, turn) & 0xff;
  fillStatus(frame, row + STATUS, up);
  const level = 0.2 + 1.6 * unit(key, -3) ** 2;
  const work = level * Math.max(0, warp(up, key + 3, BURSTS));
  const wanted = level * (180 * MIB) * (1 + 0.2 * smoothNoise(key + 4, up / 900)) + 12 * MIB;
  const used = pages(Math.min(wanted, (0.6 * memoryBytes) / count));
  frame[row + RECEIVED] = Math.floor(900 + 2100 * work);
  frame[row + SENT] = Math.floor(600 + 3400 * work);
  frame[row + CPU] = 120 * moment.busy * level * (0.5 + unit(key + 5, now));
  frame[row + MEMORY] = used;
  frame[row + MEMORY_PERCENT] = (used / memoryBytes) * 100;
  frame[row + READ] = 4096 * Math.floor(900 + 0.02 * work);
  frame[row + WRITTEN] = 4096 * Math.floor(0.4 * work);
}
