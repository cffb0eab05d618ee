import { describe, expect, it } from 'vitest';
import { nextStep } from '../../../src/wire/agent/lifecycle.ts';

describe('an agent without a password', () => {
  it.each(['unregistered', 'waiting', 'refused'] as const)('%s: requests registration at every check run', (state) => {
    expect(nextStep(state, 'checkdata')).toEqual({ kind: 'start', operation: 'register' });
    expect(nextStep(state, 'register')).toEqual({ kind: 'start', operation: 'register' });
  });

  it.each(['packages', 'authorize'] as const)('discards %s', (operation) => {
    expect(nextStep('unregistered', operation)).toEqual({ kind: 'drop', operation });
  });
});

describe('an agent with a password', () => {
  it.each(['registered', 'authorized'] as const)('%s: performs what is due and never registers again', (state) => {
    expect(nextStep(state, 'checkdata')).toEqual({ kind: 'start', operation: 'checkdata' });
    expect(nextStep(state, 'packages')).toEqual({ kind: 'start', operation: 'packages' });
    expect(nextStep(state, 'authorize')).toEqual({ kind: 'start', operation: 'authorize' });
    expect(nextStep(state, 'register')).toEqual({ kind: 'skip' });
  });
});
