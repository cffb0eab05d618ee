import { expect, it } from 'vitest';
import { traceText } from '../../src/cli/output/trace-log.ts';

const WHOSE = { agent: 7, phase: 'steady', operation: 'checkdata', atMs: 62_003.4 } as const;

it('a request, an answer and a failure have a marker on each line, with their agent and time', () => {
  const head = 'POST /submit HTTP/1.1\nHost: a';
  expect(traceText({ kind: 'request', ...WHOSE, head, body: '{"a":1}' })).toBe(
    '* 62.003s agent 7, checkdata in phase steady: request\n> POST /submit HTTP/1.1\n> Host: a\n>\n> {"a":1}\n',
  );
  const answer = { kind: 'answer', ...WHOSE, serviceMs: 17.2 } as const;
  expect(traceText({ ...answer, outcome: 'http_503', head: 'HTTP/1.1 503 No', body: 'a\nb' })).toBe(
    '* 62.003s agent 7, checkdata in phase steady: http_503 after 17.2 ms\n< HTTP/1.1 503 No\n<\n< a\n< b\n',
  );
  expect(traceText({ ...answer, outcome: undefined, head: 'HTTP/1.1 307 X' })).toMatch(
    /: answer after 17.2 ms\n< HTTP\/1.1 307 X\n$/,
  );
  expect(traceText({ ...answer, outcome: 'timeout', reason: 'never connected' })).toBe(
    '* 62.003s agent 7, checkdata in phase steady: timeout after 17.2 ms\n* never connected\n',
  );
  expect(traceText({ kind: 'left_out', operations: 1 })).toBe(
    '* 1 operation skipped, because the output is read too slowly\n',
  );
});
