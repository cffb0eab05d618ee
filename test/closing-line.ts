import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Projects that `npm test` leaves out: they need npm's cache, an image builder, a browser or several minutes. */
const REST = ['package', 'browser', 'pages'];

let projects: readonly string[] = [];

/** Prints at the end of every run the number of tests, in a form that build servers read, and the projects left out. */
export const closingLine: Reporter = {
  onInit(vitest: Vitest) {
    projects = vitest.projects.map(({ name }) => name);
  },
  onTestRunEnd(modules) {
    const leftOut = REST.filter((name) => !projects.includes(name));
    const note = `Left out: ${leftOut.join(', ')} (npm run test:rest runs what npm test leaves out)\n`;
    // A run of selected projects needs no note: only `npm test` could be mistaken for all tests.
    if (projects.includes('machine') && leftOut.length > 0) process.on('exit', () => process.stdout.write(note));
    const states = modules.flatMap(statesOf);
    const count = (state: string): number => states.filter((it) => it === state).length;
    const line = `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`;
    process.on('exit', () => process.stdout.write(`${line}\n`));
  },
};

/** An unreadable file is also a failure, even though it has no tests. */
function statesOf(module: TestModule): readonly string[] {
  const tests = [...module.children.allTests()].map((test) => test.result().state);
  return module.errors().length > 0 ? [...tests, 'failed'] : tests;
}
