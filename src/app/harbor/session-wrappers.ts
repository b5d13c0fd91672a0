/** Wrappers of sandbox sessions for exported samples: answers cached on disk, and a long timeout. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../disk/sha256.ts';
import { parseJson } from '../../parse-json.ts';
import type { SandboxOutcome, OpenSandbox } from '../../ports/sandbox.ts';

/** Milliseconds per call. On machines with many tasks, code that ends at all must not fail because it had to wait. */
const CALL_TIMEOUT_MS = 120_000;

export function withLongTimeout(session: OpenSandbox): OpenSandbox {
  return {
    ...session,
    call: (call, signal) => session.call({ ...call, timeoutMs: CALL_TIMEOUT_MS }, signal),
    askAll: (inquiry, signal) => session.askAll({ ...inquiry, timeoutMs: CALL_TIMEOUT_MS }, signal),
  };
}

/** Each command replays its conversation from the start, and tools are proven deterministic, so answers are cached. The verifier reads none. */
export function withCallCache(session: OpenSandbox, dir: string): OpenSandbox {
  return {
    ...session,
    async call(call, signal) {
      const file = join(dir, `${sha256(JSON.stringify([call.module, call.name, call.args]))}.json`);
      const known = readCachedOutcome(file);
      if (known !== undefined) return known;
      const outcome = await session.call(call, signal);
      if (outcome.ok) {
        mkdirSync(dir, { recursive: true });
        writeFileSync(`${file}.${process.pid}`, JSON.stringify(outcome));
        renameSync(`${file}.${process.pid}`, file);
      }
      return outcome;
    },
  };
}

function readCachedOutcome(file: string): SandboxOutcome | undefined {
  try {
    return parseJson(readFileSync(file, 'utf8')) as SandboxOutcome | undefined;
  } catch (unknown) {
    void unknown;
    return undefined;
  }
}
