/** Costs a few cents: run by `npm run test:live` where ANTHROPIC_API_KEY is set, and never by any other suite. */
import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { findModel } from '../../src/app/models/known-model.ts';
import { findHome } from '../../src/config/home.ts';
import {
  cachingAsBilled,
  loopClosedByNote,
  refusal,
  textAfterToolResults,
  thinkingAfterRewrite,
  type LiveCheck,
} from './checks.ts';

const model = process.env['TANDEM_LIVE_MODEL'] ?? 'claude-sonnet-5-5';
const known = await findModel(findHome(process.cwd()), model);
const setting = {
  // The client reads the key from the environment; nothing here sees it.
  client: new Anthropic({ maxRetries: 2 }),
  model,
  refusalText: process.env['TANDEM_LIVE_REFUSAL'],
};

test.each<[string, LiveCheck]>([
  ['text after tool results', textAfterToolResults],
  ['a tool loop closed by a note', loopClosedByNote],
  ['thinking after a rewrite', thinkingAfterRewrite(known?.boundThinking ?? true)],
  ['a refusal and its details', refusal],
  ['prompt caching as billed', cachingAsBilled],
])('%s', async (_title, check) => {
  const finding = await check(setting);
  console.log(`${model}: ${finding.question} ${finding.agrees === undefined ? 'OPEN' : ''} ${finding.seen}`);
  expect(finding.agrees, finding.seen).not.toBe(false);
});
