import { NO_RULES } from '../../src/recordings/harmless.ts';
import type { IntakeSettings } from '../../src/recordings/recorder/intake.ts';

/** A recording that keeps names and all documents. */
export const SETTINGS: IntakeSettings = {
  everyMs: 0,
  limitMs: Number.POSITIVE_INFINITY,
  key: 'a key',
  anonymous: false,
  rules: NO_RULES,
};
