import { either } from '../document/nodes.ts';
import { fixedPart, type PartOf } from '../part.ts';
import { keyOf, streamLabel } from '../time/moment.ts';
import { fillOrder } from './random-order.ts';

const NAMES = `node_exporter mysqld_exporter postgres_exporter nginx_exporter redis_exporter blackbox_exporter
  php_fpm_exporter process_exporter haproxy_exporter rabbitmq_exporter`.split(/\s+/);

const EXPORTERS = streamLabel('prometheus_exporters');

/** The check `prometheus_exporters`: the names of the configured exporters, in no order. */
export const prometheusExportersCheck: PartOf<{ readonly count: number }> = ({ count }, cells) => {
  return namedExporters(
    Array.from({ length: count }, (_, index) => numbered(NAMES, index, '_')),
    cells,
  );
};

/** The same with names that are given. */
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

/** Names of a list that is as long as it must be: from its second turn on they end in a number. */
export function numbered(names: readonly string[], index: number, joint: string): string {
  const turn = Math.floor(index / names.length);
  const name = names[index % names.length] ?? '';
  return turn === 0 ? name : `${name}${joint}${turn + 1}`;
}
