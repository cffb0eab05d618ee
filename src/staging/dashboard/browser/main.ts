import { counted, formatDuration } from '../../../base/kernel/units.ts';
import { element, part, row, showChildren, showFacts, whenQuiet } from '../../../report/page/browser/elements.ts';
import { exactCount } from '../../../report/page/figures.ts';
import type {
  AgentSummary,
  AgentsHealthAnswer,
  CohortAnswer,
  EventAnswer,
  FiguresRow,
  FleetAnswer,
  HealthKindAnswer,
  StatesAnswer,
} from '../../control-api/schemas.ts';
import type { RangeResolution, Shown, TimeSpan } from '../time-range.ts';
import {
  fieldValueOf,
  instantText,
  movedSpan,
  resolutionOf,
  spanAddress,
  spanInAddress,
  spanOf,
  spanOfFields,
} from '../time-range.ts';
import { offerActions } from './actions.ts';
import { createAgentView } from './agent-view.ts';
import type { ChartFrame } from './charts.ts';
import { createCharts } from './charts.ts';
import type { StreamState } from './connection.ts';
import { ask, follow, keepToken, Refused, takeToken } from './connection.ts';
import { eventBandsOf, eventsAt, showEvents, showLanes, textOfBands } from './event-log.ts';
import { createFleetMap } from './fleet-map.ts';
import { conditionText, MARKS, markOf, paintMark } from './marks.ts';
import { showFailures, showMachines, showOperations, showProblems } from './operations.ts';
import { CHARTS, pointOf } from './points.ts';

takeToken();

/** Agents of this process: the n-th has the index `first + n * step`. */
const fleet = {
  first: 0,
  step: 1,
  codes: new Uint8Array(0),
  /** For each agent the index of its kind of health. */
  health: new Uint8Array(0),
  kinds: [] as readonly HealthKindAnswer[],
};

const indexOf = (place: number) => fleet.first + place * fleet.step;
const kindAt = (place: number) => fleet.kinds[fleet.health[place] ?? 0];
const markAt = (place: number) => markOf(fleet.codes[place] ?? 0, kindAt(place)?.state);
const placeAt = (index: number) => (index - fleet.first) / fleet.step;

// --- The map ---

const frame = part('map', HTMLElement);
const pointed = part('pointed', HTMLOutputElement);

const map = createFleetMap(
  { marks: part('map-marks', HTMLCanvasElement), rings: part('map-rings', HTMLCanvasElement), frame },
  { onPoint: showPointed, onPick: (place) => agentView.open(indexOf(place)) },
);

/** Requests the name of a host when the pointer rests on its mark. */
const namePointed = whenQuiet(150, async () => {
  const place = Number(frame.ariaValueNow);
  const index = indexOf(place);
  const found = await ask<CohortAnswer>(`/api/v1/cohorts?cohort=${index}..${index}`).catch(() => undefined);
  const host = found?.agents[0]?.host;
  if (host !== undefined && Number(frame.ariaValueNow) === place) showPointedAt(place, `${host}, `);
});

function showPointed(place: number | undefined) {
  if (place === undefined) {
    pointed.textContent = 'Point at a mark, or move with the arrow keys; Enter opens an agent.';
    return;
  }
  showPointedAt(place, '');
  namePointed();
}

function showPointedAt(place: number, host: string) {
  const health = kindAt(place)?.label ?? 'unknown';
  const text = `Agent ${indexOf(place)}: ${host}${health}, ${conditionText(fleet.codes[place] ?? 0)}`;
  frame.ariaValueNow = String(place);
  frame.ariaValueText = text;
  pointed.textContent = text;
}

const sentenceText = part('sentence', HTMLOutputElement);
const legend = part('legend', HTMLElement);
const counts = MARKS.map((mark) => {
  const swatch = element('canvas', { width: 28, height: 28, className: 'swatch' });
  const count = element('b', {});
  legend.append(element('li', { title: mark.means }, [swatch, count, ` ${mark.name}`]));
  return { mark, swatch, count };
});

function drawSwatches() {
  for (const { mark, swatch } of counts) {
    const ctx = swatch.getContext('2d');
    ctx?.clearRect(0, 0, swatch.width, swatch.height);
    if (ctx) paintMark(ctx, mark, { x: 0, y: 0, size: swatch.width });
  }
}

function showCounts() {
  const now = map.counts();
  counts.forEach(({ count, swatch }, index) => {
    const text = exactCount(now[index] ?? 0);
    if (count.textContent !== text) count.textContent = text;
    const entry = swatch.parentElement;
    if (entry !== null) entry.hidden = now[index] === 0;
  });
}

