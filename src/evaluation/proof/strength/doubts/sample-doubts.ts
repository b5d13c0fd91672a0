/** Samples that prove less than they seem to: found by reading them, one by one and in comparison. */
import type { ToolSpec } from '../../../../scenario/component.ts';
import { listExpected, listRulesInCase, readCase } from '../../../../scenario/cases/judge-by-table.ts';
import type { Case } from '../../../../scenario/cases/format-cases.ts';
import { isJsonObject, sameJson } from '../../../../scenario/json/json-value.ts';
import type { TraceLine } from '../../../../scenario/trace.ts';
import type { Sample } from '../../../../scenario/sample.ts';
import { foldText } from '../../../../scenario/language/fold-text.ts';
import { canonicalJson } from '../../../../disk/sha256.ts';
import type { Design } from '../../../../scenario/design.ts';
import type { Finding } from '../../../../scenario/proof-strength.ts';
import type { Components, LoadedSample } from '../../../components/components.ts';
import { findFalseStatements, toStatementInput } from '../../../statements/find-false-statements.ts';
import { foldKey, listRecords } from '../../relations/world-records.ts';
import { WORDS_AT_ALL } from '../plays/sabotage.ts';
import { countGoldSteps, isWholeSentence } from '../../../judge/sample-fault.ts';
import type { JudgedSample } from '../plays/judge-plays.ts';
import { withheldFacts } from './withheld-facts.ts';

export function sampleDoubts(
  design: Design,
  { samples, tools }: Components,
  judged: readonly JudgedSample[],
): Finding[] {
  return [
    ...findDuplicates(samples),
    ...samples.flatMap(({ sample }) => [
      ...shortLimits(sample),
      ...emptyWords(sample, samples),
      ...wholeSentences(sample),
      ...lackingWrong(sample, samples),
      ...dictatedTools(sample, tools),
      ...unsaidAnswers(sample, samples),
    ]),
    ...findUnlikeCategories(design, samples),
    ...judged.flatMap((one) => [
      ...withheldFacts(one, { design, tools }),
      ...untrueWords(one, design, tools),
      ...unheardWords(one, samples),
      ...absentRecords(one, samples),
    ]),
  ];
}

/** A user knows no tools: one who names them tells the subject which way to go. */
function dictatedTools({ id, user }: Sample, tools: readonly ToolSpec[]): Finding[] {
  const texts = [user.says_first, ...Object.values(user.knows), ...(user.acts ?? []).map(({ says }) => says)];
  const named = tools.filter(
    ({ name }) => name.includes('_') && texts.some((text) => text.toLowerCase().includes(name.toLowerCase())),
  );
  if (named.length === 0) return [];
  const message = `samples/${id}.json: its user names ${named.map(({ name }) => name).join(', ')}: a user who tells the subject what to call proves nothing`;
  return [{ code: 'user-dictates', component: id, sample: id, message }];
}

/** Nearly all samples give their user the words that gold says for it; where one does not, gold's talk cannot take place. */
function unsaidAnswers({ id, gold, user }: Sample, samples: readonly LoadedSample[]): Finding[] {
  const listAnswers = (sample: Sample) =>
    sample.gold.flatMap((step, index) => {
      const isLast = index === sample.gold.length - 1;
      return 'user' in step && !isLast && sample.gold[index - 1] !== undefined ? [step.user] : [];
    });
  const isGiven = (known: Sample['user'], text: string): boolean =>
    [...Object.values(known.knows), ...(known.acts ?? []).map(({ says }) => says)].some((one) =>
      foldText(text).includes(foldText(one)),
    );
  const talking = samples.filter(({ sample }) => sample.id !== id && listAnswers(sample).length > 0);
  const giving = talking.filter(({ sample }) => listAnswers(sample).every((text) => isGiven(sample.user, text)));
  const unsaid = listAnswers({ gold } as Sample).find((text) => !isGiven(user, text));
  if (unsaid === undefined || talking.length < 3 || giving.length < talking.length * 0.8) return [];
  const message = `samples/${id}.json: gold's user says ${JSON.stringify(unsaid)}, which its user.knows and acts do not hold: its user may say something else`;
  return [{ code: 'user-unlike-gold', component: id, sample: id, message }];
}

/** A sample whose case has what is common to another category, and never occurs in its own. */
function findUnlikeCategories({ format, rules }: Design, samples: readonly LoadedSample[]): Finding[] {
  const { cases } = format;
  if (cases === undefined) return [];
  // What a case is not about says nothing of its category, whatever the start world shows.
  const known = samples.map(({ sample, world }) => ({ sample, known: readCase(sample, world, cases) ?? {} }));
  const listRules = (one: Case): string[] => [...listRulesInCase(one, rules.rules)];
  return known.flatMap(({ sample: { id, category }, known: own }): Finding[] => {
    // One other sample does not say what a category has in common.
    if (samples.filter(({ sample }) => sample.category === category).length < 3) return [];
    const valuesIn = (name: string, of: string) =>
      new Set(known.filter((one) => one.sample.category === of && one.sample.id !== id).map((one) => one.known[name]));
    const odd = Object.entries(own).find(([name, value]) => {
      const here = valuesIn(name, category);
      const others = [...new Set(known.map((one) => one.sample.category))].filter((one) => one !== category);
      const isCommon = (of: string): boolean => valuesIn(name, of).size === 1 && valuesIn(name, of).has(value);
      if (here.size !== 1 || here.has(value) || !others.some(isCommon)) return false;
      // What no rule minds in this case says nothing of what the sample is about.
      const [common = value] = here;
      return !sameJson(listRules(own), listRules({ ...own, [name]: common }));
    });
    if (odd === undefined) return [];
    const message = `samples/${id}.json: its category is "${category}", and its case has ${odd[0]} ${String(odd[1])}, as another category has throughout and no other sample of this one`;
    return [{ code: 'sample-category-unlike', component: id, sample: id, message }];
  });
}

