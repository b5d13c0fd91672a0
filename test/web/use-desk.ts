/** A desk in a file of tests. */
import { afterEach, beforeEach } from 'vitest';
import { openDesk, type Desk } from './desk.ts';

/** One for each test, removed after it. */
export function useDesk(): Desk {
  const desk = {} as Desk;
  beforeEach(async () => void Object.assign(desk, await openDesk()));
  afterEach(() => desk.remove());
  return desk;
}
