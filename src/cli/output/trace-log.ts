import { counted } from '../../base/kernel/units.ts';
import type { TracedMessage } from '../../metrics/recording/trace.ts';
import { countText, latencyText } from '../../report/page/figures.ts';
import type { TextSink } from '../io.ts';

/** Output of --debug. A slow reader never blocks the run. */
export type TraceLog = {
  /** For other output of the run, in order with the trace. */
  readonly sink: TextSink;
  /** Queues a message; calls `shown` once it is written. */
  show(traced: { readonly message: TracedMessage; readonly shown: () => void }): void;
  /** Resolves once all is written. */
  flush(): Promise<void>;
};

/** Writes texts one after another. Callers limit the queue by waiting for `shown`. */
export function createTraceLog(stderr: TextSink): TraceLog {
  const post = stderr.post ?? writeAtOnce(stderr);
  let last = Promise.resolve();
  const write = (text: string): Promise<void> => {
    last = last.then(() => new Promise((done) => post(text, done)));
    return last;
  };
  return {
    sink: { write },
    show: ({ message, shown }) => void write(traceText(message)).then(shown),
    flush: () => last,
  };
}

function writeAtOnce(sink: TextSink): NonNullable<TextSink['post']> {
  return (text, done) => {
    sink.write(text);
    done();
  };
}

/**
 * A traced message in the style of `curl --verbose`: a line with agent, time and operation, then the message. Each line of a request
 * starts with `>`, and each line of an answer with `<`. Ends with a line break.
 */
export function traceText(message: TracedMessage): string {
  if (message.kind === 'left_out') {
    const { operations } = message;
    return `* ${counted(operations, 'operation', countText(operations))} skipped, because the output is read too slowly\n`;
  }
  const { agent, atMs, operation, phase, reason, head = '', body } = message;
  const mark = message.kind === 'request' ? '>' : '<';
  const title = `* ${(atMs / 1000).toFixed(3)}s agent ${agent}, ${operation} in phase ${phase}: ${eventText(message)}`;
  const parts = body === undefined ? head : `${head}\n\n${body}`;
  const lines = parts === '' ? [] : parts.split('\n').map((line) => `${mark} ${line}`.trimEnd());
  return [title, ...(reason === undefined ? [] : [`* ${reason}`]), ...lines].map((line) => `${line}\n`).join('');
}

function eventText(message: Exclude<TracedMessage, { kind: 'left_out' }>): string {
  if (message.kind === 'request') return 'request';
  return `${message.outcome ?? 'answer'} after ${latencyText(message.serviceMs)}`;
}
