/**
 * Plots a day and a week of some simulated hosts for docs/explanation/hosts.md. Run by hand after a change to the behavior of
 * hosts:
 *
 *     node scripts/host-plots.ts
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { readHostData } from '../src/base/storage/host-data.ts';
import { plain } from '../src/hosts/document/plain.ts';
import { createMachines } from '../src/hosts/payloads.ts';

type Checks = {
  readonly cpu: { readonly cpu_total_percentage: number };
  readonly memory: { readonly percent: number };
  readonly net_io: Readonly<Record<string, { readonly avg_bytes_recv_ps: number; readonly avg_bytes_sent_ps: number }>>;
  readonly disks: readonly { readonly usage: { readonly percent: number } }[];
};

type Panel = { readonly title: string; readonly of: (checks: Checks) => number; readonly top: number | undefined };

const MONDAY_MS = Date.UTC(2026, 10, 16);
const DAY_MS = 86_400_000;
const HOSTS = [
  { agent: 2, profile: 'ubuntu-24.04', color: '#0072b2' },
  { agent: 5, profile: 'debian-12', color: '#009e73' },
  { agent: 3, profile: 'windows-server-2022', color: '#d55e00' },
  { agent: 1, profile: 'windows-11', color: '#cc79a7' },
];
const PANELS: readonly Panel[] = [
  { title: 'CPU, %', of: ({ cpu }) => cpu.cpu_total_percentage, top: 100 },
  { title: 'Memory, %', of: ({ memory }) => memory.percent, top: 100 },
  { title: 'Network, KB/s', of: ({ net_io }) => trafficOf(net_io) / 1000, top: undefined },
  { title: 'Fullest disk, %', of: ({ disks }) => Math.max(...disks.map(({ usage }) => usage.percent)), top: 100 },
];
const WIDTH = 860;
const LEFT = 60;
const PANEL_HEIGHT = 150;
const PLOT_HEIGHT = 100;

mkdirSync('docs/plots', { recursive: true });
draw('day', { fromMs: MONDAY_MS + DAY_MS, untilMs: MONDAY_MS + 2 * DAY_MS, stepMs: 5 * 60_000, tickMs: DAY_MS / 8 });
draw('week', { fromMs: MONDAY_MS, untilMs: MONDAY_MS + 7 * DAY_MS, stepMs: 30 * 60_000, tickMs: DAY_MS });

type Stretch = { readonly fromMs: number; readonly untilMs: number; readonly stepMs: number; readonly tickMs: number };

function draw(name: string, stretch: Stretch): void {
  const histories = HOSTS.map(({ agent, profile }) => historyOf(agent, profile, stretch));
  const legend = HOSTS.map(({ profile, color }, nth) => label(LEFT + 190 * nth, 20, profile, color));
  const panels = PANELS.map((panel, nth) => panelAt(30 + nth * PANEL_HEIGHT, panel, { histories, stretch }));
  const height = 40 + PANELS.length * PANEL_HEIGHT;
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">`;
  const title = `<title>CPU, memory, network and the fullest disk of four hosts over a ${name}</title>`;
  const parts = [
    head,
    title,
    `<rect width="${WIDTH}" height="${height}" fill="white"/>`,
    ...legend,
    ...panels,
    '</svg>',
  ];
  writeFileSync(`docs/plots/${name}.svg`, `${parts.flat().join('\n')}\n`);
}

function historyOf(agent: number, profile: string, { fromMs, untilMs, stepMs }: Stretch): readonly Checks[] {
  const machines = createMachines({
    data: readHostData(),
    seed: 1,
    profiles: { [profile]: 1 },
    payload: 'lean',
    checkIntervalSeconds: 30,
  });
  const steps = Math.floor((untilMs - fromMs) / stepMs) + 1;
  return Array.from({ length: steps }, (_, step) => {
    const { node, frame } = machines.checkdata(agent, fromMs + step * stepMs);
    return plain(node(), frame) as unknown as Checks;
  });
}

type Drawn = { readonly histories: readonly (readonly Checks[])[]; readonly stretch: Stretch };

function panelAt(y: number, { title, of, top }: Panel, { histories, stretch }: Drawn): string[] {
  const values = histories.map((history) => history.map(of));
  const most = top ?? Math.max(...values.flat());
  const bottom = y + 25 + PLOT_HEIGHT;
  const lines = values.map((row, nth) => {
    const points = row.map((value, step) => {
      const x = LEFT + ((WIDTH - LEFT - 10) * step) / (row.length - 1);
      return `${x.toFixed(1)},${(bottom - (PLOT_HEIGHT * value) / most).toFixed(1)}`;
    });
    return `<polyline fill="none" stroke="${HOSTS[nth]?.color}" points="${points.join(' ')}"/>`;
  });
  return [
    label(LEFT, y + 17, title, 'black'),
    `<path stroke="#bbb" d="M${LEFT} ${bottom}H${WIDTH - 10}M${LEFT} ${bottom - PLOT_HEIGHT}H${WIDTH - 10}"/>`,
    label(10, bottom - PLOT_HEIGHT + 5, `${Math.round(most)}`, '#555'),
    label(10, bottom + 5, '0', '#555'),
    ...ticks(bottom, stretch),
    ...lines,
  ];
}

function ticks(bottom: number, { fromMs, untilMs, tickMs }: Stretch): string[] {
  const count = Math.round((untilMs - fromMs) / tickMs);
  return Array.from({ length: count }, (_, nth) => {
    const at = new Date(fromMs + nth * tickMs);
    const text = tickMs < DAY_MS ? at.toISOString().slice(11, 16) : at.toUTCString().slice(0, 3);
    return label(LEFT + ((WIDTH - LEFT - 10) * nth) / count, bottom + 17, text, '#555');
  });
}

function label(x: number, y: number, text: string, color: string): string {
  return `<text x="${x.toFixed(0)}" y="${y}" fill="${color}">${text}</text>`;
}

function trafficOf(cards: Checks['net_io']): number {
  return Object.values(cards).reduce((sum, card) => sum + card.avg_bytes_recv_ps + card.avg_bytes_sent_ps, 0);
}
