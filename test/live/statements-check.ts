/** Asks a small model which sentences of a subject are not so, by the request that trials send, and counts what it finds and flags. */
import { readFile } from 'node:fs/promises';
import { findSeededStatements } from '../../bench/words/score-statements.ts';
import { askStatements } from '../../src/evaluation/statements/ask-statements.ts';
import { NO_PRICE } from '../../src/ports/model.ts';
import { openClient } from './chooser-check.ts';
import type { LiveCheck } from './checks.ts';

/** Each so many-th sentence of two sets, false and harmless ones in three languages. */
const EACH = 8;
const LEAST_FOUND = 0.9;

/** A share of the seeded sentences beside right acts: nearly all false ones are found, at most one harmless one is flagged. */
export const statementsJudged: LiveCheck = async (setting) => {
  const question = 'Does it name the sentences of a subject that are not so, and no others?';
  const seeded = ['fresh-statements.tsv', 'fresh-2-statements.tsv'].flatMap(findSeededStatements);
  const rows = seeded.filter((_, index) => index % EACH === 0);
  const prompt = await readFile('prompts/statements.md', 'utf8');
  const settings = { name: setting.model, price: NO_PRICE, prompt, maxTokens: 1024, model: openClient(setting) };
  const [found, all] = [
    { false: 0, harmless: 0 },
    { false: 0, harmless: 0 },
  ];
  for (const { kind, lines, changing, given } of rows) {
    const { disputes } = await askStatements(settings, { lines, changing, given }, new AbortController().signal);
    all[kind] += 1;
    if (disputes.length > 0) found[kind] += 1;
  }
  return {
    question,
    seen: `${found.false} of ${all.false} found, ${found.harmless} of ${all.harmless} harmless ones flagged`,
    agrees: found.false >= LEAST_FOUND * all.false && found.harmless <= 1,
  };
};
