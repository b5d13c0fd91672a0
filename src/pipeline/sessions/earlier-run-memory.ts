/** Gives agents whose definition asks for it memory of earlier sessions at the beginning of a turn (S3.12, S4.2). */
import { z } from 'zod';
import { sha256 } from '../../disk/sha256.ts';
import type { LoadedAgent } from '../../agent/definition.ts';
import type { LayerSources } from '../../agent/layers.ts';
import { isHarnessError, describeError } from '../../errors.ts';
import type { Attempt } from '../../ports/artifacts.ts';
import type { MemoryHit } from '../../ports/memory.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { Deps } from '../deps.ts';
import { indexScenario } from './index-sessions.ts';

/** A memory up to this length is shown whole; of a longer one only the matching part. */
const WHOLE_CHARS = 600;

/** Search results read for each one shown, because successive summaries repeat each other. */
const HITS_PER_SUMMARY = 4;

const StoredRecall = z.strictObject({ version: z.literal(1), lines: z.array(z.string()) });

type RecallContext = { run: RunFolder; attempt: Attempt; deps: Deps };

/** Undefined for an agent without memory: nothing is opened, and its requests stay the same. */
export function createRecall({ definition }: LoadedAgent, making: RecallContext): LayerSources['recall'] {
  const { memory } = definition;
  const { attempt, deps } = making;
  if (memory === undefined || deps.memoryOf === undefined) return undefined;
  return async (task, limit, signal) => {
    signal.throwIfAborted();
    // Other runs may end in between, but a step that is tried again must see the same hits.
    const name = `memory/${definition.name}.${sha256(task).slice(0, 16)}`;
    const stored = StoredRecall.safeParse(await attempt.recall(name));
    if (stored.success) return stored.data.lines;
    const lines = (await searchMemory(task, { limit, level: memory.level }, making)).map(formatHit);
    await attempt.remember(name, { version: 1, lines });
    return lines;
  };
}

/** Searches the index; when it cannot be used, a notice says so and the agent works without memory. */
async function searchMemory(
  text: string,
  { limit, level }: { limit: number; level: MemoryHit['level'] },
  { run, deps }: RecallContext,
): Promise<MemoryHit[]> {
  try {
    const memory = await deps.memoryOf?.(run.scenario);
    if (memory === undefined) return [];
    try {
      await indexScenario(run.scenario, memory, deps);
      const found = await memory.search({ text, limit: limit * HITS_PER_SUMMARY, level });
      const others = found.filter((one) => one.run !== run.id);
      return [...new Map(others.map((one) => [one.snippet, one])).values()].slice(0, limit);
    } finally {
      await memory.close();
    }
  } catch (error) {
    if (!isHarnessError(error)) throw error;
    deps.progress({ type: 'state', status: 'notice', detail: describeError(error) });
    return [];
  }
}

/** Removes `[#…]`, the form in which entries of this conversation are cited. */
function formatHit({ run, outcome, agent, entry, text, snippet }: MemoryHit): string {
  return `run ${run} (${outcome}), ${agent} ${entry}: ${text.length <= WHOLE_CHARS ? text : snippet}`.replaceAll(
    '[#',
    '[',
  );
}
