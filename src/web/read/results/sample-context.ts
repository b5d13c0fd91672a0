/** What explains a sample in addition to its trials: its neighbours, its other iterations, its rules, and the code that judged it. */
import type { BusinessRule } from '../../../scenario/design.ts';
import type { SampleView } from '../read-sample.ts';
import type { Evaluated } from './evaluated.ts';
import { neighboursOf, type Cell, type Filter, type Matrix, type Neighbours } from './matrix.ts';

export type SampleContext = {
  neighbours: Neighbours;
  /** Every column that has it. */
  iterations: readonly { iteration: number; short: string; cell: Cell }[];
  rules: readonly Pick<BusinessRule, 'id' | 'title' | 'text'>[];
  /** Relative to the folder of the iteration. */
  files: readonly string[];
};

const FOLDERS = ['checkers', 'graders', 'tools'];
/** A file that a page may show: code and data that Execute wrote, never a hidden file. */
export const COMPONENT_PATH = /^(?:checkers|graders|tools|samples)(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}){1,3}$/;

export async function readAround(
  { of, view }: { of: Evaluated; view: SampleView },
  matrix: Matrix,
  filter: Filter,
): Promise<SampleContext> {
  const { iteration, result } = view;
  const cells = matrix.rows.find(({ id }) => id === result.id)?.cells ?? [];
  return {
    neighbours: neighboursOf(matrix, filter, { iteration, sample: result.id }),
    iterations: matrix.columns.flatMap((column, index) => {
      const cell = cells[index];
      return cell === undefined ? [] : [{ iteration: column.iteration, short: column.short, cell }];
    }),
    // A design that cannot be read takes nothing from the rest of the page.
    rules: (await of.rules(view)).filter(({ id }) => result.covers.includes(id)),
    files: await filesOf(of, view),
  };
}

/** The sample itself, whatever judged it, and the tools that were called. */
async function filesOf(run: Evaluated, { outputDir, result, sample, trials }: SampleView): Promise<string[]> {
  const called = trials.flatMap(({ lines }) => lines.flatMap((line) => (line.type === 'call' ? [line.tool] : [])));
  const judges = trials.flatMap(({ trial }) => trial.verdicts.map(({ checker }) => checker));
  const listed = [...(sample?.checkers ?? []), ...(sample?.graders ?? [])];
  const wanted = new Set([...called, ...judges, ...listed]);
  const folders = await Promise.all(FOLDERS.map((folder) => run.list(`${outputDir}/${folder}`)));
  const files = folders.flat().map((path) => path.slice(outputDir.length + 1));
  const used = files.filter((path) => COMPONENT_PATH.test(path) && wanted.has(nameOf(path)));
  return [`samples/${result.id}.json`, ...used.toSorted()];
}

function nameOf(path: string): string {
  return (path.split('/').at(-1) ?? '').replace(/\.[a-z]+$/, '');
}
