/** A run of the chaos scenario that is left to workers: begun, waited for, and approved. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { RunState } from '../../src/run/state.ts';
import { stateOfRun, type Env } from './chaos.ts';
import { tandem, type Finished } from './cli.ts';

export function detach(project: string, id: string, env: Env): Promise<Finished> {
  return tandem(project, ['run', 'chaos-desk', '--detach', '--id', id, '--profile', 'chaos', '--json'], env);
}

/** Resolves when the run stands there; fails as soon as it cannot come there any more. */
export async function reached(project: string, id: string, status: RunState['status']): Promise<RunState> {
  for (let tries = 0; ; tries += 1) {
    const state = await stateOfRun(project, id);
    if (state.status === status) return state;
    if ('verdict' in state || state.status === 'errored' || tries > 600)
      throw new Error(`${id} is ${state.status}, not ${status}: ${JSON.stringify(state.lastFailure)}`);
    await delay(100);
  }
}

/** As soon as its design waits. */
export async function approve(project: string, id: string, env: Env): Promise<void> {
  const state = await reached(project, id, 'awaiting_approval');
  const digest = state.status === 'awaiting_approval' ? state.gate.digest : '';
  expect((await tandem(project, ['gates', 'approve', id, '--digest', digest, '--accept'], env)).code).toBe(0);
}
