import { button, element, part, row, showChildren, showFacts } from '../../../report/page/browser/elements.ts';
import { latencyText } from '../../../report/page/figures.ts';
import type { AgentAnswer, HostAnswer } from '../../control-api/schemas.ts';
import { instantText } from '../time-range.ts';
import type { LiveChart } from './charts.ts';
import { createCharts } from './charts.ts';
import { Refused, requestJson } from './connection.ts';

/** Longer documents are truncated. */
const MAX_CHARACTERS = 200_000;

const REFRESH_MS = 2000;
const HOST_REFRESH_MS = 60_000;

const HOST_CHARTS: readonly LiveChart<HostAnswer['rows'][number] & { readonly seconds: number }>[] = [
  {
    id: 'host-shares',
    title: 'Processor and memory',
    unit: 'percent',
    lines: () => [
      { label: 'processor', color: 'blue', dash: [], read: ({ cpuPercent }) => cpuPercent },
      { label: 'memory', color: 'orange', dash: [8, 3], read: ({ memoryPercent }) => memoryPercent },
      { label: 'swap', color: 'purple', dash: [2, 3], read: ({ swapPercent }) => swapPercent },
    ],
  },
  {
    id: 'host-network',
    title: 'Network',
    unit: 'bytes per second',
    lines: () => [
      { label: 'received', color: 'blue', dash: [], read: ({ receivedBytesPerSecond }) => receivedBytesPerSecond },
      { label: 'sent', color: 'red', dash: [8, 4], read: ({ sentBytesPerSecond }) => sentBytesPerSecond },
    ],
  },
];

/** The view of one agent: identity, state history, last request and answer, and its host. */
export function createAgentView({ onAct }: { readonly onAct: (cohort: string) => void }): {
  open: (index: number) => void;
  drawAnew: () => void;
} {
  const section = part('agent', HTMLElement);
  const heading = part('agent-heading', HTMLElement);
  const documentText = part('agent-document', HTMLPreElement);
  let opened: number | undefined;
  /** Where the focus was, to restore it.  */
  let cameFrom: Element | null = null;
  const isOpen = (index: number) => index === opened;
  const host = hostView(isOpen);
  const refresh = () => {
    if (opened !== undefined) void showAgent(opened, isOpen);
  };
  const refreshHost = () => {
    if (opened !== undefined) void host.show(opened).catch(() => {});
  };
  const close = () => {
    opened = undefined;
    section.hidden = true;
    if (cameFrom instanceof HTMLElement) cameFrom.focus();
  };

  part('agent-documents', HTMLElement).append(
    button('Check data', () => void showDocument(documentText, opened, 'checkdata')),
    button('Packages', () => void showDocument(documentText, opened, 'packages')),
  );
  part('agent-close', HTMLButtonElement).addEventListener('click', close);
  part('agent-act', HTMLButtonElement).addEventListener('click', () => onAct(String(opened)));
  section.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') close();
  });
  setInterval(refresh, REFRESH_MS);
  setInterval(refreshHost, HOST_REFRESH_MS);
  return {
    open: (index) => {
      cameFrom = document.activeElement;
      opened = index;
      documentText.hidden = true;
      heading.textContent = `Agent ${index}`;
      section.hidden = false;
      section.scrollIntoView({ block: 'nearest' });
      heading.focus();
      host.clear();
      refresh();
      refreshHost();
    },
    drawAnew: () => {
      if (opened !== undefined) host.drawAnew();
    },
  };
}

/** Charts of an agent's host over the last hour. An answer about an agent that is no longer open is ignored. */
function hostView(isOpen: (index: number) => boolean) {
  const charts = createCharts(part('agent-host', HTMLElement), HOST_CHARTS);
  return {
    show: async (index: number) => {
      const { rows } = await requestJson<HostAnswer>(`/api/v1/agents/${index}/host`);
      const points = rows.map((entry) => ({ ...entry, seconds: Date.parse(entry.at) / 1000 }));
      const [fromSeconds, toSeconds] = [points[0]?.seconds ?? 0, points.at(-1)?.seconds ?? 1];
      if (isOpen(index)) charts.setPoints(points, { fromSeconds, toSeconds, stepSeconds: 60 });
    },
    clear: () => charts.setPoints([], { fromSeconds: 0, toSeconds: 1, stepSeconds: 60 }),
    drawAnew: charts.drawAnew,
  };
}

