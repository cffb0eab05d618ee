import type { TracedMessage } from '../../metrics/recording/trace.ts';
import { traceText } from '../../report/trace-text.ts';
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
