/** Ends the batches of a cancelled run at the endpoint, and books what they have cost. */
import { cancelBatches, type CancelledBatch } from '../../adapters/anthropic/batches/cancel-batches.ts';
import { readWaves } from '../../adapters/anthropic/batches/wave-record.ts';
import { chooseEndpoint } from '../../config/endpoint.ts';
import type { Home } from '../../config/home.ts';
import { loadConfig } from '../../config/load-config.ts';
import { describeError } from '../../errors.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import { findModel } from './known-model.ts';

/** The longest wait for a cancelled batch, in milliseconds: it ends once the calls in progress are finished. */
const LONGEST_MS = 60_000;

type EndBatchesInput = { home: Home; env: Readonly<Record<string, string | undefined>>; signal: AbortSignal };

/** Returns a line per batch. Contract: rejects only for an abort; the run is cancelled whatever the endpoint says. */
export async function endBatches(run: RunFolder, { home, env, signal }: EndBatchesInput): Promise<string[]> {
  const waves = await readWaves(run.shared);
  if (waves.length === 0) return [];
  try {
    const config = await loadConfig(home, { env });
    const chosen = chooseEndpoint(config, env);
    // The offline model ended with its process, and costs nothing.
    if (chosen.kind === 'simulated' && waves.every(({ simulated }) => simulated === true)) return [];
    if (chosen.kind === 'simulated') throw new Error('no key is set (ANTHROPIC_API_KEY)');
    const { baseUrl, apiKey } = chosen;
    const api = { baseUrl, apiKey, timeoutMs: config.retry.timeout_seconds * 1000 };
    const patience = { pollMs: config.economy.poll_ms, longestMs: LONGEST_MS };
    const left = await cancelBatches(run.shared, { api, patience }, signal);
    for (const one of left) await bookCalls(run, one, home);
    return left.map(formatBatchLine);
  } catch (error) {
    signal.throwIfAborted();
    const names = waves.map(({ batch = 'a batch that was being sent' }) => batch).join(', ');
    return [`Not cancelled at the provider, and billed: ${names}: ${describeError(error)}. Then: tandem cancel again.`];
  }
}

async function bookCalls({ spending }: RunFolder, { calls }: CancelledBatch, home: Home): Promise<void> {
  for (const { call, nth, model, usage } of calls) {
    const price = (await findModel(home, model))?.price;
    if (usage === undefined) await spending.fail(call, { nth, usd: 0, uncertainUsd: 0 });
    else if (price !== undefined) await spending.settle(call, usage, { price, nth });
  }
}

function formatBatchLine({ batch, became, endpoint, calls }: CancelledBatch): string {
  const answered = calls.filter(({ usage }) => usage !== undefined).length;
  const lines = {
    ended: `Batch ${batch} has ended: ${answered} of its calls were answered and are booked, ${calls.length - answered} cost nothing.`,
    shared: `Batch ${batch} goes on: other runs wait for it. What it answers of this run is billed, and counts at its worst.`,
    still_cancelling: `Batch ${batch} is being cancelled at the provider; give the command again to book what it had done.`,
    away: `Batch ${batch} may go on, and be billed: ${endpoint} does not say. Give the command again.`,
    elsewhere: `Batch ${batch} is at ${endpoint}: set ANTHROPIC_BASE_URL to that, and give the command again.`,
  };
  return lines[became];
}
