/** A folder of its own for each test, and a clock that stands still. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/ports/run-store.ts';

/** Removed when the running test has finished. */
export async function scratch(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'tandem-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Each reading is one second later than the one before. */
export function tickingClock(start = '2026-11-20T10:00:00.000Z'): Clock {
  let at = Date.parse(start);
  return {
    now: () => {
      at += 1000;
      return new Date(at - 1000);
    },
  };
}
