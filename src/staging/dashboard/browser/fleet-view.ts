import { element, part, whenQuiet } from '../../../report/page/browser/elements.ts';
import { exactCount } from '../../../report/page/figures.ts';
import type { AgentsHealthAnswer, CohortAnswer, HealthKindAnswer, StatesAnswer } from '../../control-api/schemas.ts';
import { requestJson } from './connection.ts';
import { createFleetMap } from './fleet-map.ts';
import { conditionText, MARKS, markOf, paintMark } from './marks.ts';
import { showProblems } from './operations.ts';

/** The agents of this process, numbered locally: agent n has the index `first + n * step` in the fleet. */
type Agents = {
  first: number;
  step: number;
  /** The condition of each agent. */
  codes: Uint8Array;
  /** For each agent the index of its kind of health. */
  health: Uint8Array;
  kinds: readonly HealthKindAnswer[];
};

function indexOf({ first, step }: Agents, local: number): number {
  return first + local * step;
}

function localOf({ first, step }: Agents, index: number): number {
  return (index - first) / step;
}

function kindOf({ health, kinds }: Agents, local: number): HealthKindAnswer | undefined {
  return kinds[health[local] ?? 0];
}

function markOfAgent(agents: Agents, local: number): number {
  return markOf(agents.codes[local] ?? 0, kindOf(agents, local)?.state);
}

/** Changes of states as the process reports them: the new codes of agents, or the number of changes that were too many to report. */
type StateChanges = { readonly agents: readonly number[]; readonly codes: readonly number[]; readonly missed: number };

type FleetListeners = {
  readonly onOpen: (index: number) => void;
  readonly onFind: (kind: HealthKindAnswer) => void;
};

/** The map of all agents with its legend, and the health of the fleet. */
export function createFleetView({ onOpen, onFind }: FleetListeners) {
  const agents: Agents = { first: 0, step: 1, codes: new Uint8Array(0), health: new Uint8Array(0), kinds: [] };
  const frame = part('map', HTMLElement);
  const map = createFleetMap(
    { marks: part('map-marks', HTMLCanvasElement), rings: part('map-rings', HTMLCanvasElement), frame },
    { onPoint: pointedView(agents, frame), onPick: (local) => onOpen(indexOf(agents, local)) },
  );
  const legend = createLegend();
  const showCounts = () => legend.showCounts(map.counts());
  const drawMark = (local: number) => map.set(local, markOfAgent(agents, local));
  /** Only draws agents whose marks change. */
  const takeHealth = ({ codes, kinds, sentence, isWell }: AgentsHealthAnswer) => {
    Object.assign(agents, { health: bytesOf(codes), kinds });
    for (const local of agents.health.keys()) drawMark(local);
    showCounts();
    showSentence(sentence, isWell);
    showProblems(part('problems', HTMLTableSectionElement), kinds, onFind);
  };
  const read = async () => {
    const [{ first, step, codes }, health] = await Promise.all([
      requestJson<StatesAnswer>('/api/v1/agents/states'),
      requestJson<AgentsHealthAnswer>('/api/v1/agents/health'),
    ]);
    Object.assign(agents, { first, step, codes: bytesOf(codes) });
    takeHealth(health);
    frame.ariaValueMax = String(Math.max(0, agents.codes.length - 1));
    map.setAll(agents.codes.map((_, local) => markOfAgent(agents, local)));
    showCounts();
  };
  const takeStates = ({ agents: indexes, codes, missed }: StateChanges) => {
    if (missed > 0) return void read();
    indexes.forEach((index, n) => {
      const [local, code = 0] = [localOf(agents, index), codes[n]];
      if (agents.codes[local] === undefined) return;
      agents.codes[local] = code;
      drawMark(local);
    });
    return showCounts();
  };
  return {
    read,
    takeHealth,
    takeStates,
    /** Highlights only these agents on the map. */
    ring: (found: readonly { readonly index: number }[]) => map.ring(found.map(({ index }) => localOf(agents, index))),
    /** The same for all agents with a kind of health. Returns their number. */
    ringKind: ({ label }: HealthKindAnswer): number => {
      const locals = [...agents.health.keys()].filter((local) => kindOf(agents, local)?.label === label);
      map.ring(locals);
      return locals.length;
    },
    drawAnew: () => {
      legend.draw();
      map.drawAnew();
    },
  };
}

function bytesOf(base64: string) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function showSentence(sentence: string, isWell: boolean) {
  const output = part('sentence', HTMLOutputElement);
  output.textContent = sentence;
  output.className = isWell ? 'sentence good' : 'sentence bad';
}

/** The pointer rests this long on a mark before the name of its host is requested. */
const REST_MS = 150;

/** Describes the agent that the pointer or the keyboard points at. */
function pointedView(agents: Agents, frame: HTMLElement) {
  const output = part('pointed', HTMLOutputElement);
  const describe = (local: number, host: string) => {
    const health = kindOf(agents, local)?.label ?? 'unknown';
    const text = `Agent ${indexOf(agents, local)}: ${host}${health}, ${conditionText(agents.codes[local] ?? 0)}`;
    frame.ariaValueNow = String(local);
    frame.ariaValueText = text;
    output.textContent = text;
  };
  const nameHost = whenQuiet(REST_MS, async () => {
    const local = Number(frame.ariaValueNow);
    const index = indexOf(agents, local);
    const found = await requestJson<CohortAnswer>(`/api/v1/cohorts?cohort=${index}..${index}`).catch(() => undefined);
    const host = found?.agents[0]?.host;
    if (host !== undefined && Number(frame.ariaValueNow) === local) describe(local, `${host}, `);
  });
  const show = (local: number | undefined) => {
    if (local === undefined) {
      output.textContent = 'Point at a mark, or move with the arrow keys; Enter opens an agent.';
      return;
    }
    describe(local, '');
    nameHost();
  };
  show(undefined);
  return show;
}

/** The marks with their names, and the number of agents with each. */
function createLegend() {
  const list = part('legend', HTMLElement);
  const entries = MARKS.map((mark) => {
    const swatch = element('canvas', { width: 28, height: 28, className: 'swatch' });
    const count = element('b', {});
    const item = element('li', { title: mark.means }, [swatch, count, ` ${mark.name}`]);
    list.append(item);
    return { mark, swatch, count, item };
  });
  const draw = () => {
    for (const { mark, swatch } of entries) {
      const ctx = swatch.getContext('2d');
      ctx?.clearRect(0, 0, swatch.width, swatch.height);
      if (ctx) paintMark(ctx, mark, { x: 0, y: 0, size: swatch.width });
    }
  };
  draw();
  return {
    draw,
    showCounts: (counts: readonly number[]) => {
      entries.forEach(({ count, item }, index) => {
        const text = exactCount(counts[index] ?? 0);
        if (count.textContent !== text) count.textContent = text;
        item.hidden = counts[index] === 0;
      });
    },
  };
}
