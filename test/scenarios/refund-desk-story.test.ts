/** The story that `npm start` shows: which samples fail in which iteration, by whose fault, and what repairs them. */
import { beforeAll, describe, expect, test } from 'vitest';
import { passed, type Ending } from './converse.ts';
import { findUnproven } from './prove.ts';
import { componentsOf, desk, playStory, type Story } from './refund-desk.ts';
import { playTurn, turnFor } from './script-tree.ts';
import { copyIteration, formatOf, requestChanges, rulesOf } from './shipped.ts';

const { brief, execute, messages, simulation, subject } = desk;

const CONTRADICTED = ['damaged-paid-by-gift-card', 'leaking-flosser-paid-by-gift-card', 'wrong-item-paid-by-gift-card'];
const OWN_MISTAKE = 'two-items-over-limit';

let story: Story;
beforeAll(async () => {
  story = await playStory(1);
});

const failures = (endings: readonly Ending[] = []): string[] =>
  endings
    .filter((ending) => !passed(ending))
    .map(({ sample }) => sample)
    .toSorted();
const endingOf = (endings: readonly Ending[] | undefined, sample: string): Ending | undefined =>
  endings?.find((ending) => ending.sample === sample);
const passedIn = ({ endings }: Story): number[] => endings.map((ending) => ending.filter(passed).length);

describe('the story of refund-desk', () => {
  test('is refused at first for one checker only, which accepts an agent that does nothing', () => {
    const refused = findUnproven(componentsOf(story, 0)).map((line) => line.split(' ')[0]);
    expect(new Set(refused)).toEqual(new Set(['place-said']));
  });

  // S0.25
  test('passes 9, 12 and 15 of 16 samples', () => {
    expect(passedIn(story)).toEqual([9, 12, 15]);
    expect(failures(story.endings[1])).toEqual([...CONTRADICTED, OWN_MISTAKE].toSorted());
    expect(failures(story.endings[2])).toEqual([OWN_MISTAKE]);
    expect([12 / 16 < brief.target, 15 / 16 >= brief.target]).toEqual([true, true]);
  });

  // S0.24: each layer by its own evidence.
  test('fails in iteration 1 by a tool, a checker, a sample, two rules and the subject', () => {
    const [first] = story.endings;
    const own = ['exchange-in-stock', 'exchange-out-of-stock', 'holiday-return'];
    expect(failures(first)).toEqual([...CONTRADICTED, OWN_MISTAKE, ...own].toSorted());
    const threw = first?.filter(({ threw: errors }) => errors.length > 0);
    expect(threw?.map(({ sample, threw: errors }) => [sample, ...errors])).toEqual([
      ['exchange-in-stock', expect.stringMatching(/^log_case: TypeError/)],
    ]);
    const broken = first?.filter(({ failed }) => failed.some((verdict) => verdict.broken));
    expect(broken?.map(({ sample, failed }) => [sample, ...failed.map(({ checker }) => checker)])).toEqual([
      ['exchange-out-of-stock', 'amount-said'],
    ]);
    expect(first?.filter(({ stop }) => stop === 'steps').map(({ sample }) => sample)).toEqual(['holiday-return']);
  });

  test('breaks the three contradicted samples at their end alone, while the subject names R8', () => {
    const prompt = formatOf(story.tree, 1).subject_prompt;
    for (const id of CONTRADICTED) {
      expect(endingOf(story.endings[1], id)?.failed.map(({ checker }) => checker)).toEqual(['expect']);
      const sample = componentsOf(story, 1).samples.find((candidate) => candidate.id === id);
      expect(turnFor(subject, sample?.user.says_first ?? '', prompt).steps.at(-1)?.say).toContain('R8');
    }
  });

  test('lets the contradicted samples be about both rules in iteration 3', () => {
    for (const sample of componentsOf(story, 3).samples.filter(({ id }) => CONTRADICTED.includes(id))) {
      expect(sample.covers).toEqual(expect.arrayContaining(['R7', 'R8']));
    }
  });

  // S0.24, layer 1: what Execute sends back cites the rules and the samples that the traces show.
  test('returns R7 and R8 with the three samples that show the contradiction', () => {
    const problem = { rules: ['R7', 'R8'], samples: expect.arrayContaining(CONTRADICTED) };
    expect(story.returned).toEqual([[expect.objectContaining(problem)]]);
  });

  test('lets the subject ask in five samples', () => {
    expect(story.endings[2]?.filter(({ asked }) => asked > 0)).toHaveLength(5);
  });

  test.each([2, 3])('ends the same when the first approval falls in round %i', async (round) => {
    const shifted = await playStory(round);
    expect(passedIn(shifted)).toEqual([9, 12, 15]);
    expect(rulesOf(shifted.tree, round).open_questions.join(' ')).toContain('A reviewer asked for changes');
  });

  test.each([3, 4])('goes on when a reviewer asks for changes after the return, up to round %i', (round) => {
    const tree = new Map(story.tree);
    requestChanges(desk, tree, 3, round);
    copyIteration(tree, 2);
    playTurn(simulation, turnFor(execute, messages.third(round)), tree);
    expect(rulesOf(tree, round).rules).toEqual(rulesOf(story.tree, 2).rules);
  });
});
