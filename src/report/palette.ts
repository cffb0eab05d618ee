import { styleText } from 'node:util';

/** Styles for parts of a text; the plain palette leaves text unchanged. */
export type Palette = Readonly<Record<'strong' | 'faint' | 'good' | 'bad' | 'caution', Paint>>;

export type Paint = (text: string) => string;

export const unpainted: Paint = (text) => text;

export const PLAIN: Palette = {
  strong: unpainted,
  faint: unpainted,
  good: unpainted,
  bad: unpainted,
  caution: unpainted,
};

export const COLORED: Palette = {
  strong: painted('bold'),
  faint: painted('dim'),
  good: painted('green'),
  bad: painted('red'),
  caution: painted('yellow'),
};

// The caller that chooses the palette has checked whether the stream is a terminal with colors.
function painted(style: Parameters<typeof styleText>[0]): Paint {
  return (text) => styleText(style, text, { validateStream: false });
}
