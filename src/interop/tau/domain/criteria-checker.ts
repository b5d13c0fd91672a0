/** The text of the checker for imported tau2-bench criteria: required words and required calls. */
import type { z } from 'zod';
import { readOwnText } from '../../../own-file.ts';
import { fillProgram } from '../../fill-program.ts';
import { requiredWords, type CriteriaShape } from '../runs/criteria-tau2.ts';

const CHECKER = readOwnText('./criteria-checker.js', import.meta.url);

/** `table` is inserted as data, never as code. */
export function criteriaChecker(
  table: Readonly<Record<string, z.infer<typeof CriteriaShape>>>,
  rules: readonly string[],
): string {
  const data = Object.fromEntries(
    Object.entries(table).map(([id, criteria]) => [
      id,
      {
        say: requiredWords(criteria),
        // Only a basis that names ACTION demands the recorded path.
        call: (criteria.reward_basis ?? []).includes('ACTION')
          ? (criteria.actions ?? [])
              .filter(({ requestor }) => requestor !== 'user')
              .map(({ name, arguments: args, compare_args }) => ({ tool: name, args, compare: compare_args ?? null }))
          : [],
      },
    ]),
  );
  return fillProgram(CHECKER, { rules: JSON.stringify(rules), criteria: JSON.stringify(data, null, 2) });
}
