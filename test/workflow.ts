import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

type Step = { readonly name?: string; readonly run?: string; readonly uses?: string; readonly if?: string };
type Workflow = {
  readonly env: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[]; readonly 'timeout-minutes'?: number }>>;
};

/** The command with which GitHub runs a step without a shell; the step's text follows. */
export const STEP_SHELL = ['bash', '-e', '-c'] as const;

export function readWorkflow(file: string): Workflow {
  return parse(readFileSync(file, 'utf8')) as Workflow;
}

/** Returns the shell text of a step. Throws if there is no step with this name. */
export function stepText({ jobs }: Workflow, name: string): string {
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const text = steps.find((step) => step.name === name)?.run;
  if (text === undefined) throw new Error(`The workflow has no step ${name} with a text to run.`);
  return text;
}
