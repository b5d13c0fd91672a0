// Writes what was measured into docs/internals/evaluation-speed.md, each target with whether it was met.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const PAGE = new URL('../../docs/internals/evaluation-speed.md', import.meta.url);
const cell = (one) => (one === undefined ? '–' : `${one.seconds.toFixed(2)} s, ${one.treeMiB} MiB`);

function targetsOf({ table, sandbox, traces }) {
  const ours = table['Tandem'] ?? {};
  const bare = table['bare Node loop'] ?? {};
  const seconds = (work) => ours[work]?.seconds;
  const rows = [
    ['one sample, whole process (start)', seconds('1 sample'), 0.25, 's'],
    ['200 samples at 10 (ideal 1.00 s)', seconds('200 at 10'), 1.15, 's'],
    ['200 samples at 50 (ideal 0.20 s)', seconds('200 at 50'), 0.35, 's'],
    ['2000 samples at 50 (ideal 2.00 s)', seconds('2000 at 50'), 2.3, 's'],
    ['memory of all processes, 200 samples at 50', ours['200 at 50']?.treeMiB, 100, 'MiB'],
    ['our own process, 200 answers of 190 KB', traces.few?.ownMiB, 100, 'MiB'],
    ['the same, 800 answers', traces.many?.ownMiB, 100, 'MiB'],
    ['a call into an open sandbox, median', sandbox?.medianMs, 3, 'ms'],
  ];
  return [
    '| target | measured | | bare Node loop |',
    '|---|---|---|---|',
    ...rows.map(([what, value, most, unit]) => {
      const verdict = value === undefined ? 'not measured' : value <= most ? 'met' : '**missed**';
      const loop = Object.entries(bare).find(([work]) => what.startsWith(work.replace(' at', ' samples at')))?.[1];
      const floor = unit === 's' ? (loop ?? (what.startsWith('one') ? bare['1 sample'] : undefined)) : undefined;
      return `| ${what}: ≤ ${most} ${unit} | ${value ?? '–'} ${unit} | ${verdict} | ${floor === undefined ? '' : `${floor.seconds} s`} |`;
    }),
  ];
}

export function pageLines(found, works) {
  const { table, sandbox, traces, rejudged } = found;
  return [
    `Node ${found.node}, ${found.cores} cores, load ${found.load} while it ran, median of ${found.rounds} rounds, whole processes with all that they start. Memory: what is each process's own, and the pages of files that they share once.`,
    '',
    `| | ${works.map(({ name }) => name).join(' | ')} |`,
    `|---|${works.map(() => '---').join('|')}|`,
    ...Object.entries(table).map(
      ([name, row]) => `| ${name} | ${works.map((work) => cell(row[work.name])).join(' | ')} |`,
    ),
    '',
    ...targetsOf(found),
    '',
    ...(sandbox
      ? [
          `A call into a sandbox (${sandbox.sandbox}) that is open: median ${sandbox.medianMs} ms, 95 % under ${sandbox.p95Ms} ms; opening one and the first call: ${sandbox.openMs} ms.`,
        ]
      : []),
    ...(traces.few && traces.small
      ? [
          `200 samples at 10 with answers of 190 KB each: ${(traces.few.insideMs / 1000).toFixed(2)} s, ${traces.few.ownMiB} MiB in our own process (${traces.small.ownMiB} MiB with answers of three letters).`,
        ]
      : []),
    ...(rejudged
      ? [
          `\`tandem rejudge\` on all recorded sets: ${rejudged.agreed} of ${rejudged.total} rows agree, ${rejudged.seconds} s for the whole process.`,
        ]
      : []),
  ];
}

/** Between the two marks; whatever else stands on the page is left as it is. */
export function writePage(lines) {
  if (!existsSync(PAGE)) return;
  const text = readFileSync(PAGE, 'utf8');
  const marks = /(<!-- bench:begin -->\n)[\s\S]*(\n<!-- bench:end -->)/;
  writeFileSync(
    PAGE,
    text.replace(marks, (_, begin, end) => begin + lines.join('\n') + end),
  );
}
