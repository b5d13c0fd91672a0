/**
 * `npm run test:live`: asks the real API what no offline test can settle, and plays one whole run, for at most about $5.
 * The Markdown table that it prints last is for a page. Without a key it says that nothing was asked.
 */
import { askLive, formatLiveTable } from '../test/live/table.ts';

const DEFAULT_MODELS = 'claude-opus-5-5,claude-sonnet-5-5,claude-haiku-5-5';
const RUN_USD = 4;

const { env } = process;
if (!env['ANTHROPIC_API_KEY']) {
  console.log(
    'NOT RUN: ANTHROPIC_API_KEY is not set, so what only the real API can settle stays open (test/live/checks.ts).',
  );
} else {
  const models = (env['TANDEM_LIVE_MODELS'] ?? DEFAULT_MODELS).split(',');
  const heard = ({ model, question, held, seen }: { model: string; question: string; held: unknown; seen: string }) =>
    console.error(`${model}: ${question} ${String(held)} (${seen})`);
  const rows = await askLive({ models, env, runUsd: Number(env['TANDEM_LIVE_RUN_USD'] ?? RUN_USD), heard });
  console.log(formatLiveTable(rows, new Date()));
  process.exitCode = rows.some(({ held }) => held === false) ? 1 : 0;
}
