import { formatBytes } from '../ground/kernel/units.ts';
import { countText } from './page/figures.ts';

/** Counts of a monitoring server since its start. */
export type ServerFigures = {
  readonly registrations: number;
  readonly openConnections: number;
  readonly receivedBytes: number;
  /** Answers by endpoint and status. */
  readonly answers: Readonly<Record<string, Readonly<Record<number, number>>>>;
};

/** One line about a server: traffic of the last second, or the total without `secondAgo`. */
export function serverLine(now: ServerFigures, secondAgo: ServerFigures | undefined): string {
  const received = formatBytes(now.receivedBytes - (secondAgo?.receivedBytes ?? 0));
  const parts = [
    `agents registered: ${countText(now.registrations)}`,
    `connections: ${countText(now.openConnections)}`,
    secondAgo === undefined ? received : `${received}/s`,
    ...answerParts(now, secondAgo),
  ];
  return parts.join('  ');
}

function answerParts({ answers }: ServerFigures, secondAgo: ServerFigures | undefined): string[] {
  return Object.entries(answers).flatMap(([endpoint, byStatus]) => {
    const counts = Object.entries(byStatus)
      .map(([status, count]) => [status, count - (secondAgo?.answers[endpoint]?.[Number(status)] ?? 0)] as const)
      .filter(([, count]) => count > 0)
      .map(([status, count]) => `${status} × ${countText(count)}`);
    return counts.length === 0 ? [] : [`${endpoint} ${counts.join(', ')}`];
  });
}
