import type uPlot from 'uplot';
import { button, element } from '../../page/browser/elements.ts';
import { elapsedText, pageData, wallText } from './data.ts';

/** The part of the run that all charts over time zoomTo, in seconds. */
export const zoomed = { from: 0, to: pageData.seconds };

export const timePlots: uPlot[] = [];

let isFollowing = false;

/** Shows this part in all charts; at least two intervals, and nothing outside the run. */
export function zoomTo(from: number, to: number) {
  const least = Math.min(pageData.seconds, 2 * pageData.secondsPerInterval);
  const span = Math.min(pageData.seconds, Math.max(least, to - from));
  zoomed.from = Math.min(Math.max(0, from), pageData.seconds - span);
  zoomed.to = zoomed.from + span;
  isFollowing = true;
  for (const plot of timePlots) plot.setScale('x', { min: zoomed.from, max: zoomed.to });
  isFollowing = false;
  showRange();
}

export function showAll() {
  zoomTo(0, pageData.seconds);
}

/** Applies a mouse zoom of one chart to the others. */
export function followZoom(plot: uPlot, key: string) {
  const { min, max } = plot.scales.x ?? {};
  plot.root.dataset.shown = `${min} ${max}`;
  if (isFollowing || key !== 'x' || !timePlots.includes(plot) || min == null || max == null) return;
  if (min !== zoomed.from || max !== zoomed.to) zoomTo(min, max);
}

const range = document.createElement('output');

function showRange() {
  const { from, to } = zoomed;
  range.textContent = `${elapsedText(from)} – ${elapsedText(to)} · ${wallText(from)} – ${wallText(to)} ${pageData.clockName}`;
}

/** Adds buttons for what the mouse can do, and for jumping to a phase, a fault or an event. */
export function fillToolbar(toolbar: HTMLElement) {
  const by = (from: number, to: number) => () => {
    const span = zoomed.to - zoomed.from;
    zoomTo(zoomed.from + from * span, zoomed.to + to * span);
  };
  const steps: [text: string, name: string, act: () => void][] = [
    ['−', 'Zoom out', by(-0.5, 0.5)],
    ['+', 'Zoom in', by(0.25, -0.25)],
    ['←', 'Earlier', by(-0.5, -0.5)],
    ['→', 'Later', by(0.5, 0.5)],
  ];
  toolbar.append(button('Everything', showAll));
  for (const [text, name, act] of steps) {
    toolbar.append(Object.assign(button(text, act), { ariaLabel: name, title: name }));
  }
  toolbar.append(range);
  if (pageData.bands.length > 1) toolbar.append(bandChoice());
  toolbar.hidden = false;
  showRange();
}

function bandChoice(): HTMLElement {
  const select = element('select', {}, [new Option('a phase or an event', '')]);
  pageData.bands.forEach((band, index) => {
    const kind = band.kind === 'excluded' ? 'phase' : band.kind;
    select.append(new Option(`${kind} ${band.label}, ${elapsedText(band.fromSeconds)}`, String(index)));
  });
  select.addEventListener('change', () => {
    const band = pageData.bands[Number(select.value)];
    if (select.value === '' || band === undefined) return;
    // Includes some of the time before and after.
    const margin = Math.max(0.05 * (band.toSeconds - band.fromSeconds), pageData.secondsPerInterval);
    zoomTo(band.fromSeconds - margin, band.toSeconds + margin);
    select.value = '';
  });
  return element('label', {}, ['Go to ', select]);
}
