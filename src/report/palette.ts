import { styleText } from 'node:util';

/** How parts of a text are set off; the plain palette leaves them as they are. */
export type Palette = {
  readonly strong: Paint;
  readonly faint: Paint;
  readonly good: Paint;
  readonly bad: Paint;
  readonly caution: Paint;
};

export type Paint = (text: string) => string;

const unpainted: Paint = (text) => text;

export const PLAIN: Palette = {
  strong: unpainted,
  faint: unpainted,
  good: unpainted,
  bad: unpainted,
  caution: unpainted,
};

export const COLOURED: Palette = {
  strong: painted('bold'),
  faint: painted('dim'),
  good: painted('green'),
  bad: painted('red'),
  caution: painted('yellow'),
};

// Whether the stream is a terminal that wants colours is decided where the palette is chosen.
function painted(style: Parameters<typeof styleText>[0]): Paint {
  return (text) => styleText(style, text, { validateStream: false });
}
