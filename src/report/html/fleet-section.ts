import { refusedCount } from '../../metrics/recording/listener-counts.ts';
import type { Summary } from '../../metrics/summary/summary-schema.ts';
import { exactCount, latencyText, shareText } from '../page/figures.ts';
import { figure, html, list, type Markup, NOTHING, pageSection, table } from './markup.ts';

/** Composition of the fleet, figures of each group of hosts, and the agents that are down. */
export function fleetSection({ profiles, webServers }: Summary, charts: Markup): Markup {
  const fleet = profiles.reduce((sum, { agents }) => sum + agents, 0);
  const isGrouped = profiles.some(({ group }) => group !== undefined);
  const rows = profiles.map(({ group = '', profile, agents, responseMs }) => [
    ...(isGrouped ? [html`<code>${group}</code>`] : []),
    html`<code>${profile}</code>`,
    figure(agents, exactCount),
    html`<span class="bar plain" style="--share:${(agents / Math.max(1, fleet)).toFixed(4)}">${shareText(agents / Math.max(1, fleet))}</span>`,
    html`${Object.entries(responseMs).map(([operation, latency]) => html`<span class="pair"><code>${operation}</code> ${figure(latency.p99, latencyText)}</span> `)}`,
  ]);
  const down =
    webServers === undefined || webServers.mostDown === 0
      ? NOTHING
      : html`<p>Down at the end: ${exactCount(webServers.downCount)}, and at most: ${exactCount(webServers.mostDown)}</p>${list(webServers.down.map(({ host, reason }) => `${host}: ${reason}`))}`;
  return pageSection(
    'fleet',
    'Fleet',
    html`${charts}${table('Hosts of the fleet', [...(isGrouped ? ['group'] : []), 'profile', 'agents', 'share', 'response time p99'], rows)}${down}${clientsTable(webServers)}`,
  );
}

/** Connections and requests at the agents' ports; nothing if there were none. */
function clientsTable(webServers: Summary['webServers']): Markup {
  if (webServers === undefined || webServers.listeners.accepted === 0) return NOTHING;
  const { listeners } = webServers;
  const counts: [string, number, boolean][] = [
    ['connections accepted', listeners.accepted, false],
    ['late, because the generator stalled', listeners.late, true],
    ['TLS handshakes completed', listeners.handshakes, false],
    ['connections refused before a request', refusedCount(listeners), true],
    ...Object.entries(listeners.refused).map(([reason, count]): [string, number, boolean] => [
      `refused: ${reason}`,
      count,
      true,
    ]),
    ['requests and handshakes without an answer', listeners.unanswered, true],
  ];
  const rows = counts.map(([name, count, isBad]) => {
    const value = figure(count, exactCount);
    return [name, isBad && count > 0 ? html`<strong class="bad">${value}</strong>` : value];
  });
  return table("Clients of the agents' web servers", ['clients', 'count'], rows);
}
