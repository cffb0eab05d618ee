import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NotWrittenError, TargetNotAllowedError, UserError } from '../../src/base/kernel/errors.ts';
import { EXIT_CODES, type ExitCode, exitCodeOf, worstExitCode } from '../../src/cli/exit-codes.ts';
import { reportFailure } from '../../src/cli/muster.ts';
import { judge, VERDICT_KINDS } from '../../src/metrics/judging/verdict.ts';

const codes = fc.array(fc.constantFrom<ExitCode>(...Object.values(EXIT_CODES)));

describe('the exit code of several runs', () => {
  it('is one of theirs, and pass without runs', () => {
    fc.assert(
      fc.property(codes, (all) => {
        expect(all.length === 0 ? [0] : all).toContain(worstExitCode(all));
      }),
    );
  });

  it('does not depend on their order or grouping', () => {
    fc.assert(
      fc.property(codes, codes, (a, b) => {
        const grouped = [worstExitCode(a), worstExitCode(b)];
        expect(worstExitCode([...b, ...a])).toBe(worstExitCode(grouped));
      }),
    );
  });

  it('is that of the worst verdict', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...VERDICT_KINDS)), (kinds) => {
        const reasons = kinds.flatMap((kind) => (kind === 'pass' || kind === 'done' ? [] : [{ kind, text: '' }]));
        expect(worstExitCode(kinds.map(exitCodeOf))).toBe(exitCodeOf(judge(reasons, true).kind));
      }),
    );
  });
});

describe('a failed command', () => {
  const report = (error: unknown) => {
    let text = '';
    const sink = { write: (part: string) => (text += part) };
    const io = {
      stdin: Readable.from([]),
      stdout: sink,
      stderr: sink,
      env: {},
      cwd: '/',
      onInterrupt: () => () => undefined,
    };
    return { code: reportFailure(error, io), text };
  };

  it('prints user errors without a stack trace', () => {
    expect(report(new UserError('Fix x.'))).toEqual({ code: 104, text: 'Fix x.\n' });
    expect(report(new TargetNotAllowedError('Allow x.'))).toEqual({ code: 112, text: 'Allow x.\n' });
  });

  it('ends with its own code if the disk is full, so that a supervisor tries again', () => {
    const full = [{ code: 'ENOSPC' }, { code: 'EDQUOT' }, { code: 'ERR_SQLITE_ERROR', errcode: 13 }];
    const caused = (what: object) => new UserError('Free the disk.', { cause: Object.assign(new Error('full'), what) });
    for (const what of full) expect(report(caused(what))).toEqual({ code: 116, text: 'Free the disk.\n' });
    expect(report(caused({ code: 'EACCES' })).code).toBe(104);
  });

  it('says by its code that only the file with its results is missing', () => {
    expect(report(new NotWrittenError('cannot write x'))).toEqual({ code: 116, text: 'cannot write x\n' });
  });

  it('prints the stack trace of a programming error', () => {
    const { code, text } = report(new TypeError('x is not a function'));
    expect(code).toBe(107);
    expect(text).toMatch(/TypeError: x is not a function\n\s+at /);
  });
});
