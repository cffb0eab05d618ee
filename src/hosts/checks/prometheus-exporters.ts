import { slot } from '../document/nodes.ts';
import { keyOf, streamLabel } from '../host/noise.ts';
import { fixedPart, type PartOf } from '../host/part.ts';
import { fillOrder } from './random-order.ts';

const EXPORTERS = streamLabel('prometheus_exporters');

/** The check `prometheus_exporters`: the names of the configured exporters, in random order. */
export const prometheusExportersCheck: PartOf<readonly string[]> = (names, cells) => {
  if (names.length === 0) return fixedPart([]);
  const places = cells.list(names.length);
  return {
    node: places.map((which) => slot.either(which, names)),
    fill(frame, { hostKey, checkMs }) {
      fillOrder(frame, places, { key: keyOf(hostKey, EXPORTERS), checkMs });
    },
  };
};
