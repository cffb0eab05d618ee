import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

type Step = { readonly name?: string; readonly run?: string; readonly uses?: string; readonly if?: string };
type Workflow = {
  readonly env: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
};

/** The words with which GitHub starts a step that names no shell; the step's text comes after them. */
export const STEP_SHELL = ['bash', '-e', '-c'] as const;

export function readWorkflow(file: string): Workflow {
  return parse(readFileSync(file, 'utf8')) as Workflow;
}

/** The shell text of a step. Throws if there is none of that name. */
export function stepText({ jobs }: Workflow, name: string): string {
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const text = steps.find((step) => step.name === name)?.run;
  if (text === undefined) throw new Error(`The workflow has no step ${name} with a text to run.`);
  return text;
}
