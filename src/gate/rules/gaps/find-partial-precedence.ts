/** Finds rules that go before another one in some outcomes only: what else that one demands still holds, meant or not. */
import { buildTable } from '../../../scenario/cases/case-table.ts';
import { longOutcome, type Cases } from '../../../scenario/cases/cases.ts';
import { listLeftOutcomes } from '../../../scenario/cases/format-cases.ts';
import { isReading } from '../../../scenario/cases/readings.ts';
import type { BusinessRule } from '../../../scenario/design.ts';
import type { DesignGap } from './design-gap.ts';

/** Only of outcomes that are read: of all others the table demands nothing in a trial. */
export function findPartialPrecedence({ cases }: { cases: Cases }, rules: readonly BusinessRule[]): DesignGap[] {
  const table = buildTable(cases, rules);
  return rules.flatMap(({ id, over = [] }) =>
    over.flatMap((other): DesignGap[] => {
      const left = listLeftOutcomes(id, other, table).filter(({ name }) =>
        isReading(longOutcome(cases.outcomes[name] ?? []).from),
      );
      const name = `${id} over ${other}`;
      const text = `${id} goes before ${other}, and what ${other} demands of ${left.map(({ label }) => label).join(' and ')} still holds there: demand that in ${id} too, narrow one of their when, or leave "${name}" out with the reason why it is meant`;
      return left.length === 0 ? [] : [{ name, text }];
    }),
  );
}
