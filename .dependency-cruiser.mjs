/**
 * Which room of `src` may import which; the drawing in ARCHITECTURE.md shows the same, and test/architecture.test.ts
 * holds the two and the code against each other. Every room may import `kernel`.
 */
export const ARROWS = {
  main: ['cli'],
};

export default {};