async function readStates() {
  const [answer, health] = await Promise.all([
    ask<StatesAnswer>('/api/v1/agents/states'),
    ask<AgentsHealthAnswer>('/api/v1/agents/health'),
  ]);
  Object.assign(fleet, {
    first: answer.first,
    step: answer.step,
    codes: bytesOf(answer.codes),
  });
  takeHealth(health);
  frame.ariaValueMax = String(Math.max(0, fleet.codes.length - 1));
  map.setAll(fleet.codes.map((_, place) => markAt(place)));
  showCounts();
}

function bytesOf(base64: string) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

/** Only draws agents whose marks change. */
function takeHealth({ codes, kinds, sentence, isWell }: AgentsHealthAnswer) {
  Object.assign(fleet, { health: bytesOf(codes), kinds });
  fleet.health.forEach((_, place) => {
    map.set(place, markAt(place));
  });
  showCounts();
  sentenceText.textContent = sentence;
  sentenceText.className = isWell ? 'sentence good' : 'sentence bad';
  showProblems(part('problems', HTMLTableSectionElement), kinds, (kind) => void findProblem(kind));
}

/** Takes the new codes of agents, in the same order; `missed` counts changes beyond the maximum to report. */
function takeStates({
  agents,
  codes,
  missed,
}: {
  readonly agents: number[];
  readonly codes: number[];
  readonly missed: number;
}) {
  if (missed > 0) return void readStates();
  agents.forEach((index, n) => {
    const [place, code = 0] = [placeAt(index), codes[n]];
    if (fleet.codes[place] === undefined) return;
    fleet.codes[place] = code;
    map.set(place, markAt(place));
  });
  showCounts();
}

function ring(agents: readonly AgentSummary[]) {
  map.ring(agents.map(({ index }) => placeAt(index)));
}

// --- Agents by cohort ---

const findField = part('find', HTMLInputElement);
const found = part('found', HTMLOutputElement);

const find = whenQuiet(300, async () => {
  const cohort = findField.value.trim();
  if (cohort === '') {
    found.textContent = '';
    showChildren(part('found-agents', HTMLTableSectionElement), []);
    return ring([]);
  }
  try {
    const { count, agents } = await ask<CohortAnswer>(`/api/v1/cohorts?cohort=${encodeURIComponent(cohort)}`);
    showFound(count, agents);
    ring(agents);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    found.className = 'bad';
    found.textContent = error.message;
    showChildren(part('found-agents', HTMLTableSectionElement), []);
    ring([]);
  }
});

const MAX_LISTED = 100;

function showFound(count: number, agents: readonly AgentSummary[]) {
  const shown = agents.length < count ? `, of which these are the first ${agents.length}` : '';
  found.className = '';
  found.textContent = `${counted(count, 'agent', exactCount(count))}${shown}`;
  showChildren(part('found-agents', HTMLTableSectionElement), agents.map(agentRow));
}

/** Lists the agents of a kind of health, and marks all of them on the map. */
async function findProblem({ state, label }: HealthKindAnswer) {
  const places = [...fleet.health.keys()].filter((place) => kindAt(place)?.label === label);
  const { agents }: Pick<CohortAnswer, 'agents'> = await ask(`/api/v1/agents?health=${state}&limit=1000`);
  const own = agents.filter(({ health }) => health.label === label).slice(0, MAX_LISTED);
  findField.value = '';
  showFound(places.length, own);
  map.ring(places);
  found.focus();
}

function agentRow({ index, host, profile, role, address, state, health, flags }: AgentSummary) {
  const opener = element('button', { type: 'button', className: 'link' }, [host]);
  opener.dataset.agent = String(index);
  return row([opener, String(index), [health.label, state, ...flags].join(', '), profile, role, address]);
}

findField.addEventListener('input', find);
part('found-agents', HTMLTableSectionElement).addEventListener('click', ({ target }) => {
  if (target instanceof HTMLElement && target.dataset.agent !== undefined) agentView.open(Number(target.dataset.agent));
});

// --- Events ---

let events: readonly EventAnswer[] = [];

async function readEvents() {
  const answer: { readonly events: readonly EventAnswer[] } = await ask('/api/v1/events');
  events = answer.events;
  drawEvents();
}

