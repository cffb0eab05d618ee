import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RecordFlags } from '../../src/cli/commands/hosts.ts';
import { type Io, interruptible } from '../../src/cli/io.ts';
import { untilStopped } from '../../src/cli/record/recorder.ts';

// What stays after a command that failed would keep the process alive, and would take interrupts that should end it.

const listeners = new Set<() => void>();
const io: Io = {
  stdin: process.stdin,
  stdout: { write: () => true },
  stderr: { write: () => true },
  env: {},
  cwd: '/',
  onInterrupt: (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
const fail = () => Promise.reject(new Error('the disk is full'));

describe('interrupts', () => {
  it('abort the signal of a task, and end the process again once it has ended', async () => {
    const isAborted = interruptible(io, async (signal) => {
      for (const listener of listeners) listener();
      return signal.aborted;
    });
    expect(await isAborted).toBe(true);
    expect(listeners.size).toBe(0);
  });

  it('end the process again after a task that failed', async () => {
    await expect(interruptible(io, fail)).rejects.toThrow('the disk is full');
    expect(listeners.size).toBe(0);
  });
});

describe('a recording that fails', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('leaves neither the timer of its duration nor a listener for interrupts', async () => {
    const order = { folder: 'hosts', flags: { duration: '15m' } as RecordFlags, io };
    await expect(untilStopped(order, fail)).rejects.toThrow('the disk is full');
    expect(vi.getTimerCount()).toBe(0);
    expect(listeners.size).toBe(0);
  });
});
