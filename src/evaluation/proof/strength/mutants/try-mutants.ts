/** Finds mutants of a component that behave differently from it on the inputs that the samples give it. */
import { z } from 'zod';
import { sha256 } from '../../../../disk/sha256.ts';
import type { OpenSandbox } from '../../../../ports/sandbox.ts';
import type { AnswerMemory } from '../../answer-memory.ts';
import { splitBatches, type ComponentInput } from './component-input.ts';
import { packInputs } from './packed-inputs.ts';
import type { Mutant } from './mutant.ts';
import type { MutatedModule } from './mutant-bench.ts';

/** Characters of inputs, and mutants, in one call. */
const USUAL = { mostChars: 400_000, mostIds: 40, isPacked: false };
/** Inputs that are packed are parsed once for all, so that more of them cost little more. */
const PACKED = { mostChars: 2_000_000, mostIds: 100, isPacked: true };
/** Python makes a copy of a packed input for each call, so that tools can have them as well. */
const PYTHON = { mostChars: 1_000_000, mostIds: 40, isPacked: true };
const BATCH_MS = 5000;
const ALONE_MS = 1000;

/**
 * `survived`: it does the same on every input. `words`: only its reason or evidence differs, which no verdict depends on.
 * `untried`: the time was up, or it cannot be run.
 */
export type MutantOutcome = 'caught' | 'survived' | 'words' | 'untried';

export type TriedMutant = Mutant & { outcome: MutantOutcome };

/** The outcome of the original on one input: `true`, `false`, `broken` for a checker, `ok`, `threw` for a tool. */
const OriginalAnswer = z.enum(['true', 'false', 'broken', 'ok', 'threw']);
export type OriginalAnswer = z.infer<typeof OriginalAnswer>;

const MutantsAnswer = z.strictObject({
  original: z.array(OriginalAnswer),
  /** The index of the first input that shows a difference. */
  mutants: z.array(z.union([z.int(), z.enum(['same', 'words', 'invalid'])])),
});
type MutantsAnswer = z.infer<typeof MutantsAnswer>;

export type MutantTrial = {
  session: OpenSandbox;
  module: MutatedModule;
  /** The function that is tried. */
  name: 'run' | 'check';
  inputs: readonly ComponentInput[];
  memory: AnswerMemory;
  signal: AbortSignal;
  isTimeUp: () => boolean;
};

/** One component, and the inputs that the samples give it. */
export type ComponentInputs = {
  folder: 'tools' | 'checkers';
  name: string;
  rules: readonly string[];
  inputs: ComponentInput[];
};

/** Runs the component itself on each input; undefined when it cannot be run in this way. */
export async function askOriginal(trying: Omit<MutantTrial, 'isTimeUp'>): Promise<OriginalAnswer[] | undefined> {
  const { module, name, inputs, memory } = trying;
  const keyOf = ({ digest }: ComponentInput): string[] => ['original', name, module.identity, digest];
  const answers = new Map<ComponentInput, OriginalAnswer>();
  for (const input of inputs) {
    const known = OriginalAnswer.safeParse(memory.recall(keyOf(input)));
    if (known.success) answers.set(input, known.data);
  }
  const unknown = inputs.filter((input) => !answers.has(input));
  for (const batch of splitInputs({ module, name, inputs: unknown })) {
    const original = { ...trying, module: { ...module, module: module.original } };
    const answer = await askMutants(original, { inputs: batch, ids: [], timeoutMs: BATCH_MS });
    if (answer === undefined) return undefined;
    for (const [index, one] of answer.original.entries()) {
      const input = batch[index];
      if (input === undefined) return undefined;
      answers.set(input, one);
      memory.remember(keyOf(input), one);
    }
  }
  return inputs.flatMap((input) => answers.get(input) ?? []);
}

const Outcomes = z.array(z.enum(['caught', 'survived', 'words']));

export async function tryMutants(trying: MutantTrial): Promise<TriedMutant[]> {
  const { module, name, inputs, memory } = trying;
  const key = ['mutants', name, module.identity, sha256(inputs.map(({ digest }) => digest).join('\n'))];
  const known = Outcomes.safeParse(memory.recall(key)).data;
  const outcomes = known ?? (await tryInBatches(trying));
  if (!outcomes.includes('untried')) memory.remember(key, outcomes);
  return module.mutants.map(({ id: _id, ...mutant }, index) => {
    return { ...mutant, outcome: outcomes[index] ?? 'untried' };
  });
}