/** Gold's own words are held against gold's own acts, as the words of a subject are. */
function untrueWords(
  { loaded: { sample, world }, plays }: JudgedSample,
  design: Design,
  tools: readonly ToolSpec[],
): Finding[] {
  const gold = plays.find(({ kind }) => kind === 'gold')?.played;
  const lines = (gold?.events ?? []).map((event) => event as TraceLine);
  const { cases } = design.format;
  const known = cases && readCase(sample, world, cases);
  // What the table demands of the case follows from what was read, though by more steps than are tried there.
  const demanded = known && cases ? [...listExpected(known, { cases, rules: design.rules.rules }).values()] : [];
  const input = toStatementInput(lines, design, { tools: [...tools] });
  const [first] = findFalseStatements({ ...input, given: [...input.given, ...demanded.map(String)] });
  if (first === undefined) return [];
  const message = `samples/${sample.id}.json: gold's words are not so: ${first.text}`;
  return [{ code: 'gold-says-untrue', component: sample.id, sample: sample.id, message }];
}

/** Last words that nobody judges, where most samples demand some. */
function unheardWords({ loaded: { sample }, plays }: JudgedSample, samples: readonly LoadedSample[]): Finding[] {
  const others = samples.filter((one) => one.sample.id !== sample.id);
  const demanding = others.filter((one) => one.sample.expect.must_say.length > 0);
  const isHeard = plays.some(({ name, refusedBy }) => name === WORDS_AT_ALL && refusedBy.size > 0);
  if (isHeard || sample.expect.must_say.length > 0 || demanding.length < Math.max(3, others.length * 0.8)) return [];
  const message = `samples/${sample.id}.json: whatever is said last passes, and ${demanding.length} other samples demand words: write what its answer has to hold into must_say`;
  return [{ code: 'empty-words', component: sample.id, sample: sample.id, message }];
}

/** No subject finds a whole sentence, though it says the same. */
function wholeSentences({ id, expect }: Sample): Finding[] {
  return expect.must_say.flatMap(({ any }, index): Finding[] => {
    if (!any.every(isWholeSentence)) return [];
    const message = `samples/${id}.json: expect.must_say/${index} demands the whole sentence ${JSON.stringify(any[0])}: demand the few words that decide`;
    return [{ code: 'end-demands-wording', component: id, sample: id, message }];
  });
}

/** Where nearly all samples show what must not pass, one that does not shows of its checkers only what they let pass. */
function lackingWrong({ id, wrong }: Sample, samples: readonly LoadedSample[]): Finding[] {
  const others = samples.filter(({ sample }) => sample.id !== id);
  const showing = others.filter(({ sample }) => sample.wrong.length > 0);
  if (wrong.length > 0 || showing.length < Math.max(3, others.length * 0.8)) return [];
  const message = `samples/${id}.json: it has no wrong path, and ${showing.length} other samples have one: write what must not pass`;
  return [{ code: 'wrong-breaks-nothing', component: id, sample: id, message }];
}

/** A wrong path that asks for a record which is not there breaks nothing: its tool refuses it whatever the rules say. */
function absentRecords(
  { loaded: { sample, world }, plays }: JudgedSample,
  samples: readonly LoadedSample[],
): Finding[] {
  const wrong = plays.find(({ kind }) => kind === 'wrong')?.played;
  const keys = new Set(listRecords(world).map(({ key }) => foldKey(key)));
  const named = samples.flatMap((one) => one.sample.gold.flatMap((step) => ('tool' in step ? [step] : [])));
  const absent = (wrong?.calls ?? []).find(({ tool, input, output, is_error }) => {
    const isRefused = is_error || (isJsonObject(output) && output['ok'] === false);
    return (
      isRefused &&
      Object.entries(input).some(([name, value]) => {
        const alike = named.filter((step) => step.tool === tool && name in step.args);
        const isKey = alike.length > 0 && alike.every(({ args }) => keys.has(foldKey(args[name])));
        return isKey && !keys.has(foldKey(value));
      })
    );
  });
  if (absent === undefined) return [];
  const message = `samples/${sample.id}.json: its wrong path calls ${absent.tool} for a record that its world does not have: it shows no broken rule`;
  return [{ code: 'wrong-breaks-nothing', component: sample.id, sample: sample.id, message }];
}

/** Samples that ask for the same thing from the same start: the second one adds a count and no evidence. */
function findDuplicates(samples: readonly LoadedSample[]): Finding[] {
  const keyOf = ({ sample: { gold, wrong, expect, user }, world, base }: LoadedSample): string =>
    canonicalJson({
      gold,
      wrong,
      end: expect.end_state,
      knows: user.knows,
      acts: user.acts,
      world: base === undefined ? world : [base.name, world],
    });
  return [...Map.groupBy(samples, keyOf).values()].flatMap(([first, ...others]) =>
    others.map(({ sample: { id } }): Finding => {
      const message = `samples/${id}.json: has the start, the user's facts, the paths and the end of ${first?.sample.id}: together they count twice and prove one thing`;
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
