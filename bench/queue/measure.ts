/** What every part of the queue bench needs: medians, and one line per measured number with its target. */

export type Row = { what: string; value: string; target: string; met: boolean | undefined };

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** `undefined` for what is told for information only. */
export function row(what: string, value: string, target = '', met?: boolean): Row {
  return { what, value, target, met };
}

export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ what, value, target, met }) => {
    const verdict = met === undefined ? '' : met ? 'met' : '**missed**';
    return `| ${what} | ${value} | ${target} | ${verdict} |`;
  });
  return ['| what | measured | target | |', '|---|---|---|---|', ...lines].join('\n');
}
