/** The story of the Python scenario: which samples fail in which iteration, by whose fault, and what repairs them. */
import { beforeAll, describe, expect, test } from 'vitest';
import { clinic, componentsOf, endingsOf, playStory, type Ending, type Story } from '../scenarios/clinic-booking.ts';
import { findUnproven } from '../scenarios/prove-python.ts';
import { rulesOf } from '../scenarios/shipped.ts';

const BY_TOOL = ['cancelled-exactly-a-day-before', 'cancelled-slot-goes-to-the-list'];
const BY_CHECKER = ['referral-uploaded-in-app', 'referral-uploaded-too-old'];
/** A user without a birth date asks back here, and the script goes on without it. */
const BY_SAMPLE = ['cancelled-late-with-the-fee'];
const CONTRADICTED = ['earache-and-a-freed-slot', 'rash-and-a-freed-slot', 'swollen-knee-and-a-freed-slot'];
const OWN_MISTAKES = ['mother-of-a-sixteen-year-old', 'says-accepted-and-was-not'];

let story: Story;
let endings: Ending[][];
beforeAll(async () => {
  story = playStory(1);
  endings = await endingsOf(story);
});

const hasPassed = ({ failed, stop }: Ending): boolean => failed.length === 0 && stop === 'done';
const failures = (ended: readonly Ending[] = []): string[] =>
  ended
    .filter((ending) => !hasPassed(ending))
    .map(({ sample }) => sample)
    .toSorted();

describe('the story of clinic-booking', () => {
  test('is refused at first for a tool that sorts the list of the world itself', () => {
    expect(findUnproven(componentsOf(story, 'refused'))).toEqual([
      expect.stringMatching(/^expect rejects-gold cancelled-slot-goes-to-the-list: the end state differs/),
    ]);
  });

  // S0.25
  test('passes 20, 25 and 28 of 30 samples', () => {
    expect(endings.map((ended) => ended.filter(hasPassed).length)).toEqual([20, 25, 28]);
    expect(failures(endings[1])).toEqual([...CONTRADICTED, ...OWN_MISTAKES].toSorted());
    expect(failures(endings[2])).toEqual(OWN_MISTAKES);
    expect([25 / 30 < clinic.brief.target, 28 / 30 >= clinic.brief.target]).toEqual([true, true]);
  });

  // S0.24: each layer by its own evidence.
  test('fails in iteration 1 by a tool, a checker, a sample, two rules and the subject', () => {
    const [first = []] = endings;
    expect(failures(first)).toEqual(
      [...BY_TOOL, ...BY_CHECKER, ...BY_SAMPLE, ...CONTRADICTED, ...OWN_MISTAKES].toSorted(),
    );
    const threw = first.filter(({ threw: errors }) => errors.length > 0);
    expect(threw.map(({ sample }) => sample).toSorted()).toEqual(BY_TOOL);
    for (const { threw: errors } of threw) expect(errors).toEqual(["cancel_appointment: KeyError: 'fee_cents'"]);
    const broken = first.filter(({ failed }) => failed.some((verdict) => verdict.broken));
    expect(broken.map(({ sample }) => sample).toSorted()).toEqual(BY_CHECKER);
    for (const { failed } of broken) expect(failed.map(({ checker }) => checker)).toEqual(['referral-on-file']);
    for (const { failed } of first.filter(({ sample }) => BY_SAMPLE.includes(sample))) {
      expect(failed[0]).toMatchObject({ checker: 'expect', reason: expect.stringContaining('never said') });
    }
  });

  // S0.24, layer 1: proven without a model, before the three samples are sent back.
  test('finds no end of the rash that keeps R8 and R9: gold breaks one checker, the wrong path the other', () => {
    const unproven = findUnproven(componentsOf(story, 'probe'));
    expect(unproven).toEqual([expect.stringMatching(/^freed-slots rejects-gold rash-and-a-freed-slot: R9/)]);
    const [, second] = endings;
    for (const id of CONTRADICTED) {
      const ending = second?.find(({ sample }) => sample === id);
      expect(ending?.failed.map(({ checker }) => checker)).toEqual(['expect', 'urgent-first']);
    }
    expect(story.returned).toEqual([
      [expect.objectContaining({ rules: ['R8', 'R9'], samples: expect.arrayContaining(CONTRADICTED) })],
    ]);
  });

  test('judges the contradicted samples by both rules in iteration 3', () => {
    const both = componentsOf(story, 'third').samples.filter(({ id }) => CONTRADICTED.includes(id));
    for (const { covers, checkers } of both) {
      expect(covers).toEqual(expect.arrayContaining(['R8', 'R9']));
      expect(checkers).toEqual(expect.arrayContaining(['urgent-first', 'freed-slots']));
    }
  });

  // The user acts where the subject asks for it; nobody asks the user of the offer that the subject believes in.
  test('lets the user act in six samples of iteration 3', () => {
    const acted = endings[2]?.filter(({ acted: count }) => count > 0).map(({ sample }) => sample);
    expect(acted).toHaveLength(6);
    expect(acted).not.toContain('says-accepted-and-was-not');
  });

  test.each([2, 3])('hands in the same when the first approval falls in round %i', (round) => {
    const shifted = playStory(round);
    expect(shifted.handedIn).toEqual(story.handedIn);
    expect(rulesOf(shifted.tree, round).open_questions.join(' ')).toContain('A reviewer asked for changes');
    expect(rulesOf(shifted.tree, round + 1).rules).toEqual(rulesOf(story.tree, 2).rules);
  });
});
