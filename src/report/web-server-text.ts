import { counted } from '../base/kernel/units.ts';
import { refusedCount } from '../metrics/recording/listener-counts.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import { tallyText } from './figures.ts';
import { besideLabel, labeledLines, type Page, stateLines } from './layout.ts';
import { countText } from './page/figures.ts';

type WebServers = NonNullable<Summary['webServers']>;

/** Number of listening agents, and which are down and why; nothing for a fleet that does not listen. */
export function webServerLines(webServers: WebServers | undefined, page: Page): string[] {
  if (webServers === undefined) return [];
  const { listening, most } = webServers;
  const peak = most > listening ? `, ${countText(most)} at most` : '';
  return [
    ...labeledLines('listening', [`${counted(listening, 'agent', countText(listening))}${peak}`]),
    ...labeledLines('down', downLines(webServers, page).map(page.bad)),
    ...labeledLines('listeners', clientLines(webServers, page)),
  ];
}

/** Connections and requests of clients; nothing if there were none. */
function clientLines({ listeners }: WebServers, page: Page): string[] {
  const { accepted, late, handshakes, unanswered } = listeners;
  const refused = refusedCount(listeners);
  if (accepted === 0) return [];
  const whole = refused === 0 && unanswered === 0;
  const outcome = `refused ${countText(refused)}, unanswered ${countText(unanswered)}`;
  const reasons = refused === 0 ? [] : [tallyText(listeners.refused)];
  const flow = [
    `accepted ${countText(accepted)}`,
    ...(handshakes === 0 ? [] : [`handshakes ${countText(handshakes)}`]),
    ...(late === 0 ? [] : [`late ${countText(late)}`]),
  ];
  return stateLines(whole, [outcome, ...reasons, flow.join(', ')], page);
}

const REASONS_SHOWN = 5;

function downLines({ down, downCount, mostDown }: WebServers, page: Page): string[] {
  if (mostDown === 0) return [];
  const peak = mostDown > downCount ? `, ${countText(mostDown)} at most` : '';
  const count = `${countText(downCount)}${peak}`;
  const [first, ...others] = down.slice(0, REASONS_SHOWN).map(({ host, reason }) => `${host}: ${reason}`);
  if (first === undefined) return [count];
  const more = downCount - others.length - 1;
  const texts = [`${count}: ${first}`, ...others, ...(more > 0 ? [`and ${countText(more)} more`] : [])];
  return texts.flatMap((text) => besideLabel(text, page));
}
