import { type CapacityResult, type LoadPoint, loadPoints } from '../capacity/result.ts';
import type { Step } from '../capacity/step.ts';
import { answerOf, loadText, logarithmicSpan, STEP_HEADINGS, searchText, stepRow, stepsByLoad } from './capacity.ts';
import { latencyText } from './figures.ts';
import { fittedTable } from './fitted-table.ts';
import { besideLabel, columnsOf, hanging, labelled, type Page } from './layout.ts';
import type { Paint } from './palette.ts';

/** A search on a terminal: the curve as table and chart, then the answer; ends with a line break. */
export function capacityText(result: CapacityResult, page: Page): string {
  const { kind, headline, facts } = answerOf(result);
  const blocks = [
    [`  ${page.strong(result.scenarioName)}`, ...hanging(searchText(result), '  ', page)],
    result.steps.length === 0 ? ['  no step was carried out'] : stepTable(result, page),
    chart(result, page),
    facts.flatMap(([name, text]) => labelled(name, besideLabel(text, page))),
    hanging(headline, '  ', page).map((line) => page.strong(page[kind](line))),
  ];
  return `\n${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

// How a load ended is told by its own column; the rate follows from the load while it holds.
const DISPENSABLE = ['p50', 'p95', 'ok/s'];

function stepTable({ steps, raised, operation }: CapacityResult, page: Page): string[] {
  const plain: Paint = (text) => text;
  const headings = STEP_HEADINGS.map((text) => ({ text, paint: page.faint }));
  const rows = stepsByLoad(steps).map((step) => {
    const cells = stepRow(step).map((text, column) => {
      return { text, paint: column === STEP_HEADINGS.length - 1 ? paintOf(step, page) : plain };
    });
    return { name: { text: loadText(raised, step.load), paint: plain }, cells };
  });
  return fittedTable(
    { headings, dispensable: DISPENSABLE },
    [{ name: { text: operation, paint: page.faint }, cells: headings }, ...rows],
    page,
  );
}

const BAR = '▇';
const LEAST_BAR_COLUMNS = 10;

/** The p99 of each load, of its slowest run, as a bar of logarithmic length. */
function chart({ steps, raised, operation }: CapacityResult, page: Page): string[] {
  const bars = loadPoints(steps).flatMap((point) => {
    const p99Ms = slowestMs(point);
    return p99Ms === undefined ? [] : [{ ...point, p99Ms, name: loadText(raised, point.load) }];
  });
  if (bars.length < 2) return [];
  const nameColumns = Math.max(...bars.map(({ name }) => name.length));
  const room = Math.max(LEAST_BAR_COLUMNS, columnsOf(page) - nameColumns - ' 1,234 ms'.length - 4);
  const [least, most] = logarithmicSpan(bars.map(({ p99Ms }) => p99Ms));
  const length = (p99Ms: number) => 1 + Math.round(((room - 1) * Math.log(p99Ms / least)) / Math.log(most / least));
  return [
    page.faint(`  p99 of ${operation}, bars by the logarithm`),
    ...bars.map(({ name, p99Ms, outcome }) => {
      const bar = paintOf({ outcome }, page)(BAR.repeat(length(p99Ms)));
      return `  ${name.padStart(nameColumns)} ${bar} ${latencyText(p99Ms)}`;
    }),
  ];
}

function slowestMs({ steps }: LoadPoint): number | undefined {
  const times = steps.flatMap(({ figures }) => figures?.p99Ms ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

function paintOf({ outcome }: Pick<Step, 'outcome'>, page: Page): Paint {
  if (outcome === 'held') return page.good;
  return outcome === 'generator' ? page.caution : page.bad;
}
