/** Rows and targets as Markdown tables. */
import type { Row } from './row.ts';
import type { Target } from './targets.ts';

const HEADINGS = [
  'system',
  'scenario',
  'rounds',
  'refused',
  'fits',
  'facts after 1',
  'facts at end',
  'stale thinking',
  'to summariser',
  'cost',
  'cache',
  'CPU',
  'peak',
];

export function tableOf(rows: readonly Row[], targets: readonly Target[], pauses: readonly Row[]): string {
  const lines = [
    line(HEADINGS),
    line(HEADINGS.map((_, place) => (place < 2 ? '---' : '--:'))),
    ...rows.map((row) => line(cells(row))),
  ];
  const notes = rows.flatMap((row) =>
    row.note === undefined ? [] : [`- ${nameOf(row)} on ${row.scenario}: ${row.note}`],
  );
  return [
    ...lines,
    ...(notes.length === 0 ? [] : ['', ...notes]),
    ...pauseLines(rows, pauses),
    ...targetLines(targets),
  ].join('\n');
}

function cells(row: Row): string[] {
  const facts = (kept: number, planted: number) => (planted === 0 ? '' : `${kept}/${planted}`);
  return [
    nameOf(row),
    row.scenario,
    String(row.rounds),
    String(row.faults),
    row.fits ? 'yes' : '**no**',
    facts(row.factsAfterOne.kept, row.factsAfterOne.planted),
    facts(row.factsKept, row.factsPlanted),
    String(row.staleThinking),
    `${Math.round(row.summariserTokens / 1000)}k`,
    `$${row.costUsd.toFixed(2)}`,
    `${Math.round(row.cacheRead * 100)} %`,
    `${(row.cpuMs / 1000).toFixed(1)} s`,
    `${row.peakMiB} MiB`,
  ];
}

/** The same conversations, with pauses in which the prompt cache expires. */
function pauseLines(rows: readonly Row[], pauses: readonly Row[]): string[] {
  if (pauses.length === 0) return [];
  const without = (row: Row) => rows.find((one) => nameOf(one) === nameOf(row) && one.scenario === row.scenario);
  const headings = ['with pauses', 'scenario', 'rounds', 'refused', 'facts at end', 'cost', 'without pauses', 'cache'];
  return [
    '',
    line(headings),
    line(headings.map((_, place) => (place < 2 ? '---' : '--:'))),
    ...pauses.map((row) =>
      line([
        nameOf(row),
        row.scenario,
        String(row.rounds),
        String(row.faults),
        `${row.factsKept}/${row.factsPlanted}`,
        `$${row.costUsd.toFixed(2)}`,
        `$${(without(row)?.costUsd ?? 0).toFixed(2)}`,
        `${Math.round(row.cacheRead * 100)} %`,
      ]),
    ),
  ];
}

function nameOf({ system, policy }: Row): string {
  return policy === undefined ? system : `${system} \`${policy}\``;
}

function targetLines(targets: readonly Target[]): string[] {
  if (targets.length === 0) return [];
  return [
    '',
    '| target | wanted | measured | |',
    '|---|---|---|---|',
    ...targets.map(({ name, wanted, measured, met }) => line([name, wanted, measured, met ? 'met' : '**missed**'])),
  ];
}

const line = (values: readonly string[]) => `| ${values.join(' | ')} |`;
