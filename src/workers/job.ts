import { UserError } from '../kernel/errors.ts';

/** How a thread's job ended; an error's class does not survive the way between threads, so a user's error is data. */
export type JobEnd = { readonly userError: string | undefined };

/** Runs a job inside its thread. */
export async function endOf(job: () => Promise<void>): Promise<JobEnd> {
  try {
    await job();
    return { userError: undefined };
  } catch (error) {
    if (error instanceof UserError) return { userError: error.message };
    throw error;
  }
}

/** On the other side: throws what `endOf` caught. */
export function assertEndedWell({ userError }: JobEnd): void {
  if (userError !== undefined) throw new UserError(userError);
}
