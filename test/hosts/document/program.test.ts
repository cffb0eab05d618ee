import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type Cell,
  type Column,
  createCells,
  type Element,
  type Node,
  slot,
} from '../../../src/hosts/document/nodes.ts';
import { plain } from '../../../src/hosts/document/plain.ts';
import { compile } from '../../../src/hosts/document/program.ts';
import { rendererOf } from '../../../src/hosts/document/renderer.ts';
import { draws } from '../../draws.ts';
import { goText } from '../any-machine.ts';
import { HOST_DATA } from '../host-data.ts';

const { render } = rendererOf(HOST_DATA.renderer);

/** Creates the next cell of a document with this value. */
type Take = (value: number) => Cell;
type Make = (take: Take) => Node;

/** A chain of the elements in `order`; it skips all others. */
function chained(makes: readonly Make[], order: readonly number[], take: Take): Element {
  const end = makes.length;
  const first = take(order[0] ?? end);
  const next = makes.map((_, place) => take(order[order.indexOf(place) + 1] ?? end));
  return slot.chain(
    first,
    (next[0] ?? first) as unknown as Column,
    makes.map((make) => make(take)),
  );
}

const anyText = fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom('ä', '<', '\ufffd', '"'));

/** JavaScript puts names such as 10 before all others; documents have them only in maps, which Go sorts. */
const anyMemberName = anyText.filter((name) => !/^\d+$/.test(name));

const { node: anyDocument } = fc.letrec<{ node: Make; element: (take: Take) => Element }>((tie) => ({
  element: fc.oneof(
    tie('node'),
    fc.tuple(fc.boolean(), tie('node')).map(([stands, make]) => {
      return (take: Take) => slot.optional(take(stands ? 1 : 0), make(take));
    }),
    fc
      .array(tie('node'), { maxLength: 4 })
      .chain((makes) => fc.tuple(fc.constant(makes), fc.shuffledSubarray([...makes.keys()])))
      .map(
        ([makes, order]) =>
          (take: Take) =>
            chained(makes, order, take),
      ),
  ),
  node: fc.oneof(
    { depthSize: 'small' },
    anyText.map(
      (value): Make =>
        () =>
          value,
    ),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(
      (value): Make =>
        (take) =>
          slot.float(take(value + 0)),
    ),
    fc.tuple(anyText, fc.double({ min: 0, max: 1, noNaN: true })).map(([start, value]): Make => {
      return (take) => slot.text(start, slot.float(take(value)));
    }),
    fc.tuple(anyText, fc.nat(1), anyText, anyText).map(([start, which, ...words]): Make => {
      return (take) => slot.text(start, slot.word(take(which), words), start);
    }),
    fc.tuple(fc.nat(1), tie('node'), tie('node')).map(([form, a, b]): Make => {
      return (take) => slot.either(take(form), [a(take), b(take)]);
    }),
    fc.array(tie('element'), { maxLength: 4 }).map(
      (makes): Make =>
        (take) =>
          makes.map((make) => make(take)),
    ),
    fc
      .tuple(
        fc.dictionary(
          fc.string({ minLength: 2, maxLength: 4 }).filter((name) => !/^\d+$/.test(name)),
          fc.tuple(fc.nat(2), tie('node')),
          {
            maxKeys: 3,
            noNullPrototype: true,
          },
        ),
        tie('node'),
      )
      .map(([makes, certain]): Make => {
        return (take) => {
          const members = Object.entries(makes).map(([key, [stands, make]]) => {
            return [key, stands === 2 ? make(take) : slot.optional(take(stands), make(take))] as const;
          });
          return Object.fromEntries([...members.slice(0, 1), ['-', certain(take)], ...members.slice(1)]);
        };
      }),
    fc.dictionary(anyMemberName, tie('node'), { maxKeys: 3, noNullPrototype: true }).map((makes): Make => {
      return (take) => Object.fromEntries(Object.entries(makes).map(([key, make]) => [key, make(take)]));
    }),
  ),
}));

const out = Buffer.alloc(1 << 16);

it("a compiled document equals the plain one in Go's format, and is no longer than its stated maximum", () => {
  fc.assert(
    fc.property(anyDocument, (make) => {
      const cells = createCells();
      const values: number[] = [];
      const node = make((value) => {
        values.push(value);
        return cells.one();
      });
      const frame = Float64Array.from(values);
      const program = compile(node);
      const end = render(program, frame, out, 0);
      expect(out.toString('utf8', 0, end)).toBe(goText(plain(node, frame)));
      expect(end).toBeLessThanOrEqual(program.maxBytes);
    }),
    { numRuns: draws(240) },
  );
});

it('keeps words once per document, however many texts have one of them', () => {
  const cell = createCells().one();
  const words = Array.from({ length: 200 }, (_, word) => `word${word}`);
  const sizeOf = (texts: number) =>
    compile(Array.from({ length: texts }, () => slot.text(slot.word(cell, words)))).image.length;
  expect(sizeOf(11) - sizeOf(1)).toBeLessThan(sizeOf(1) / 10);
});
