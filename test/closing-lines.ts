import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Projects of `npm run test:rest`: they need minutes, processes, NATS, npm's cache, an image builder, a browser or real time. */
const REST = ['statistics', 'processes', 'runs', 'package', 'browser', 'long', 'real-time'];
const DEAREST = 10;

let projects: readonly string[] = [];

/**
 * Prints at the end of every run the test files that took most processor time, the tests that were skipped for a reason, the projects that
 * were left out, and the number of tests in a form that build servers read.
 */
export const closingLines: Reporter = {
  onInit(vitest: Vitest) {
    projects = vitest.projects.map(({ name }) => name);
  },
  onTestRunEnd(modules) {
    const states = modules.flatMap(statesOf);
    const count = (state: string): number => states.filter((it) => it === state).length;
    const leftOut = REST.filter((name) => !projects.includes(name));
    const lines = [
      ...skipsOf(modules),
      ...(modules.length > DEAREST ? [`Most processor time: ${dearestOf(modules)}`] : []),
      // A run of selected projects needs no note: only `npm test` could be mistaken for all tests.
      ...(projects.includes('hosts') && leftOut.length > 0
        ? [`Left out: ${leftOut.join(', ')} (npm run test:rest runs what npm test leaves out)`]
        : []),
      `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`,
    ];
    process.on('exit', () => process.stdout.write(`${lines.join('\n')}\n`));
  },
};

/** An unreadable file is also a failure, even though it has no tests. */
function statesOf(module: TestModule): readonly string[] {
  const tests = [...module.children.allTests()].map((test) => test.result().state);
  return module.errors().length > 0 ? [...tests, 'failed'] : tests;
}

function skipsOf(modules: readonly TestModule[]): readonly string[] {
  return modules.flatMap((module) =>
    [...module.children.allTests('skipped')].flatMap((test) => {
      const result = test.result();
      const reason = result.state === 'skipped' ? result.note : undefined;
      return reason === undefined ? [] : [`Skipped: ${test.fullName} (${reason})`];
    }),
  );
}

/** Without the processes that a file starts. */
function dearestOf(modules: readonly TestModule[]): string {
  return modules
    .map((module) => ({
      file: module.relativeModuleId.replace(/^test\//, ''),
      seconds: (module.meta().cpuMs ?? 0) / 1000,
    }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, DEAREST)
    .map(({ file, seconds }) => `${file} ${seconds.toFixed(1)} s`)
    .join(', ');
}
