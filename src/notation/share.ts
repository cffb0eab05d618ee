import { z } from 'zod';

const SHARE = 'a share such as 30% or 0.3';
// So few digits that a percentage turns into a share and back without loss.
const PERCENT = /^\d{1,3}(\.\d{1,6})?%$/;

/** A share from 0 to 1, written so or in percent. */
export const share = shareOr(SHARE);

/** The same, where something else may stand, too. */
export function shareOr(expected: string) {
  const fraction = z.number(expected).min(0, expected).max(1, expected);
  const percentage = z
    .string(expected)
    .regex(PERCENT, expected)
    .transform(shareOfPercent)
    .refine((part) => part <= 1, expected);
  return z
    .union([fraction, percentage], expected)
    .meta({ title: 'share', description: 'A part of the whole, in percent or from 0 to 1.', examples: ['30%', 0.3] });
}

/** A percentage as a name, such as `"99%"`. */
export const percent = z
  .string()
  .regex(PERCENT)
  .meta({ examples: ['50%', '99%'] });

export function shareOfPercent(text: string): number {
  return Number(`${text.replace('%', '')}e-2`);
}

/** The text that `shareOfPercent` reads as this share. */
export function percentOf(part: number): string {
  return `${Number((part * 100).toFixed(6))}%`;
}
