import { z } from 'zod';

const SHARE = 'a share such as 30% or 0.3';
// So few digits that a percentage turns into a share and back without loss.
const PERCENT = /^\d{1,3}(\.\d{1,6})?%$/;

/** A share from 0 to 1, written so or in percent. */
export const share = shareOr(SHARE);

/** The same, where something else may stand, too. */
export function shareOr(expected: string) {
  return z.union(
    [
      z.number(expected).min(0, expected).max(1, expected),
      z
        .string(expected)
        .regex(PERCENT, expected)
        .transform(shareOfPercent)
        .refine((part) => part <= 1, expected),
    ],
    expected,
  );
}

/** A percentage as a name, such as `"99%"`. */
export const percent = z.string().regex(PERCENT);

export function shareOfPercent(text: string): number {
  return Number(`${text.replace('%', '')}e-2`);
}

/** The text that `shareOfPercent` reads as this share. */
export function percentOf(part: number): string {
  return `${Number((part * 100).toFixed(6))}%`;
}
