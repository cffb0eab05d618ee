import { EXCHANGE_FAILURES } from '../../poller/exchange/results.ts';
import type { PollerChange } from '../../poller/plan.ts';

/** What changed with an agent, for a person; the agent's name stands before it. */
export function changeText(change: PollerChange): string {
  switch (change.kind) {
    case 'exchanged':
      return 'certificates exchanged';
    case 'confirmed':
      return 'certificates confirmed';
    case 'not_exchanged': {
      const { code, text } = EXCHANGE_FAILURES[change.failure];
      return `exchange failed with code ${code}: ${text} (${change.outcome})`;
    }
    case 'lost':
      return 'gets new certificates at the next interval';
    case 'configured':
      return 'configuration pushed';
    case 'not_configured':
      return `configuration refused (${change.outcome})`;
    case 'data':
      return 'check data';
    case 'no_data':
      return `no check data (${change.outcome})`;
  }
}
