import type uPlot from 'uplot';
import { axisStyle, sizeOf } from '../../page/browser/axes.ts';
import { drawStrips } from '../../page/browser/bands.ts';
import { stripsOf } from '../../page/strips.ts';
import { NICE_SECONDS } from '../../page/time-ticks.ts';
import { elapsedText, pageData, phaseText, wallText } from './data.ts';
import { showAll } from './zoom.ts';

const strips = stripsOf(pageData.bands);

/** Height reserved above a chart. */
export const stripsHeight = strips.heightPx;

/** Draws phases, faults and events behind and above a chart. */
export function drawBands(plot: uPlot) {
  drawStrips(plot, strips);
}

export function timeOptions(element: HTMLElement): Pick<uPlot.Options, 'width' | 'height' | 'padding' | 'cursor'> {
  return {
    ...sizeOf(element),
    padding: [stripsHeight, 26, 0, 0],
    cursor: {
      sync: { key: 'time' },
      points: { size: 6 },
      drag: { x: true, y: false },
      bind: { dblclick: () => onDoubleClick },
    },
  };
}

export function timeAxis(): uPlot.Axis {
  const text = (seconds: number) => `${elapsedText(seconds)}\n${wallText(seconds)}`;
  return { ...axisStyle(), size: 50, incrs: NICE_SECONDS, space: 72, values: (_plot, splits) => splits.map(text) };
}

export function timeSeries(): uPlot.Series {
  return { label: 'time', value: (_plot, value) => (value === null ? '–' : instantText(value)) };
}

function instantText(seconds: number): string {
  return [elapsedText(seconds), `${wallText(seconds)} ${pageData.clockName}`, phaseText(seconds)]
    .filter((text) => text !== '')
    .join(' · ');
}

function onDoubleClick(): null {
  showAll();
  return null;
}
