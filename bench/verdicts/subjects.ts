/**
 * Measures whom a failure is put down to: a right subject, which does and says what gold does, on components with one fault
 * each, and wrong subjects, which take the wrong path of a sample, on sound components. The proof refuses nothing here.
 */
import { cp, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openConfined } from '../../src/app/open-sandbox.ts';
import { createTemporaryFolder } from '../../src/disk/temporary-folder.ts';
import { loadComponents } from '../../src/evaluation/components/load-components.ts';
import { evaluate } from '../../src/evaluation/evaluate.ts';
import { verifyComponents } from '../../src/evaluation/proof/verify-components.ts';
import { readDesign } from '../../src/run-folder/read-design.ts';
import { Brief } from '../../src/scenario/brief.ts';
import type { SampleResult } from '../../src/scenario/result.ts';
import type { Sample } from '../../src/scenario/sample.ts';
import type { TraceLine } from '../../src/scenario/trace.ts';
import { editFile, type Edit } from './edit-file.ts';

type Edit = { layer: string; file: string; from?: string; to?: string; edit?: (value: unknown) => void };
type Path = { steps: Sample['gold']; says: string };

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { most: { type: 'string', default: '8' } },
});
const most = Number(values.most);
const home = join(import.meta.dirname, positionals[0] ?? 'tool-hire');
const { faults } = (await import(join(home, 'faults.mjs'))) as { faults: Record<string, Edit> };
const { parts, problems } = await readDesign(join(home, 'design'), 'design');
if (parts === undefined) throw new Error(problems.join('\n'));
const design = { round: 1, digest: 'measured', ...parts };
const sandbox = await openConfined({});
const brief = Brief.parse({
  version: 1,
  name: 'verdicts',
  title: 'Verdicts',
  reads: ['brief.md'],
  samples: { min: 1, categories: design.format.categories.map(({ id }) => id) },
  subject: { kind: 'recorded', traces: 'none' },
  statements: 'on',
});
const names = await readdir(join(home, 'components/samples'));
const sound = new Map(
  await Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .map(async (name): Promise<[string, Sample]> => {
        const sample = JSON.parse(await readFile(join(home, 'components/samples', name), 'utf8')) as Sample;
        return [sample.id, sample];
      }),
  ),
);

/** What a subject did, as its trace would hold it. */
function writeTrace({ steps, says }: Path): TraceLine[] {
  const usage = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
  const lines = steps.map((one, index): TraceLine => {
    const step = index + 1;
    if ('says' in one) return { type: 'says', step, text: one.says };
    if ('user' in one) return { type: 'user', step, text: one.user };
    return { type: 'call', step, tool: one.tool, input: one.args, output: null, is_error: false, change: [] };
  });
  const calls = lines.filter(({ type }) => type === 'call').length;
  const last: TraceLine[] = says === '' ? [] : [{ type: 'says', step: steps.length + 1, text: says }];
  const end = { type: 'end', stop: 'done', world: {}, final: says, calls, usage, costUsd: 0, durationMs: 0 } as const;
  return [...lines, ...last, end];
}

/** Evaluates every sample with a subject that takes the path that is chosen for it. */
async function play(choose: (sample: Sample) => Path, edit?: Edit): Promise<SampleResult[]> {
  const dir = await createTemporaryFolder('verdicts');
  const signal = AbortSignal.timeout(300_000);
  try {
    await cp(join(home, 'components'), dir, { recursive: true });
    if (edit !== undefined) await editFile(join(dir, edit.file), edit);
    const strength = { seconds: 60, mutantsEach: 0 };
    const verification = await verifyComponents({ dir, design, samplesWanted: 1, sandbox, signal, strength });
    const { components } = await loadComponents(dir, sandbox, signal);
    const results = await evaluate({
      ...{ dir, design, brief, components, verification, sandbox, signal, iteration: 1, round: 1 },
      modelFor: () => {
        throw new Error('no model may be asked');
      },
      recording: async (id) => {
        const sample = sound.get(id);
        if (sample === undefined) throw new Error(`there is no sample ${id}`);
        return writeTrace(choose(sample));
      },
      maxTokens: 1,
      price: { input: 0, output: 0, cacheWrite: 0, cacheRead: 0 },
      concurrency: 2,
      simulated: true,
      componentsDigest: 'measured',
      onSample: () => undefined,
      now: () => 0,
    });
    return results.samples;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** A failure that is the subject's, and that nothing speaks against. */
const isBlamed = ({ outcome, cause, trials }: SampleResult): boolean =>
  outcome === 'fail' && cause === '4b' && trials.every(({ disputed = [] }) => disputed.length === 0);

const right = (sample: Sample): Path => ({ steps: sample.gold, says: sample.gold_says });
const wrong = (sample: Sample): Path => ({ steps: sample.wrong, says: sample.wrong_says });

const before = await play(right);
console.log(`sound components, right subject: ${before.filter(({ outcome }) => outcome !== 'pass').length} failures`);

const mistaken = await play(wrong);
const chosen = mistaken.filter(({ id }) => (sound.get(id)?.wrong.length ?? 0) > 0).slice(0, most);
const caught = chosen.filter(({ outcome }) => outcome === 'fail');
for (const one of chosen.filter((sample) => !isBlamed(sample)))
  console.log(
    `wrong subject, ${one.id}: ${one.outcome} ${one.cause ?? ''} ${one.trials[0]?.disputed?.[0]?.text ?? ''} ${one.why[0] ?? ''}`,
  );

/** Faults through which a right subject fails, evenly from all of them. */
const failing: { id: string; layer: string; blamed: SampleResult[] }[] = [];
const all = Object.entries(faults);
const order = [0, 1, 2, 3, 4].flatMap((rest) => all.filter((_, index) => index % 5 === rest));
for (const [id, edit] of order) {
  if (failing.length === most) break;
  const failed = (await play(right, edit)).filter(({ outcome }) => outcome === 'fail');
  if (failed.length === 0) continue;
  const blamed = failed.filter(isBlamed);
  failing.push({ id, layer: edit.layer, blamed });
  const causes = [
    ...new Set(failed.map(({ cause, trials }) => `${cause}${trials.some((one) => one.disputed) ? ' disputed' : ''}`)),
  ];
  console.log(
    `right subject, ${edit.layer} ${id}: ${causes.join(', ')} ${blamed[0]?.id ?? ''} ${blamed[0]?.why[0] ?? ''}`,
  );
}
console.log(
  `right subject on ${failing.length} faulty components: 4b in ${failing.filter(({ blamed }) => blamed.length > 0).length}`,
);
console.log(
  `${chosen.length} wrong subjects on sound components: ${caught.length} found, ${caught.filter(isBlamed).length} of them 4b`,
);
process.exit(0);
