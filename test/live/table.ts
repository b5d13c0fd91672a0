/** Puts the checks to each model and plays one whole run, and tells what held as a Markdown table for a page. */
import Anthropic from '@anthropic-ai/sdk';
import { findModel } from '../../src/app/models/known-model.ts';
import { findHome } from '../../src/config/home.ts';
import { computeCost } from '../../src/ports/model.ts';
import { NO_USAGE } from '../../src/transcript/message.ts';
import { lastJson, makeProject, tandem } from '../support/cli.ts';
import { chooserPicks } from './chooser-check.ts';
import { statementsJudged } from './statements-check.ts';
import {
  cachingAsBilled,
  loopClosedByNote,
  refusal,
  textAfterToolResults,
  thinkingAfterRewrite,
  type LiveCheck,
} from './checks.ts';

/** `held`: undefined where the question could not be put. */
export type LiveRow = { model: string; question: string; held: boolean | undefined; seen: string; usd: number };

export type LiveOptions = {
  models: readonly string[];
  /** The key and the endpoint; the vendor's client reads them, and so do the commands. */
  env: Readonly<Record<string, string | undefined>>;
  /** The most that the whole run may cost; without it there is none. */
  runUsd?: number;
  heard: (row: LiveRow) => void;
};

/** Contract: a check that fails with an error is a row that did not hold, and the others still run. */
export async function askLive({ models, env, runUsd, heard }: LiveOptions): Promise<LiveRow[]> {
  const rows: LiveRow[] = [];
  const add = (row: LiveRow): void => {
    rows.push(row);
    heard(row);
  };
  for (const model of models) for (const check of await listChecks(model)) add(await askOne(model, check, env));
  if (runUsd !== undefined) add(await playStarter(runUsd, env));
  return rows;
}

async function listChecks(model: string): Promise<LiveCheck[]> {
  const known = await findModel(findHome(process.cwd()), model);
  const thinking = thinkingAfterRewrite(known?.boundThinking ?? true);
  const checks = [textAfterToolResults, loopClosedByNote, thinking, refusal, cachingAsBilled];
  // Only the smallest models choose the moves of users, and read what subjects say.
  return model.includes('haiku') ? [...checks, chooserPicks, statementsJudged] : checks;
}

async function askOne(model: string, check: LiveCheck, env: LiveOptions['env']): Promise<LiveRow> {
  const known = await findModel(findHome(process.cwd()), model);
  let usd = 0;
  const billed = (usage: Anthropic.Usage): void => {
    const { input_tokens, output_tokens, cache_creation_input_tokens: written, cache_read_input_tokens: read } = usage;
    const counts = {
      input_tokens,
      output_tokens,
      cache_creation_input_tokens: written ?? 0,
      cache_read_input_tokens: read ?? 0,
    };
    usd += known === undefined ? 0 : computeCost({ ...NO_USAGE, ...counts }, known.price);
  };
  const [baseURL, apiKey] = [env['ANTHROPIC_BASE_URL'], env['ANTHROPIC_API_KEY']];
  const client = new Anthropic({ maxRetries: 2, apiKey, ...(baseURL !== undefined && { baseURL }) });
  try {
    const found = await check({ client, model, billed, refusalText: env['TANDEM_LIVE_REFUSAL'] });
    return { model, question: found.question, held: found.agrees, seen: found.seen, usd };
  } catch (error) {
    const seen = error instanceof Error ? error.message : String(error);
    return { model, question: check.name, held: false, seen, usd };
  }
}

const MOST_GATES = 3;

/** Plays the starter scenario from its brief to a verdict; whoever starts this suite approves its designs. */
async function playStarter(budgetUsd: number, env: LiveOptions['env']): Promise<LiveRow> {
  const project = await makeProject();
  const given = Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  const play = (...args: string[]) => tandem(project, [...args, '--json'], given);
  await tandem(project, ['init', 'desk'], given);
  let ended = await play('run', 'desk', '--id', 'live', '--budget', String(budgetUsd), '--yes', '--on-gate', 'exit');
  for (let gates = 0; ended.code === 4 && gates < MOST_GATES; gates += 1) {
    const { digest } = lastJson(ended) as { digest: string };
    await play('gates', 'approve', 'live', '--digest', digest, '--accept', '--comment', 'Approved by the live suite.');
    ended = await play('resume', 'live', '--on-gate', 'exit');
  }
  const { status, successRate, costUsd = 0, modelCalls, message } = lastJson(ended);
  return {
    model: 'all three',
    question: 'Does the starter scenario come from its brief to a verdict?',
    held: ended.code === 0 || ended.code === 1,
    seen:
      message === undefined
        ? `exit code ${ended.code}, ${String(status)}, rate ${String(successRate)}, ${String(modelCalls)} calls`
        : `exit code ${ended.code}: ${JSON.stringify(message)}`,
    usd: Number(costUsd),
  };
}

const HELD = { true: 'yes', false: '**no**', undefined: 'open' } as const;

/** Formats the rows for a page; cells hold no line breaks and no bars. */
export function formatLiveTable(rows: readonly LiveRow[], date: Date): string {
  const cell = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 160);
  const total = rows.reduce((sum, { usd }) => sum + usd, 0);
  return [
    `Asked on ${date.toISOString().slice(0, 10)}, for $${total.toFixed(2)} in all.`,
    '',
    '| model | question | held | what was seen | cost |',
    '|---|---|---|---|---|',
    ...rows.map(({ model, question, held, seen, usd }) => {
      const answer = HELD[String(held) as keyof typeof HELD];
      return `| ${cell(model)} | ${cell(question)} | ${answer} | ${cell(seen)} | $${usd.toFixed(3)} |`;
    }),
  ].join('\n');
}
