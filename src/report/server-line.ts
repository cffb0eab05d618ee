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

/** The counts of some seconds ago. */
type Earlier = { readonly before: ServerFigures; readonly seconds: number };

/** One line about a server: traffic since earlier counts, or since its start. */
export function serverLine(now: ServerFigures, earlier: Earlier | undefined): string {
  const received = now.receivedBytes - (earlier?.before.receivedBytes ?? 0);
  const answers = answerParts(now, earlier?.before);
  const parts = [
    `agents registered: ${countText(now.registrations)}`,
    `connections: ${countText(now.openConnections)}`,
    earlier === undefined ? formatBytes(received) : `${formatBytes(received / earlier.seconds)}/s`,
    ...answers,
    ...(earlier === undefined || earlier.seconds === 1 || answers.length === 0 ? [] : [`in ${earlier.seconds} s`]),
  ];
  return parts.join('  ');
}

function answerParts({ answers }: ServerFigures, before: ServerFigures | undefined): string[] {
  return Object.entries(answers).flatMap(([endpoint, byStatus]) => {
    const counts = Object.entries(byStatus)
      .map(([status, count]) => [status, count - (before?.answers[endpoint]?.[Number(status)] ?? 0)] as const)
      .filter(([, count]) => count > 0)
      .map(([status, count]) => `${status} × ${countText(count)}`);
    return counts.length === 0 ? [] : [`${endpoint} ${counts.join(', ')}`];
  });
}
