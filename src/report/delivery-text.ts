import type { Delivery, ObservedDelivery } from '../metrics/delivery/schema.ts';
import { countText, tallyText } from './figures.ts';
import { besideLabel, type Page } from './layout.ts';

/** What arrived of what was sent: one line, unless there is much to tell. */
export function deliveryLines(delivery: Delivery, page: Page): string[] {
  if (!delivery.observed) return besideLabel(`not observed: ${delivery.reason}`, page).map(page.faint);
  const { lost, duplicated } = delivery;
  const whole = lost === 0 && duplicated === 0;
  const outcome = `${whole ? '✓' : '✗'} lost ${countText(lost)}, duplicated ${countText(duplicated)}`;
  const [first = '', ...more] = besideLabel(
    [outcome, ...flowTexts(delivery), ...documentTexts(delivery)].join(' · '),
    page,
  );
  const paint = whole ? page.good : page.bad;
  return [`${paint(outcome)}${first.slice(outcome.length)}`, ...more];
}

function flowTexts({ sent, received, unknown, unknownReceived, unattributed }: ObservedDelivery): string[] {
  const unanswered = `${countText(unknown)} without an answer, ${countText(unknownReceived)} of them received`;
  return [
    `sent ${countText(sent)}, received ${countText(received)}`,
    ...(unknown === 0 ? [] : [unanswered]),
    ...(unattributed === 0 ? [] : [`${countText(unattributed)} from outside the fleet`]),
  ];
}

/** Check data whose dates are not in order; package information is as old as its collection, which says little. */
function documentTexts({ operations }: ObservedDelivery): string[] {
  const documents = operations.find(({ operation }) => operation === 'checkdata')?.documents;
  const text = documents === undefined ? '' : tallyText(documents);
  return text === '' ? [] : [`documents: ${text}`];
}
