import type { Benchmark } from './benchmark.ts';
import type { Measurement } from './sampling.ts';

/** A Markdown table with a row for each variant of each case. It is readable in a terminal and can be pasted into a document. */
export function tableOf({ figures, ratio }: Benchmark, measurements: readonly Measurement[]): string {
  const shown = Object.entries(figures).filter(([figure]) => measurements.some((one) => one.figure === figure));
  const head = ['', '', ...shown.map(([, title]) => title), ...(ratio ? [`× ${ratio.to}`] : [])];
  const variants = Map.groupBy(measurements, ({ name, variant }) => `${name}\n${variant}`);
  const rows = [...variants.values()].map((all) => {
    const cells = shown.map(([figure]) => spreadText(all.find((one) => one.figure === figure)));
    const ratios = ratio ? [all.find((one) => one.ratio !== undefined)?.ratio?.toFixed(2) ?? ''] : [];
    return [all[0]?.name ?? '', all[0]?.variant ?? '', ...cells, ...ratios];
  });
  return markdown(head, rows);
}

function spreadText(measurement: Measurement | undefined): string {
  if (measurement === undefined) return '';
  const { median, low, high, samples } = measurement;
  return samples.length === 1 ? numberText(median) : `${numberText(median)} (${numberText(low)}–${numberText(high)})`;
}

/** Rounds to three significant digits. Whole numbers keep all digits. */
export function numberText(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return String(Number(value.toPrecision(3)));
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, at) => (at < 2 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