function drawEvents() {
  showEvents(part('events', HTMLTableSectionElement), events, (name) => void endEvent(name));
  part('no-events', HTMLElement).hidden = events.length > 0;
  charts.setBands(eventBandsOf(events));
  showLanes(part('lanes', HTMLOListElement), eventBandsOf(events), frameNow());
  showCurrentEvents();
}

/** @param nowMs in Unix time */
function passTo(nowMs: number) {
  const stand = eventsAt(events, nowMs);
  if (stand === events) return;
  events = stand;
  drawEvents();
}

async function endEvent(name: string) {
  const message = part('events-message', HTMLOutputElement);
  try {
    await ask(`/api/v1/events/${encodeURIComponent(name)}`, { method: 'DELETE' });
    message.textContent = `Ended ${name}.`;
    // The button disappears with the next line.
    message.focus();
    await readEvents();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    message.textContent = error.message;
  }
}

// --- Charts ---

/** Time span at the cursor; `undefined` if there is none. */
let pointedAt: TimeSpan | undefined;

const charts = createCharts(part('charts', HTMLElement), CHARTS, {
  onCursor: (span) => {
    pointedAt = span;
    showCurrentEvents();
  },
  onSelect: showSpan,
});

/** Lists all events at the cursor, or current ones. */
function showCurrentEvents() {
  part('events-then', HTMLElement).textContent = textOfBands(eventBandsOf(events), pointedAt);
}

const rangeField = part('range', HTMLSelectElement);
const operationField = part('operation', HTMLSelectElement);
const [fromField, toField] = [part('from', HTMLInputElement), part('to', HTMLInputElement)];
const spanMessage = part('span-message', HTMLOutputElement);

let figures: readonly FiguresRow[] = [];
let shown: Shown = spanInAddress(location.hash) ?? { kind: 'last', seconds: 600 };
/** Counts changes of the span, because an answer may arrive after the next change. */
let showings = 0;

const nowSeconds = () => Date.now() / 1000;
const firstSeconds = () => Date.parse(about?.raisedAt ?? '') / 1000 || 0;

/** The span shown, and the figures for it. */
function frameNow(): ChartFrame & { readonly resolution: RangeResolution['name'] } {
  const { fromSeconds, toSeconds } = spanOf(shown, nowSeconds(), firstSeconds());
  const { name, stepSeconds } = resolutionOf({ fromSeconds, toSeconds }, nowSeconds());
  return { fromSeconds: fromSeconds - (fromSeconds % stepSeconds), toSeconds, stepSeconds, resolution: name };
}

/** Shows a fixed span, which the address then contains. */
function showSpan(span: TimeSpan) {
  shown = { kind: 'fixed', ...span };
  history.replaceState(null, '', spanAddress(span));
  void readFigures();
}

async function askFigures(resolution: string, { fromSeconds, toSeconds }: TimeSpan): Promise<readonly FiguresRow[]> {
  const [from, to] = [fromSeconds, toSeconds].map((seconds) => new Date(seconds * 1000).toISOString());
  const answer: { readonly rows: readonly FiguresRow[] } = await ask(
    `/api/v1/figures?resolution=${resolution}&from=${from}&to=${to}`,
  );
  return answer.rows;
}

async function readFigures() {
  showings += 1;
  const [showing, frame] = [showings, frameNow()];
  showRange();
  try {
    const [rows, [whole]] = await Promise.all([askFigures(frame.resolution, frame), askFigures('whole', frame)]);
    if (showing !== showings) return;
    figures = rows;
    showMessage(rows.length === 0 ? 'No figures are kept of this time.' : '', 'note');
    showWhole(whole);
    drawFigures();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (showing === showings) showMessage(error.message, 'bad');
  }
}

function showWhole(whole: FiguresRow | undefined) {
  showOperations(part('operations', HTMLTableSectionElement), whole);
  showFailures(part('failures', HTMLTableSectionElement), whole);
}

function drawFigures() {
  const known = new Set([...operationField.options].map(({ value }) => value));
  for (const { operation } of figures.at(-1)?.operations ?? []) {
    if (!known.has(operation)) operationField.append(new Option(operation, operation));
  }
  const points = figures.map((entry) => pointOf(entry, operationField.value));
  charts.setPoints(points, frameNow());
}

function takeSecond(second: FiguresRow) {
  passTo(Date.parse(second.at) + 1000);
  const { resolution, fromSeconds } = frameNow();
  if (shown.kind === 'fixed' || resolution !== 'second') return;
  figures = [...figures, second].filter(({ at }) => Date.parse(at) >= fromSeconds * 1000);
  drawFigures();
}

