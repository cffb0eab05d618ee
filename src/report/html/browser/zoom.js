import { clockText } from '../../page/browser/texts.js';
import { wallText } from './figures.js';
import { pageData } from './theme.js';

/** @import uPlot from 'uplot' */

/** The part of the run that all charts over time show, in seconds. */
export const shown = { from: 0, to: pageData.seconds };

/** @type {uPlot[]} */
export const timePlots = [];

let isFollowing = false;

/**
 * Shows this part in all charts; at least two intervals, and nothing outside the run.
 * @param {number} from
 * @param {number} to
 */
export function show(from, to) {
  const least = Math.min(pageData.seconds, 2 * pageData.secondsPerInterval);
  const span = Math.min(pageData.seconds, Math.max(least, to - from));
  shown.from = Math.min(Math.max(0, from), pageData.seconds - span);
  shown.to = shown.from + span;
  isFollowing = true;
  for (const plot of timePlots) plot.setScale('x', { min: shown.from, max: shown.to });
  isFollowing = false;
  tellShown();
}

export function showAll() {
  show(0, pageData.seconds);
}

/**
 * Applies a mouse zoom of one chart to the others.
 * @param {uPlot} plot
 * @param {string} key
 */
export function followZoom(plot, key) {
  const { min, max } = plot.scales.x ?? {};
  plot.root.dataset.shown = `${min} ${max}`;
  if (isFollowing || key !== 'x' || !timePlots.includes(plot) || min == null || max == null) return;
  if (min !== shown.from || max !== shown.to) show(min, max);
}

const told = document.createElement('output');

function tellShown() {
  const { from, to } = shown;
  told.textContent = `${clockText(from)} – ${clockText(to)} · ${wallText(from)} – ${wallText(to)} ${pageData.clockName}`;
}

/**
 * Adds buttons for what the mouse can do, and for jumping to a phase, a fault or an event.
 * @param {HTMLElement} toolbar
 */
export function fillToolbar(toolbar) {
  /** @type {(from: number, to: number) => () => void} */
  const by = (from, to) => () => {
    const span = shown.to - shown.from;
    show(shown.from + from * span, shown.to + to * span);
  };
  /** @type {[text: string, name: string, act: () => void][]} */
  const steps = [
    ['−', 'Zoom out', by(-0.5, 0.5)],
    ['+', 'Zoom in', by(0.25, -0.25)],
    ['←', 'Earlier', by(-0.5, -0.5)],
    ['→', 'Later', by(0.5, 0.5)],
  ];
  toolbar.append(button('Whole run', undefined, showAll));
  for (const [text, name, act] of steps) toolbar.append(button(text, name, act));
  toolbar.append(told);
  if (pageData.bands.length > 1) toolbar.append(bandChoice());
  toolbar.hidden = false;
  tellShown();
}

/**
 * @param {string} text
 * @param {string | undefined} name
 * @param {() => void} act
 * @returns {HTMLButtonElement}
 */
function button(text, name, act) {
  const element = document.createElement('button');
  element.type = 'button';
  element.textContent = text;
  if (name !== undefined) element.ariaLabel = element.title = name;
  element.addEventListener('click', act);
  return element;
}

/** @returns {HTMLElement} */
function bandChoice() {
  const label = document.createElement('label');
  const select = document.createElement('select');
  select.append(new Option('a phase or an event', ''));
  pageData.bands.forEach((band, index) => {
    const kind = band.kind === 'excluded' ? 'phase' : band.kind;
    select.append(new Option(`${kind} ${band.label}, ${clockText(band.fromSeconds)}`, String(index)));
  });
  select.addEventListener('change', () => {
    const band = pageData.bands[Number(select.value)];
    if (select.value === '' || band === undefined) return;
    // Includes some of the time before and after.
    const margin = Math.max(0.05 * (band.toSeconds - band.fromSeconds), pageData.secondsPerInterval);
    show(band.fromSeconds - margin, band.toSeconds + margin);
    select.value = '';
  });
  label.append('Go to ', select);
  return label;
}