/** Reads the agent, and shows it if it is still open. */
async function showAgent(index: number, isOpen: (index: number) => boolean) {
  const heading = part('agent-heading', HTMLElement);
  try {
    const agent = await requestJson<AgentAnswer>(`/api/v1/agents/${index}`);
    if (!isOpen(index)) return;
    heading.textContent = `Agent ${index}: ${agent.host}`;
    showDetails(agent);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (isOpen(index)) heading.textContent = `Agent ${index}: ${error.message}`;
  }
}

async function showDocument(into: HTMLElement, agent: number | undefined, which: 'checkdata' | 'packages') {
  into.hidden = false;
  into.textContent = '…';
  into.ariaLabel = `Current document: ${which}`;
  try {
    const text = JSON.stringify(await requestJson(`/api/v1/agents/${agent}/documents/${which}`), undefined, 2);
    into.textContent = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}\n…` : text;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    into.textContent = error.message;
  }
}

function showDetails(agent: AgentAnswer) {
  const { actions, history, request, answer } = agent;
  showFacts(part('agent-facts', HTMLDListElement), [
    ['health', agent.health.label],
    ['state', standsText(agent)],
    ['host', [agent.group ?? [], agent.profile, agent.role].flat().join(', ')],
    ['address', agent.address],
    ['last operation', agent.last === null ? 'none yet' : lastText(agent.last)],
    ['web server', webServerText(agent)],
    ['release', agent.version ?? 'default of the fleet'],
    ['uuid', agent.uuid],
    ['current events', actions.length === 0 ? 'none' : actions.map((action) => action.do).join(', ')],
  ]);
  const rows = [...history].reverse().map((entry) => row([instantText(entry.at), standsText(entry)]));
  showChildren(part('agent-history', HTMLTableSectionElement), rows);
  part('agent-no-history', HTMLElement).hidden = rows.length > 0;
  const waiting = request === null ? 'Tracing started now; no requests yet.' : 'No answer yet.';
  showChildren(part('agent-exchange', HTMLElement), [
    ...(request === null ? [] : messageElements('Request', request, request.operation)),
    ...(answer === null
      ? [element('p', { className: 'note' }, [waiting])]
      : messageElements('Answer', answer, endText(answer))),
  ]);
}

function standsText({ state, flags }: { readonly state: string; readonly flags: readonly string[] }) {
  return [state, ...flags].join(', ');
}

function webServerText({ webServer }: AgentAnswer) {
  if (webServer === null) return 'none';
  const { listen, isListening, tls, autoTls, basicAuth, configPush, configured, last } = webServer;
  const has = [
    `${listen ?? 'nowhere'}${isListening ? '' : ', closed'}`,
    tls !== null && TLS_TEXTS[tls],
    autoTls && 'Auto-TLS',
    basicAuth && 'a password',
    configPush && 'accepts configurations',
    configured !== null &&
      `configured ${configured.at === null ? 'before the last start' : `at ${instantText(configured.at)} UTC`}`,
    last !== null && `last asked: ${lastText(last)}`,
  ];
  return has.filter((text) => text !== false).join(', ');
}

const TLS_TEXTS = { none: 'HTTP', server: 'HTTPS', mutual: 'HTTPS with client certificates' };

function lastText({ operation, outcome, at, serviceMs }: NonNullable<AgentAnswer['last']>) {
  return `${operation} ${outcome} after ${latencyText(serviceMs)}, ${instantText(at)} UTC`;
}

function endText({ outcome, serviceMs, reason }: NonNullable<AgentAnswer['answer']>) {
  const end = `${outcome ?? 'another request followed'} after ${latencyText(serviceMs)}`;
  return reason === undefined || reason === '' ? end : `${end}: ${reason}`;
}

function messageElements(
  name: 'Request' | 'Answer',
  { at, head, body }: NonNullable<AgentAnswer['request']>,
  about: string,
): HTMLElement[] {
  const text = [head, body].filter((written) => written !== undefined).join('\n\n');
  const heading = element('p', {}, [element('b', {}, [name]), ` ${instantText(at)} UTC: ${about}`]);
  return text === '' ? [heading] : [heading, element('pre', { tabIndex: 0, ariaLabel: name, role: 'region' }, [text])];
}
