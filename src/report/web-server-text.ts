import type { Summary } from '../metrics/summary/summary-schema.ts';
import { countText } from './figures.ts';
import { besideLabel, labelled, type Page } from './layout.ts';

const REASONS_SHOWN = 5;

type WebServers = NonNullable<Summary['webServers']>;

/** How many agents listened, and which are down and why; nothing of a fleet that does not listen. */
export function webServerLines(webServers: WebServers | undefined, page: Page): string[] {
  if (webServers === undefined) return [];
  const { listening, most } = webServers;
  const peak = most > listening ? `, ${countText(most)} at most` : '';
  return [
    ...labelled('listening', [`${countText(listening)} ${listening === 1 ? 'agent' : 'agents'}${peak}`]),
    ...labelled('down', downLines(webServers, page).map(page.bad)),
  ];
}

function downLines({ down, downCount }: WebServers, page: Page): string[] {
  if (downCount === 0) return [];
  const count = countText(downCount);
  const [first, ...others] = down.slice(0, REASONS_SHOWN).map(({ host, reason }) => `${host}: ${reason}`);
  if (first === undefined) return [count];
  const more = downCount - others.length - 1;
  const texts = [`${count}: ${first}`, ...others, ...(more > 0 ? [`and ${countText(more)} more`] : [])];
  return texts.flatMap((text) => besideLabel(text, page));
}
