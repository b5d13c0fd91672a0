/** Judges every play of every sample by the expectation, the checkers it lists, and other checkers on gold. */
import type { CheckerSpec } from '../../../../scenario/component.ts';
import { checkerInput } from '../../../judge/check-trace.ts';
import { judgeExpectation } from '../../../judge/judge-expectation.ts';
import type { AnswerMemory } from '../../answer-memory.ts';
import { componentInput, dropRepeatedInputs, type ComponentInput } from '../mutants/component-input.ts';
import type { MutantBench } from '../mutants/mutant-bench.ts';
import type { SamplePlays } from './fair-variations.ts';
import { sampleEvenly } from '../mutants/mutant.ts';
import { mustPass, type Play } from './play.ts';
import { askOriginal, type ComponentInputs, type OriginalAnswer } from '../mutants/try-mutants.ts';

/** One play with the judges that refuse it. */
export type JudgedPlay = Play & {
  /** `expect`, or ids of checkers that the sample lists. */
  refusedBy: ReadonlySet<string>;
};

export type JudgedSample = Omit<SamplePlays, 'plays'> & {
  /** Specs of the checkers that the sample lists. */
  listed: CheckerSpec[];
  plays: JudgedPlay[];
  /** Checkers that the sample does not list, and that refuse its gold path. */
  strangers: { checker: CheckerSpec; alsoNothing: boolean }[];
  /** Listed checkers that gave verdicts. */
  measured: ReadonlySet<string>;
};

export async function judgePlays(
  samples: readonly SamplePlays[],
  checkers: readonly CheckerSpec[],
  { bench, memory, signal }: { bench: MutantBench; memory: AnswerMemory; signal: AbortSignal },
): Promise<{ samples: JudgedSample[]; measured: ComponentInputs[]; unmeasured: string[] }> {
  const questions = new Map(
    samples.map((one) => [
      one,
      one.plays.map((play) => componentInput([checkerInput(one.loaded.sample, play.played)])),
    ]),
  );
  const verdicts = new Map<string, Map<string, OriginalAnswer>>();
  const measured: ComponentInputs[] = [];
  const unmeasured: string[] = [];
  await Promise.all(
    checkers.map(async (checker) => {
      const given = samples.flatMap((one) => {
        const own = questions.get(one) ?? [];
        return isListed(one, checker)
          ? own
          : own.filter((_, index) => ['gold', 'nothing'].includes(one.plays[index]?.kind ?? ''));
      });
      const module = await bench.moduleOf('checkers', checker.id);
      const inputs = dropRepeatedInputs(given);
      const answers =
        module && (await askOriginal({ session: bench.session, module, name: 'check', inputs, memory, signal }));
      if (answers === undefined) unmeasured.push(checker.id);
      else {
        const found = new Map(inputs.map(({ digest }, index) => [digest, answers[index] ?? 'broken']));
        verdicts.set(checker.id, found);
        const asserted = assertedInputs(checker, { samples, questions, found });
        measured.push({ folder: 'checkers', name: checker.id, rules: checker.rules, inputs: asserted });
      }
    }),
  );
  const judged = samples.map((one) => judgedSample(one, questions.get(one) ?? [], { checkers, verdicts }));
  return {
    samples: judged,
    measured: measured.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    unmeasured: unmeasured.toSorted(),
  };
}

function isListed({ loaded }: SamplePlays, { id }: CheckerSpec): boolean {
  return loaded.sample.checkers.includes(id);
}

type AnsweredPlays = {
  samples: readonly SamplePlays[];
  questions: ReadonlyMap<SamplePlays, readonly ComponentInput[]>;
  /** Input digest -> the answer to it. */
  found: ReadonlyMap<string, OriginalAnswer>;
};

/** Most inputs of one checker that its mutants meet. */
const MOST_ASSERTED = 100;

/**
 * Lists plays that the checker judges rightly, from samples that list it: first the paths of the samples themselves,
 * then an even choice of the plays made from them.
 */
function assertedInputs(checker: CheckerSpec, { samples, questions, found }: AnsweredPlays): ComponentInput[] {
  const right = samples
    .filter((one) => isListed(one, checker))
    .flatMap((one) =>
      (questions.get(one) ?? []).flatMap((input, index) => {
        const play = one.plays[index];
        return play !== undefined && found.get(input.digest) === String(mustPass(play))
          ? [{ input, kind: play.kind }]
          : [];
      }),
    );
  const [own, made] = [true, false].map((isOwn) =>
    dropRepeatedInputs(right.filter(({ kind }) => isOwn === OWN.has(kind)).map(({ input }) => input)),
  ) as [ComponentInput[], ComponentInput[]];
  return [...own, ...sampleEvenly(made, Math.max(0, MOST_ASSERTED - own.length))];
}

const OWN: ReadonlySet<string> = new Set(['gold', 'wrong', 'nothing']);

type CheckerVerdicts = {
  checkers: readonly CheckerSpec[];
  verdicts: ReadonlyMap<string, ReadonlyMap<string, OriginalAnswer>>;
};

function judgedSample(
  one: SamplePlays,
  inputs: readonly ComponentInput[],
  { checkers, verdicts }: CheckerVerdicts,
): JudgedSample {
  const { sample } = one.loaded;
  const answerOf = (id: string, index: number): OriginalAnswer | undefined =>
    verdicts.get(id)?.get(inputs[index]?.digest ?? '');
  const isRefused = (answer: OriginalAnswer | undefined): boolean => answer === 'false' || answer === 'broken';
  const plays = one.plays.map((play, index) => {
    const refusing = sample.checkers.filter((id) => isRefused(answerOf(id, index)));
    const isExpected = judgeExpectation(sample, play.played).pass;
    return { ...play, refusedBy: new Set([...(isExpected ? [] : ['expect']), ...refusing]) };
  });
  const [gold, nothing] = ['gold', 'nothing'].map((kind) => one.plays.findIndex((play) => play.kind === kind));
  const strangers = checkers
    .filter(({ id }) => !sample.checkers.includes(id) && answerOf(id, gold ?? -1) === 'false')
    .map((checker) => ({ checker, alsoNothing: isRefused(answerOf(checker.id, nothing ?? -1)) }));
  const listed = checkers.filter(({ id }) => sample.checkers.includes(id));
  return { ...one, plays, listed, strangers, measured: new Set(sample.checkers.filter((id) => verdicts.has(id))) };
}
