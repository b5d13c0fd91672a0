/** The rows of the table in docs/internals/reliability.md, and which of them do not hold. */
import type { Ended, Played } from './play.ts';

/** A cent of a cent: sums of many calls are rounded on their way. */
const EPSILON = 0.0001;
const STOPS = new Set([2, 5, 6, 8]);

export type Row = { kind: string; rate: number; outcome: string; holds: boolean; money: string; words: string };

export function rowOf(played: Played, calm: Played): Row {
  const { first, then, billUsd } = played;
  const last: Ended = then?.ended ?? first;
  const equal = (ended: Ended | undefined) => ended?.code === 0 && ended.verdict === calm.first.verdict;
  const inTime = last.usd - EPSILON <= billUsd && billUsd <= last.usd + last.uncertainUsd + EPSILON;
  const stopped = first.code !== null && STOPS.has(first.code) && first.words !== '';
  const outcome = equal(first)
    ? 'verdict equal'
    : first.code === 0
      ? 'ANOTHER VERDICT'
      : `stops with ${first.code ?? 'a signal'}; ${then?.how ?? 'nothing'}: ${equal(then?.ended) ? 'verdict equal' : `${then?.ended.code ?? '-'} ${reasonOf(then?.ended)}`}`;
  return {
    ...{ kind: played.kind, rate: played.rate, outcome, words: first.code === 0 ? '' : first.words },
    holds: (equal(first) || (stopped && equal(then?.ended))) && inTime,
    money: `${usd(billUsd)} · ${usd(last.usd)}${last.uncertainUsd > 0 ? ` + ${usd(last.uncertainUsd)}` : ''}${inTime ? '' : ' **outside**'}`,
  };
}

/** Why it stopped, without the address: whether a server refused or the offline model's script does not fit. */
function reasonOf(ended: Ended | undefined): string {
  return (ended?.words ?? '').replace(/The Messages API at \S+ refused the request: /, '').slice(0, 240);
}

function usd(value: number): string {
  return `$${value.toFixed(3)}`;
}

export function tableOf(rows: readonly Row[]): string {
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  const lines = kinds.map((kind) => {
    const [some, all] = [
      rows.find((row) => row.kind === kind && row.rate < 1),
      rows.find((row) => row.kind === kind && row.rate === 1),
    ];
    const cell = (row: Row | undefined) => (row === undefined ? '—' : `${row.holds ? '' : '✗ '}${row.outcome}`);
    const words = (all?.words ?? '')
      .replaceAll('|', '/')
      .replaceAll(/http:\/\/[\d.:]+/g, '<address>')
      .slice(0, 140);
    return `| \`${kind}\` | ${cell(some)} | ${some?.money ?? '—'} | ${cell(all)} | ${all?.money ?? '—'} | ${words} |`;
  });
  return [
    '| fault | in 20 % of the calls | bill · ledger | in every call | bill · ledger | its words |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}
