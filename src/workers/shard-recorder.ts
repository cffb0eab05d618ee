import type { Clock } from '../base/kernel/clock.ts';
import type { Shard } from '../load/shard.ts';
import { phaseAt } from '../metrics/merging/phases.ts';
import { createRecorder } from '../metrics/recording/recorder.ts';
import { createTrace } from '../metrics/recording/trace.ts';
import { segmentsIn } from '../scenario/cohort-members.ts';
import type { FromShard, PollerTask } from './messages.ts';

type ShardRecording = {
  readonly clock: Clock;
  readonly shard: Shard;
  /** Texts to remove from what is recorded. */
  readonly secrets: readonly string[];
  readonly send: (message: FromShard) => void;
};

/** Records what a thread does; `trace` is `undefined` without `--debug`. */
export function createShardRecorder(
  { scenario, debug }: Pick<PollerTask, 'scenario' | 'debug'>,
  { clock, shard, secrets, send }: ShardRecording,
) {
  const phaseNameAt = (nowMs: number) => phaseAt(scenario.phases, nowMs)?.name;
  const settings = { clock, phaseAt: phaseNameAt, lateMs: scenario.validity.schedulingDelayMs };
  const recorder = createRecorder(settings, secrets, segmentsIn(scenario, shard));
  return { recorder, trace: debug && createTrace(debug, secrets, (message) => send({ kind: 'trace', message })) };
}