function showMessage(text: string, look: 'note' | 'bad') {
  spanMessage.className = look;
  spanMessage.textContent = text;
}

/** Shows the span in the fields, unless someone is writing there. */
function showRange() {
  const { fromSeconds, toSeconds } = frameNow();
  rangeField.value = shown.kind === 'fixed' ? '' : String(shown.seconds);
  if (document.activeElement !== fromField) fromField.value = fieldValueOf(fromSeconds);
  if (document.activeElement !== toField) toField.value = fieldValueOf(toSeconds);
  part('moment', HTMLAnchorElement).href = spanAddress({ fromSeconds, toSeconds });
  showLanes(part('lanes', HTMLOListElement), eventBandsOf(events), frameNow());
}

rangeField.addEventListener('change', () => {
  if (rangeField.value === '') return fromField.focus();
  shown = { kind: 'last', seconds: Number(rangeField.value) };
  history.replaceState(null, '', location.pathname);
  return void readFigures();
});
operationField.addEventListener('change', drawFigures);
part('span', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  const span = spanOfFields([fromField.value, toField.value], nowSeconds());
  if (typeof span === 'string') return showMessage(span, 'bad');
  return showSpan(span);
});
const MOVES = { earlier: [-0.5, -0.5], later: [0.5, 0.5], 'zoom-in': [0.25, -0.25], 'zoom-out': [-0.5, 0.5] } as const;
for (const [id, move] of Object.entries(MOVES)) {
  part(id, HTMLButtonElement).addEventListener('click', () => showSpan(movedSpan(frameNow(), move, nowSeconds())));
}
addEventListener('hashchange', () => {
  if (takeToken()) return connection.again();
  shown = spanInAddress(location.hash) ?? shown;
  part('time', HTMLElement).scrollIntoView({ block: 'start' });
  return void readFigures();
});
setInterval(() => {
  if (isLive() && shown.kind === 'last' && frameNow().resolution !== 'second') void readFigures();
}, 60_000);
setInterval(() => {
  if (isLive() && shown.kind === 'last' && frameNow().resolution === 'second') void readWhole().catch(() => {});
}, 5000);

/** Reads the figures of the tables again, while the charts take each second as it comes. */
async function readWhole() {
  const showing = showings;
  const [whole] = await askFigures('whole', frameNow());
  if (showing !== showings) return;
  showWhole(whole);
  showRange();
}

// --- The fleet as a whole ---

let about: FleetAnswer | undefined;

async function readFleet() {
  about = await ask('/api/v1/fleet');
  showFleet();
}

function showFleet() {
  if (about === undefined) return;
  const { name, version, seed, target, raisedAt, startedAt, phase, agents, machines = [] } = about;
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

const agentView = createAgentView({ onAct: (cohort) => actions.setCohort(cohort) });
const actions = offerActions({ onPreview: ring, onDone: () => void readEvents() });
const unlock = part('unlock', HTMLFormElement);
const connectionOutput = part('connection-state', HTMLOutputElement);

const connection = follow({
  onState: showConnection,
  onLive: async () => {
    // The first start of the fleet limits what is shown of its time.
    await readFleet();
    await Promise.all([readStates(), readEvents(), readFigures()]);
  },
  onMessage: ({ type, data }) => {
    if (type === 'second') takeSecond(JSON.parse(data));
    if (type === 'states') takeStates(JSON.parse(data));
    if (type === 'health') takeHealth(JSON.parse(data));
    if (type === 'event') void readEvents();
    // The changed fleet may have other agents, and more or fewer of them.
    if (type === 'scenario') void Promise.all([readFleet(), readStates(), readEvents()]);
  },
});

function isLive() {
  return document.body.dataset.connection === 'live';
}

function showConnection(state: StreamState) {
  document.body.dataset.connection = state.kind;
  connectionOutput.textContent = connectionText(state);
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

// --- Time and looks ---

setInterval(() => {
  if (!isLive()) return;
  void readFleet().catch(() => {});
  // Some events start and end by themselves.
  void readEvents().catch(() => {});
}, 10_000);

function drawAnew() {
  drawSwatches();
  map.drawAnew();
  charts.drawAnew();
  showRange();
  agentView.drawAnew();
}

showPointed(undefined);
drawSwatches();
let widthPx = frame.clientWidth;
new ResizeObserver(() => {
  if (frame.clientWidth === widthPx) return;
  widthPx = frame.clientWidth;
  drawAnew();
}).observe(frame);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAnew);
