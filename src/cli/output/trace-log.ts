import type { TracedMessage } from '../../metrics/recording/trace.ts';
import { traceText } from '../../report/trace-text.ts';
import type { TextSink } from '../io.ts';

/** Output of --debug. A slow reader never blocks the writer. */
export type TraceLog = {
  /** For the other words of the run, which come in between. */
  readonly sink: TextSink;
  /** `shown` is called once it is written. */
  show(traced: { readonly message: TracedMessage; readonly shown: () => void }): void;
  /** Resolves once all is written. */
  flush(): Promise<void>;
};

/** One text after another goes out; how many wait is up to those who wait for `shown`. */
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
