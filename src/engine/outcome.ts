import type { AnswerReading } from '../agent/answers.ts';
import type { Outcome } from '../metrics/recording/outcomes.ts';

/** The outcome that an answer counts as; failures below HTTP carry their outcome's name already. */
export function outcomeOf(reading: AnswerReading): Outcome {
  switch (reading.kind) {
    case 'registered':
    case 'authorized':
    case 'accepted':
      return 'ok';
    case 'waiting':
      return 'waiting';
    case 'refused':
      return 'http_403';
    case 'rejected':
      return `http_${reading.status}`;
    case 'malformed':
      return 'malformed_answer';
    case 'unexpected':
      return 'unexpected_body';
  }
}
