/** What `--rules` and `--success` measured, as Markdown tables. */
import type { RotReport } from './constraint-rot.ts';
import type { Row } from './row.ts';

export type SuccessRow = Row & { kind: string; summariser: string };

const line = (values: readonly (string | number)[]) => `| ${values.join(' | ')} |`;

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): [string, Item[]][] {
  return [...Map.groupBy(items, keyOf)];
}

export function rulesTable({ cases, moreTokens }: RotReport): string {
  const sum = (list: readonly number[]) => list.reduce((all, one) => all + one, 0);
  const shares = (policy: string, field: 'share' | 'costShare') =>
    moreTokens.flatMap((one) => (one.policy === policy ? [`${(one[field] * 100).toFixed(2)} %`] : [])).join(' · ');
  return [
    line([
      'policy',
      'cases',
      'requests',
      'compactions',
      'rules lost',
      'system prompts changed',
      'more tokens',
      'more cost',
    ]),
    line(['---', '--:', '--:', '--:', '--:', '--:', '--:', '--:']),
    ...groupBy(cases, ({ policy }) => policy).map(([policy, mine]) =>
      line([
        ...[`\`${policy}\``, mine.length, sum(mine.map(({ requests }) => requests))],
        sum(mine.map(({ compactions }) => compactions)),
        ...[sum(mine.map(({ lost }) => lost)), sum(mine.map(({ changed }) => changed))],
        ...[shares(policy, 'share'), shares(policy, 'costShare')],
      ]),
    ),
  ].join('\n');
}

export function successTable(rows: readonly SuccessRow[]): string {
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  const share = (mine: readonly Row[]) => `${mine.filter(({ solved }) => solved === true).length}/${mine.length}`;
  const cost = (mine: readonly Row[]) => mine.reduce((all, { costUsd }) => all + costUsd, 0) / mine.length;
  return [
    line(['system', 'summaries', ...kinds, 'solved', 'cost a task']),
    line(['---', '---', ...kinds.map(() => '--:'), '--:', '--:']),
    ...groupBy(rows, ({ system, policy = '', summariser }) => `${summariser}\n${system}\n${policy}`).map(([, mine]) => {
      const [{ system = '', policy, summariser = '' } = {} as Partial<SuccessRow>] = mine;
      return line([
        ...[policy === undefined ? system : `${system} \`${policy}\``, summariser],
        ...kinds.map((kind) => share(mine.filter((one) => one.kind === kind))),
        ...[share(mine), `$${cost(mine).toFixed(2)}`],
      ]);
    }),
  ].join('\n');
}
