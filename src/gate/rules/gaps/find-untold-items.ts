/** Finds an item of a policy that no rule quotes, names or tells, in a list whose items rules quote: rules that come from a list leave none out. */
import type { BusinessRule } from '../../../scenario/design.ts';
import { findQuote, type SourceText } from '../find-quote.ts';
import type { Account } from './account-for.ts';
import type { DesignGap } from './design-gap.ts';
import { listItems } from './list-enumerations.ts';

/** The fewest items of a list that rules quote, and the share of all of them, for a list that rules come from. */
const LEAST_QUOTED = { items: 2, share: 0.5 };
/** The share below which no rule tells an item. */
const TOLD = 0.45;

export function findUntoldItems(
  rules: readonly BusinessRule[],
  sources: readonly SourceText[],
  account: (text: string) => Account,
): DesignGap[] {
  const isQuoted = (path: string, text: string) =>
    rules.some(
      ({ quote, source = '' }) =>
        namesItem(source, path, text) ||
        (quote !== undefined && findQuote(quote, path, [{ path, text }]) !== undefined),
    );
  return sources
    .filter(({ path }) => path !== 'brief.md')
    .flatMap(listItems)
    .flatMap(({ file, line, items }) => {
      const untold = items.filter((item) => !isQuoted(file, item));
      const quoted = items.length - untold.length;
      if (quoted < LEAST_QUOTED.items || quoted < items.length * LEAST_QUOTED.share) return [];
      return untold
        .filter((item) => account(item).share < TOLD)
        .map((item) => ({
          name: item,
          text: `“${item}” stands in ${file}:${line} among what rules quote, and no rule is about it`,
        }));
    });
}

/** Whether a source such as `policies/contracts.md, points 1 to 3` names the number of an item. */
function namesItem(source: string, path: string, item: string): boolean {
  const number = Number(/^\W*(\d+)/u.exec(item)?.[1]);
  const named = source.split(';').filter((part) => part.includes(path));
  return named.some((part) => {
    const numbers = (part.replace(path, '').match(/\d+/g) ?? []).map(Number);
    return numbers.length > 0 && number >= Math.min(...numbers) && number <= Math.max(...numbers);
  });
}