async function tryInBatches(trying: MutantTrial): Promise<MutantOutcome[]> {
  const outcomes = new Map<number, MutantOutcome>();
  const { mostIds } = chooseSize(trying);
  for (const inputs of splitInputs(trying)) {
    const alive = trying.module.mutants
      .map(({ id }) => id)
      .filter((id) => ['words', 'survived', undefined].includes(outcomes.get(id)));
    for (let at = 0; at < alive.length; at += mostIds) {
      const ids = alive.slice(at, at + mostIds);
      if (trying.isTimeUp()) for (const id of ids) outcomes.set(id, 'untried');
      else await tryBatch(trying, { inputs, ids, outcomes });
    }
  }
  return trying.module.mutants.map(({ id }) => outcomes.get(id) ?? 'survived');
}

type MutantBatch = { inputs: readonly ComponentInput[]; ids: readonly number[]; outcomes: Map<number, MutantOutcome> };

/** Tries a batch. A mutant that never ends fails it, so halves are tried until the mutant alone counts as caught. */
async function tryBatch(trying: MutantTrial, { inputs, ids, outcomes }: MutantBatch): Promise<void> {
  const timeoutMs = ids.length === 1 ? ALONE_MS : BATCH_MS;
  const answer = await askMutants(trying, { inputs, ids, timeoutMs });
  if (answer !== undefined) {
    for (const [index, id] of ids.entries()) outcomes.set(id, toMutantOutcome(answer.mutants[index], outcomes.get(id)));
    return;
  }
  if (ids.length === 1 || trying.isTimeUp()) {
    for (const id of ids) outcomes.set(id, ids.length === 1 ? 'caught' : 'untried');
    return;
  }
  const half = Math.ceil(ids.length / 2);
  await tryBatch(trying, { inputs, ids: ids.slice(0, half), outcomes });
  await tryBatch(trying, { inputs, ids: ids.slice(half), outcomes });
}

function toMutantOutcome(
  found: MutantsAnswer['mutants'][number] | undefined,
  earlier: MutantOutcome | undefined,
): MutantOutcome {
  if (typeof found === 'number') return 'caught';
  if (found === 'words' || earlier === 'words') return 'words';
  return found === 'same' ? 'survived' : 'untried';
}

type MutantQuestion = { inputs: readonly ComponentInput[]; ids: readonly number[]; timeoutMs: number };

async function askMutants(
  { session, module, name, signal }: Pick<MutantTrial, 'session' | 'module' | 'name' | 'signal'>,
  question: MutantQuestion & { isPacked?: boolean },
): Promise<MutantsAnswer | undefined> {
  const { inputs, ids, timeoutMs, isPacked = chooseSize({ module, name }).isPacked } = question;
  const args = [isPacked ? packInputs(inputs) : inputs.map(({ text }) => text), ids, name];
  // Not `call`: the inputs would come back with the answer, and they are its largest part.
  const [outcomes] = await session.askAll(
    { modules: [module.module], name: 'tryAll', args, times: 1, timeoutMs },
    signal,
  );
  const [outcome] = outcomes ?? [];
  if (isPacked && outcome?.ok === true && outcome.value === null)
    return askMutants({ session, module, name, signal }, { ...question, isPacked: false });
  const parsed = outcome?.ok === true ? MutantsAnswer.safeParse(outcome.value) : undefined;
  const isWhole = parsed?.data?.original.length === inputs.length && parsed.data.mutants.length === ids.length;
  return isWhole ? parsed.data : undefined;
}

/** A tool writes into its world, so each of its calls needs one of its own. */
function chooseSize({ module, name }: Pick<MutantTrial, 'module' | 'name'>): typeof USUAL {
  if (module.path.endsWith('.py')) return PYTHON;
  return name === 'check' ? PACKED : USUAL;
}

function splitInputs(tried: Pick<MutantTrial, 'module' | 'name' | 'inputs'>): ComponentInput[][] {
  return splitBatches(tried.inputs, ({ text }) => text, chooseSize(tried));
}
