import { describe, expect, test } from 'vitest';
import { readRows, scoreRows } from '../../../bench/words/score-messages.ts';
import { choosingUser, type Chooser } from '../../../src/evaluation/chooser/choosing-user.ts';
import { NO_USAGE } from '../../../src/transcript/message.ts';
import { Sample } from '../../../src/scenario/sample.ts';
import type { ChosenMove } from '../../../src/scenario/trace.ts';
import { turnOn } from '../lamps.ts';

const { signal } = new AbortController();
const act = async () => ({ output: null, is_error: false });

/** What it says; `(done)` and `(stop: …)` are its ways to end the conversation. */
function userWith(more: object, chooser?: Chooser) {
  const user = choosingUser(Sample.parse({ ...turnOn, user: { says_first: 'Hello, I need help.', ...more } }), chooser);
  return async (said: string, hasActed = false): Promise<string> => {
    const { says, end } = await user.answer({ said, act, leftMs: 1000, hasActed }, signal);
    return says ?? (end === undefined ? '(done)' : `(${end.stop}: ${end.detail})`);
  };
}

/** A chooser that picks these, one list for each time that it is asked. */
function picking(...picks: [string, string][][]): Chooser & { faults: (string | undefined)[] } {
  const faults: (string | undefined)[] = [];
  return {
    name: 'test',
    faults,
    choose: ({ fault }) => {
      faults.push(fault);
      const moves = (picks.shift() ?? []).map(([move, quote]): ChosenMove => ({ move, quote }));
      return { moves, usage: NO_USAGE, costUsd: 0.25 };
    },
  };
}

test('labelled messages in three languages: what rules answer is right, and no yes is wrong', () => {
  const counts = scoreRows(readRows());
  expect(counts.wrong).toEqual([]);
  expect(counts.wrongYes).toBe(0);
  expect(counts.all).toBe(300);
  expect(counts.answered / counts.all).toBeGreaterThan(0.55);
});

describe('rules', () => {
  const guest = {
    says_first: 'I want to cancel my booking, please.',
    knows: { 'booking number': 'HB-2041', 'agrees to the fee of 30 euros': 'yes' },
    stops_when: 'the agent says that it is cancelled',
  };

  test('a fact whose name stands in a question for consent does not swallow it', async () => {
    const says = userWith({ ...guest, knows: { ...guest.knows, fee: '30 euros' } });
    expect(await says('There is a fee of 30 euros. Do you agree to that?')).toBe('Yes, please.');
  });

  test('a question that asks for nothing but a part of one name is answered, and one that asks for more is not', async () => {
    const knows = { 'loan number': 'L-102', 'date of birth': '2 May 1988' };
    expect(await userWith({ knows })('Which loan is it?')).toContain('L-102');
    expect(await userWith({ knows })('When is the loan due?')).toBe('(no_move: When is the loan due?)');
    expect(await userWith({ knows: { ...knows, 'loan desk': 'north' } })('Which loan is it?')).toContain('no_move');
  });

  test('the user stays for the act that it agreed to, and ends when it is done', async () => {
    const says = userWith(guest);
    expect(await says('Cancelling costs a fee of 30 euros. Shall I go ahead?')).toBe('Yes, please.');
    expect(await says('Great, I am doing that now.')).toBe('I will wait.');
    expect(await says('I have cancelled it for you.', true)).toBe('(done)');
  });

  test('a question that nothing answers ends the trial as no move, with the question', async () => {
    expect(await userWith(guest)('Would you like a voucher for 20 euros?')).toBe(
      '(no_move: Would you like a voucher for 20 euros?)',
    );
  });

  test('a language that they do not read is never guessed', async () => {
    const says = userWith({
      says_first: 'Chcę anulować rezerwację.',
      knows: { 'zgadza się na opłatę': 'tak', 'numer rezerwacji': 'HB-2041' },
    });
    expect(await says('Opłata wynosi 30 zł. Czy zgadza się Pani na opłatę?')).toMatch(/^\(no_move/);
    expect(await says('Jaki jest numer rezerwacji?')).toMatch(/^\(no_move/);
  });

  test('an act of the sample is done when its phrase is said, in any spelling', async () => {
    const acts = [{ when: 'in the app', says: 'Done, I have confirmed it.' }];
    expect(await userWith({ acts })('Please confirm it in the App.')).toBe('Done, I have confirmed it.');
  });
});

describe('any chooser is held to the menu and the message', () => {
  const user = { knows: { code: 'A-12', 'agrees to the fee': 'yes' } };

  test.each([
    ['a move that is not there', [['tell:address', 'code']], '"tell:address" is not on the list.'],
    ['words that were not said', [['tell:code', 'your address']], 'The agent did not say "your address".'],
    ['a yes without a question', [['decide:agrees to the fee', 'The code is needed.']], 'asks for no yes or no.'],
    [
      'an end beside a yes',
      [
        ['decide:agrees to the fee', 'Do you agree?'],
        ['end', ''],
      ],
      '"end" stands alone.',
    ],
    [
      'two answers for one question',
      [
        ['decide:agrees to the fee', 'Do you agree?'],
        ['refuse', 'Do you agree?'],
      ],
      'one question',
    ],
    ['nothing at all', [], 'Choose one to 3 moves.'],
  ] as [string, [string, string][], string][])('%s is refused, and asked for again', async (_, wrong, why) => {
    const chooser = picking(wrong, [['tell:code', 'The code is needed']]);
    expect(await userWith(user, chooser)('The code is needed. Do you agree?')).toBe('It is A-12.');
    expect(chooser.faults[1]).toContain(why);
  });

  test('three of them end the trial as the fault of its user', async () => {
    const wrong: [string, string][] = [['tell:address', '']];
    const says = userWith(user, picking(wrong, wrong, wrong));
    expect(await says('And your address?')).toBe('(no_move: And your address?)');
  });

  test('in a language that code does not read it says the sample’s sentences, and nothing of its own', async () => {
    const knows = { opłata: 'Tak, zgadzam się.', numer: 'HB-2041' };
    const chooser = picking(
      [['tell:numer', 'numer']],
      [
        ['tell:numer', 'numer'],
        ['decide:opłata', 'Czy zgadza się Pani?'],
      ],
      [['end', '']],
    );
    const says = userWith({ says_first: 'Dzień dobry.', knows }, chooser);
    expect(await says('Jaki jest numer?')).toBe('HB-2041.');
    expect(await says('Czy zgadza się Pani? I jaki jest numer?')).toBe('numer: HB-2041. Tak, zgadzam się.');
    // What may have been a yes keeps the user for the act that it asked for.
    expect(await says('Świetnie, już to robię.')).toBe('…');
  });
});
