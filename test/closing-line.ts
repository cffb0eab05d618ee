import type { Reporter, TestModule } from 'vitest/node';

/** Says at the end of every run how many tests it had, in the form that build servers read. */
export const closingLine: Reporter = {
  onTestRunEnd(modules) {
    const states = modules.flatMap(statesOf);
    const count = (state: string): number => states.filter((it) => it === state).length;
    const line = `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`;
    process.on('exit', () => process.stdout.write(`${line}\n`));
  },
};

/** A file that could not be read is a failure too, though it has no tests. */
function statesOf(module: TestModule): readonly string[] {
  const tests = [...module.children.allTests()].map((test) => test.result().state);
  return module.errors().length > 0 ? [...tests, 'failed'] : tests;
}
