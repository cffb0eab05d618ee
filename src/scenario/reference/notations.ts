import { delay } from '../../faults/delay.ts';
import { instant } from '../../notation/instant.ts';
import { positiveDuration, rateOrRamp } from '../../notation/quantities.ts';
import { share } from '../../notation/share.ts';
import { cohort, offset } from '../schema/incident.ts';
import { condition, deliveryCondition } from '../schema/thresholds-section.ts';
import { listen } from '../schema/web-server.ts';
import { type JsonSchema, writtenAs } from '../schema/written-schema.ts';
import { code } from './cells.ts';
import { tableOf } from './markdown.ts';

const NOTATIONS = [
  ...[positiveDuration, rateOrRamp, share, instant],
  ...[delay, cohort, offset, listen, condition, deliveryCondition],
];

/** How values are written that are neither numbers nor plain texts. */
export function notationsText(): string {
  return tableOf(['Notation', 'Written', 'Meaning'], NOTATIONS.map(writtenAs).flatMap(rowsOf));
}

/** One for the notation, and one for each of its forms if it has several. */
function rowsOf({ title = '', description = '', examples = [], anyOf = [] }: JsonSchema): readonly string[][] {
  const forms = anyOf.filter((form) => form.description !== undefined);
  if (forms.length === 0) return [[title, examples.map(code).join(', '), description]];
  const own = forms.map((form) => ['', (form.examples ?? []).map(code).join(', '), form.description ?? '']);
  return [[title, '', description], ...own];
}
