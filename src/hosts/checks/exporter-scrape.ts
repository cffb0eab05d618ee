import type { CheckResults } from '../../base/protocol/shapes.ts';

/** The part of check data that an exporter on the host could also report. A check that failed or is disabled contributes nothing. */
type Reported = Partial<Pick<CheckResults, 'memory' | 'system_load' | 'net_io'>> & Pick<CheckResults, 'agent'>;

type Labels = Readonly<Record<string, string>>;

type Sample = readonly [value: number | undefined, labels?: Labels];

type Family = readonly [name: string, type: 'counter' | 'gauge', help: string, samples: readonly Sample[]];

const LAST_UPDATED = /^(\S+) (\S+?)(\.\d+)? ([+-]\d\d)(\d\d) .* m=\+([\d.]+)$/;
/** Share of a core that an exporter takes if it is scraped four times a minute. Chosen, like the next figures. */
const CPU_SHARE = 0.0007;
const PAGE_BYTES = 4096;
/** Resident pages of an exporter; exporters with longer names have more. */
const RESIDENT_PAGES = 4200;
const PAGES_PER_LETTER = 37;

/** An answer in the text format of Prometheus (0.0.4), from check data (JSON): about the exporter, and the host if it is a `node` one. */
export function exporterScrape(exporter: string, checkdata: string): string {
  const reported: Reported = JSON.parse(checkdata);
  const families = [
    ...processFamilies(exporter, reported),
    ...(exporter.includes('node') ? hostFamilies(reported) : []),
  ];
  return families
    .filter(([, , , samples]) => samples.some(([value]) => value !== undefined))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(familyText)
    .join('');
}

function processFamilies(exporter: string, reported: Reported): readonly Family[] {
  const { goos, goarch = '', goversion } = reported.agent;
  const { startSeconds, lifeSeconds } = lifeOf(reported.agent.last_updated);
  const product = exporter.replace(/[^a-z0-9_]/g, '_').replace(/^(?=\d)/, '_');
  const build = { branch: 'HEAD', goarch, goos, ...(goversion !== undefined && { goversion }), tags: 'netgo' };
  const cpuSeconds = Math.floor(lifeSeconds * CPU_SHARE * 100) / 100;
  const residentBytes = PAGE_BYTES * (RESIDENT_PAGES + PAGES_PER_LETTER * exporter.length);
  // Interfaces of containers are transient, and their traffic stays within the host.
  const lasting = cards(reported).filter(([name]) => !name.startsWith('veth'));
  const moved = (counter: 'bytes_recv' | 'bytes_sent') =>
    lasting.reduce((sum, [, card]) => sum + (card[counter] ?? 0), 0);
  return [
    [`${product}_build_info`, 'gauge', 'Always 1, with what the exporter was built from.', [[1, build]]],
    ['process_cpu_seconds_total', 'counter', 'CPU time of the exporter in seconds.', [[cpuSeconds]]],
    ['process_network_receive_bytes_total', 'counter', 'Bytes received by the host.', [[moved('bytes_recv')]]],
    ['process_network_transmit_bytes_total', 'counter', 'Bytes sent by the host.', [[moved('bytes_sent')]]],
    ['process_resident_memory_bytes', 'gauge', 'Resident memory of the exporter in bytes.', [[residentBytes]]],
    ['process_start_time_seconds', 'gauge', 'Start of the exporter in seconds since 1970.', [[startSeconds]]],
  ];
}

function hostFamilies(reported: Reported): readonly Family[] {
  const { memory, system_load: load } = reported;
  const perCard = (counter: 'bytes_recv' | 'bytes_sent') =>
    cards(reported).map(([device, card]): Sample => [card[counter], { device }]);
  return [
    ['node_load1', 'gauge', 'Load over 1 minute.', [[load?.['0']]]],
    ['node_load5', 'gauge', 'Load over 5 minutes.', [[load?.['1']]]],
    ['node_load15', 'gauge', 'Load over 15 minutes.', [[load?.['2']]]],
    ['node_memory_MemAvailable_bytes', 'gauge', 'Memory that programs could have.', [[memory?.available]]],
    ['node_memory_MemFree_bytes', 'gauge', 'Memory that nothing uses.', [[memory?.free]]],
    ['node_memory_MemTotal_bytes', 'gauge', 'Memory in all.', [[memory?.total]]],
    ['node_network_receive_bytes_total', 'counter', 'Bytes received by the device.', perCard('bytes_recv')],
    ['node_network_transmit_bytes_total', 'counter', 'Bytes sent by the device.', perCard('bytes_sent')],
  ];
}

function cards({ net_io = {} }: Reported) {
  return Object.entries(net_io).filter(([, card]) => typeof card === 'object');
}

/** The exporter started with the agent, whose clock gives both the time and the agent's uptime. */
function lifeOf(lastUpdated: string): { readonly startSeconds: number; readonly lifeSeconds: number } {
  const [, day, time, fraction = '0', hours, minutes, since] = LAST_UPDATED.exec(lastUpdated) ?? [];
  const lifeSeconds = Number(since);
  // Rounds to milliseconds first: a tiny rounding error in the difference of two clocks must not cost a hundredth of a second.
  const startMs = Math.round(Date.parse(`${day}T${time}${hours}:${minutes}`) + (Number(fraction) - lifeSeconds) * 1000);
  return { startSeconds: Math.floor(startMs / 10) / 100, lifeSeconds };
}

function familyText([name, type, help, samples]: Family): string {
  const lines = samples.map(([value, labels]) =>
    value === undefined ? '' : `${name}${labelText(labels)} ${goNumber(value)}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelText(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** Formats a number like Go's shortest form: with an exponent of two digits from a million on. */
function goNumber(value: number): string {
  if (Math.abs(value) < 1e6) return String(value);
  return value.toExponential().replace(/e\+(\d)$/, 'e+0$1');
}
