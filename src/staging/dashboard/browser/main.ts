import { formatDuration } from '../../../base/kernel/units.ts';
import { part, showFacts } from '../../../report/page/browser/elements.ts';
import { exactCount } from '../../../report/page/figures.ts';
import type { FleetAnswer, HealthKindAnswer } from '../../control-api/schemas.ts';
import { instantText } from '../time-range.ts';
import { offerActions } from './actions.ts';
import { createAgentView } from './agent-view.ts';
import type { StreamState } from './connection.ts';
import { follow, keepToken, requestJson, takeToken } from './connection.ts';
import { createEventLog } from './event-log.ts';
import { createFinder } from './finder.ts';
import { createFleetView } from './fleet-view.ts';
import { showMachines } from './operations.ts';
import { createTimeView } from './time-view.ts';

takeToken();

// --- The parts of the page, and what they tell each other ---

const agentView = createAgentView({ onAct: (cohort) => actions.setCohort(cohort) });
const fleetView = createFleetView({ onOpen: agentView.open, onFind: (kind) => void findKind(kind) });
const finder = createFinder({ onOpen: agentView.open, onFound: fleetView.ring });
const timeView = createTimeView(() => Date.parse(fleet?.raisedAt ?? '') / 1000 || 0);
const eventLog = createEventLog(timeView.setBands);
const actions = offerActions({ onPreview: fleetView.ring, onDone: () => void eventLog.read() });

/** Lists the agents of a kind of health, and marks all of them on the map. */
async function findKind(kind: HealthKindAnswer) {
  await finder.showKind(kind, fleetView.ringKind(kind));
}

// --- The fleet as a whole ---

let fleet: FleetAnswer | undefined;

async function readFleet() {
  fleet = await requestJson<FleetAnswer>('/api/v1/fleet');
  showFleet(fleet);
}

function showFleet({ name, version, seed, target, raisedAt, startedAt, phase, agents, machines = [] }: FleetAnswer) {
  showMachines(part('machines', HTMLTableSectionElement), machines);
  document.title = `${name} · Muster`;
  part('name', HTMLElement).textContent = name;
  const upSeconds = startedAt === null ? 0 : Math.max(0, Math.floor((Date.now() - Date.parse(startedAt)) / 1000));
  showFacts(part('facts', HTMLDListElement), [
    ['agents', exactCount(agents.total)],
    ['target', target],
    ['phase', phase?.name ?? '–'],
    ['first started', raisedAt === null ? '–' : `${instantText(raisedAt)} UTC`],
    ['up for', startedAt === null ? '–' : formatDuration(upSeconds * 1000)],
    ['seed', String(seed)],
    ['Muster', version],
  ]);
}

// --- The connection ---

const unlock = part('unlock', HTMLFormElement);

const connection = follow({
  onState: showConnection,
  onLive: async () => {
    // The first start of the fleet limits what is shown of its time.
    await readFleet();
    await Promise.all([fleetView.read(), eventLog.read(), timeView.read()]);
  },
  onMessage: ({ type, data }) => {
    if (type === 'second') {
      const second = JSON.parse(data);
      eventLog.passTo(Date.parse(second.at) + 1000);
      timeView.takeSecond(second);
    }
    if (type === 'states') fleetView.takeStates(JSON.parse(data));
    if (type === 'health') fleetView.takeHealth(JSON.parse(data));
    if (type === 'event') void eventLog.read();
    // The changed fleet may have other agents, and more or fewer of them.
    if (type === 'scenario') void Promise.all([readFleet(), fleetView.read(), eventLog.read()]);
  },
});

function isLive() {
  return document.body.dataset.connection === 'live';
}

function showConnection(state: StreamState) {
  document.body.dataset.connection = state.kind;
  part('connection-state', HTMLOutputElement).textContent = connectionText(state);
  unlock.hidden = state.kind !== 'locked';
  part('retry', HTMLButtonElement).hidden = state.kind !== 'waiting';
}

function connectionText(state: StreamState): string {
  switch (state.kind) {
    case 'connecting':
      return 'Connecting';
    case 'live':
      return 'Live';
    case 'locked':
      return 'Locked: the token is missing or wrong';
    case 'waiting':
      return `No connection: next attempt in ${Math.ceil(state.forMs / 1000)} s`;
  }
}

part('retry', HTMLButtonElement).addEventListener('click', connection.again);
unlock.addEventListener('submit', (event) => {
  event.preventDefault();
  const field = part('token', HTMLInputElement);
  keepToken(field.value.trim());
  field.value = '';
  // The form disappears.
  part('name', HTMLElement).focus();
  connection.again();
});
addEventListener('hashchange', () => {
  if (takeToken()) connection.again();
  else timeView.takeAddress();
});

// --- Time and looks ---

const WHOLE_EVERY_MS = 5000;
const FLEET_EVERY_MS = 10_000;
const FIGURES_EVERY_MS = 60_000;

setInterval(() => {
  if (isLive() && timeView.liveResolution() === 'second') void timeView.readWhole().catch(() => {});
}, WHOLE_EVERY_MS);
setInterval(() => {
  if (!isLive()) return;
  void readFleet().catch(() => {});
  // Some events start and end by themselves.
  void eventLog.read().catch(() => {});
}, FLEET_EVERY_MS);
setInterval(() => {
  const resolution = timeView.liveResolution();
  if (isLive() && resolution !== undefined && resolution !== 'second') void timeView.read();
}, FIGURES_EVERY_MS);

function drawAnew() {
  fleetView.drawAnew();
  timeView.drawAnew();
  agentView.drawAnew();
}

const frame = part('map', HTMLElement);
let widthPx = frame.clientWidth;
new ResizeObserver(() => {
  if (frame.clientWidth === widthPx) return;
  widthPx = frame.clientWidth;
  drawAnew();
}).observe(frame);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAnew);
