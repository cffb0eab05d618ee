import { either } from '../document/nodes.ts';
import { keyOf, streamLabel } from '../host/noise.ts';
import { fixedPart, type PartOf } from '../host/part.ts';
import { fillOrder } from './random-order.ts';

// Exporters and their usual ports.
const EXPORTER_PORTS = [
  { name: 'node_exporter', port: 9100 },
  { name: 'mysqld_exporter', port: 9104 },
  { name: 'postgres_exporter', port: 9187 },
  { name: 'nginx_exporter', port: 9113 },
  { name: 'redis_exporter', port: 9121 },
  { name: 'blackbox_exporter', port: 9115 },
  { name: 'php_fpm_exporter', port: 9253 },
  { name: 'process_exporter', port: 9256 },
  { name: 'haproxy_exporter', port: 9101 },
  { name: 'rabbitmq_exporter', port: 9419 },
];

const NAMES = EXPORTER_PORTS.map(({ name }) => name);
/** The next exporter of the same kind on a host listens this many ports higher. */
const PORT_STEP = 1000;

/** An exporter as an administrator configures it for the agent. */
type ExporterEntry = { readonly name: string; readonly port: number };

export function exporterEntries(count: number): readonly ExporterEntry[] {
  return Array.from({ length: count }, (_, index) => {
    const usual = EXPORTER_PORTS[index % EXPORTER_PORTS.length]?.port ?? 0;
    return { name: numbered(NAMES, index, '_'), port: usual + PORT_STEP * Math.floor(index / EXPORTER_PORTS.length) };
  });
}

const EXPORTERS = streamLabel('prometheus_exporters');

/** The check `prometheus_exporters`: the names of the configured exporters, in random order. */
export const prometheusExportersCheck: PartOf<{ readonly count: number }> = ({ count }, cells) => {
  return namedExporters(
    exporterEntries(count).map(({ name }) => name),
    cells,
  );
};

/** The check `prometheus_exporters` with given names. */
export const namedExporters: PartOf<readonly string[]> = (names, cells) => {
  if (names.length === 0) return fixedPart([]);
  const places = cells.list(names.length);
  return {
    node: places.map((which) => either(which, names)),
    fill(frame, { hostKey, checkMs }) {
      fillOrder(frame, places, { key: keyOf(hostKey, EXPORTERS), checkMs });
    },
  };
};

/** The name at an index of an endless list: after the last of `names`, they repeat with a number appended. */
export function numbered(names: readonly string[], index: number, joint: string): string {
  const turn = Math.floor(index / names.length);
  const name = names[index % names.length] ?? '';
  return turn === 0 ? name : `${name}${joint}${turn + 1}`;
}
