/** Measures how many single faults of a scenario the proof notices, whose file it names, and what it says of harmless edits. */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openConfined } from '../../src/app/open-sandbox.ts';
import { createTemporaryFolder } from '../../src/disk/temporary-folder.ts';
import { verifyComponents } from '../../src/evaluation/proof/verify-components.ts';
import { readDesign } from '../../src/run-folder/read-design.ts';
import type { Problem, Verification } from '../../src/scenario/result.ts';
import { editFile, type Edit } from './edit-file.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, json: { type: 'boolean' }, bare: { type: 'boolean' } },
});
const home = join(import.meta.dirname, positionals[0] ?? 'tool-hire');
const { faults, harmless } = (await import(join(home, 'faults.mjs'))) as Record<
  'faults' | 'harmless',
  Record<string, Edit>
>;
const { parts, problems } = await readDesign(join(home, 'design'), 'design');
if (parts === undefined) throw new Error(problems.join('\n'));
const sandbox = await openConfined({});
const design = { round: 1, digest: 'measured', ...parts };
/** The same design without its readings, for the figures of a proof without the table. */
if (values.bare === true && parts.format.cases !== undefined) {
  const outcomes = Object.entries(parts.format.cases.outcomes).map(([name, outcome]) => {
    const { from, as, ...rest } = Array.isArray(outcome) ? { values: outcome } : outcome;
    return [name, from === undefined && as === undefined ? outcome : rest];
  });
  const { frames, ...cases } = parts.format.cases;
  design.format = { ...parts.format, cases: { ...cases, outcomes: Object.fromEntries(outcomes) } };
}

/** No mutants of code: survivors are not counted, and everything else that a proof says is. */
const BUDGET = { seconds: 60, mutantsEach: 0 };

async function prove(edit?: Edit): Promise<Verification> {
  const dir = await createTemporaryFolder('verdicts');
  try {
    await cp(join(home, 'components'), dir, { recursive: true });
    if (edit !== undefined) await editFile(join(dir, edit.file), edit);
    const signal = AbortSignal.timeout(300_000);
    return await verifyComponents({ dir, design, samplesWanted: 1, sandbox, signal, user: 'auto', strength: BUDGET });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

type Found = Omit<Problem, 'layer'>;

/** Everything that is said and blocks nothing. */
const listWarnings = ({ remarks = [], strength }: Verification): Found[] => [...remarks, ...(strength?.findings ?? [])];
const key = ({ code, component, sample = '' }: Found) => `${code} ${component} ${sample}`;
const sound = await prove();
const standing = [...sound.problems, ...listWarnings(sound)];
const usual = new Set(standing.map(key));
const nameLayer = ({ layer }: Problem): string => (layer === 4 ? '4a' : String(layer));

const HARMLESS = '-';

type Row = {
  id: string;
  layer: string;
  refused: boolean;
  noticed: boolean;
  named: boolean;
  first: string;
  says: string;
};

async function measure([id, edit]: [string, Edit]): Promise<Row> {
  const proved = await prove(edit);
  const refusals = proved.problems.filter((one) => !usual.has(key(one)));
  const found = [...refusals, ...listWarnings(proved).filter((one) => !usual.has(key(one)))];
  const name = edit.file.replace(/^.*\/|\.\w+$/g, '');
  const named = found.some(({ component, message }) => component === name || message.startsWith(edit.file));
  const [first] = found;
  const says = first === undefined ? '' : `${first.code}: ${first.message}`;
  const refused = refusals.length > 0;
  const row = {
    id,
    layer: edit.layer,
    refused,
    noticed: found.length > 0,
    named,
    first: refusals[0] === undefined ? '' : nameLayer(refusals[0]),
    says,
  };
  if (values.json !== true) showRow(row);
  return row;
}

function showRow({ noticed, named, layer, first, id, says }: Row): void {
  const word =
    layer === HARMLESS ? (noticed ? 'ALARM  ' : 'quiet  ') : noticed ? (named ? 'named  ' : 'noticed') : 'MISSED ';
  console.log(`${word} ${layer.padEnd(2)} ${first.padEnd(2)} ${id.padEnd(26)} ${says.slice(0, 170)}`);
}

const chosen = (all: Record<string, Edit>) =>
  Object.entries(all).filter(([id]) => values.only?.split(',').some((part) => id.includes(part)) !== false);
if (values.json !== true)
  for (const one of standing) console.log(`standing: ${one.code}: ${one.message.slice(0, 200)}`);
const rows: Row[] = [];
for (const one of chosen(faults)) rows.push(await measure(one));
const alarms: Row[] = [];
for (const [id, edit] of chosen(harmless)) alarms.push(await measure([id, { ...edit, layer: HARMLESS }]));
if (values.json === true) console.log(JSON.stringify({ rows, alarms }, null, 2));
for (const layer of ['2', '3', '4a', '']) {
  const some = rows.filter((row) => layer === '' || row.layer === layer);
  const refused = some.filter((row) => row.refused);
  const count = (test: (row: Row) => boolean) => some.filter(test).length;
  const right = refused.filter((row) => row.first === row.layer).length;
  console.log(
    `${layer || 'all'}: ${some.length} faults, ${count((row) => row.noticed)} noticed, ${count((row) => row.named)} right file, first layer right ${right} of ${refused.length} refused`,
  );
}
console.log(`harmless: ${alarms.length} edits, ${alarms.filter(({ noticed }) => noticed).length} alarms`);
process.exit(0);
