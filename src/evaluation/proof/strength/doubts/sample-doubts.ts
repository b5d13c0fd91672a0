/** Samples that prove less than they seem to: found by reading them, one by one and in comparison. */
import type { Sample } from '../../../../scenario/sample.ts';
import { foldText } from '../../../../scenario/language/fold-text.ts';
import { canonicalJson } from '../../../../disk/canonical-json.ts';
import type { Design } from '../../../../scenario/design.ts';
import type { Finding } from '../../../../scenario/proof-strength.ts';
import type { Components, LoadedSample } from '../../../components/components.ts';
import { countGoldSteps } from '../../../judge/sample-fault.ts';
import type { JudgedSample } from '../plays/judge-plays.ts';

import { withheldFacts } from './withheld-facts.ts';

export function sampleDoubts(
  design: Design,
  { samples, tools }: Components,
  judged: readonly JudgedSample[],
): Finding[] {
  return [
    ...findDuplicates(samples),
    ...samples.flatMap(({ sample }) => [...shortLimits(sample), ...emptyWords(sample, samples)]),
    ...judged.flatMap((one) => withheldFacts(one, { design, tools })),
  ];
}

/** Samples that ask for the same thing from the same start: the second one adds a count and no evidence. */
function findDuplicates(samples: readonly LoadedSample[]): Finding[] {
  const keyOf = ({ sample: { gold, expect, user }, world, base }: LoadedSample): string =>
    canonicalJson({
      gold,
      end: expect.end_state,
      knows: user.knows,
      acts: user.acts,
      world: base === undefined ? world : [base.name, world],
    });
  return [...Map.groupBy(samples, keyOf).values()].flatMap(([first, ...others]) =>
    others.map(({ sample: { id } }): Finding => {
      const message = `samples/${id}.json: has the start, the user's facts, the gold path and the end of ${first?.sample.id}: together they count twice and prove one thing`;
      return { code: 'duplicate-sample', component: id, sample: id, message };
    }),
  );
}

/** Counts the steps as `countGoldSteps` does when a failure is later blamed on the limit. */
function shortLimits(sample: Sample): Finding[] {
  const { id } = sample;
  const { steps } = sample.limits;
  const { least: needed } = countGoldSteps(sample);
  if (steps === undefined || steps >= needed) return [];
  const message = `samples/${id}.json: its limit is ${steps} steps, and its gold path takes ${needed} with one call a step: a right subject runs out of steps`;
  return [{ code: 'limit-below-gold', component: id, sample: id, message }];
}

/** Answers of a subject that knows nothing of the case. */
const EMPTY_ANSWERS = [
  'Hello! Thank you for your message. How can I help you today?',
  'Thank you for waiting. I have looked into this for you and everything is done as it should be. Have a nice day!',
];

/** A phrase that such a subject says, or that nearly every answer of the other samples holds, shows nothing. */
function emptyWords({ id, expect, wrong_says: wrong }: Sample, samples: readonly LoadedSample[]): Finding[] {
  const others = samples.filter(({ sample }) => sample.id !== id).map(({ sample }) => foldText(sample.gold_says));
  return expect.must_say.flatMap(({ any }, index): Finding[] => {
    const holds = (text: string): boolean => any.some((phrase) => text.includes(foldText(phrase)));
    const everywhere = others.length >= 4 && others.filter(holds).length >= others.length * 0.8;
    const isEmpty = EMPTY_ANSWERS.some((text) => holds(foldText(text))) || everywhere;
    // A phrase of up to three letters is a part of many words.
    const isInWrong = any.some(
      (phrase) => /^[a-z ]{1,3}$/.test(foldText(phrase)) && foldText(wrong).includes(foldText(phrase)),
    );
    if (!isEmpty && !isInWrong) return [];
    const message = `samples/${id}.json: expect.must_say/${index} (${any.map((phrase) => JSON.stringify(phrase)).join(' or ')}) is in nearly every answer: it shows nothing`;
    return [{ code: 'empty-words', component: id, sample: id, message }];
  });
}
