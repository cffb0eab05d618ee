import { AggregatorRegistry } from 'prom-client';
import type { HttpAnswer } from '../http/answer.ts';
import { type ContentType, contentTypeFor } from './content-type.ts';
import type { Family } from './family.ts';

/**
 * These figures in the format that an Accept header asks for. Load this file when somebody asks: prom-client takes
 * some ten milliseconds to load.
 */
export async function expositionAnswer(families: readonly Family[], accept: string | undefined): Promise<HttpAnswer> {
  const type = contentTypeFor(accept);
  // prom-client's own metrics count one by one. Figures that are counted already it takes from the workers of a cluster.
  const registry = AggregatorRegistry.aggregate<ContentType>([families.map((family) => metricOf(family, type))]);
  registry.setContentType(type);
  return { status: 200, type, body: await registry.metrics() };
}

/** A metric as prom-client has it in JSON; in OpenMetrics it adds `_total` itself. */
function metricOf({ name, type, help, samples }: Family, contentType: ContentType): object {
  const isWhole = type === 'counter' && contentType.startsWith('text/plain');
  const values = samples.map(({ suffix, labels, value }) => ({
    ...{ labels, value },
    ...(suffix !== undefined && { metricName: `${name}${suffix}` }),
  }));
  return { name: isWhole ? `${name}_total` : name, type, help, values, aggregator: 'first' };
}
