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

test('messages in a fourth language too, labelled before the rules for them were written: no wrong yes', () => {
  const { wrong, wrongYes, all, answered, asked } = scoreRows(readRows('later-messages.tsv'));
  expect(wrong).toEqual([]);
  expect(wrongYes).toBe(0);
  expect(answered / all).toBeGreaterThan(0.55);
  // In the language without rules two questions come when nothing is left that could be named.
  expect(answered + asked).toBe(all - 2);
});

test.each(['fresh', 'fresh-2', 'fresh-3', 'fresh-4', 'fresh-5', 'fresh-6', 'fresh-7', 'fresh-8'])(
  '%s, scored first when it was written: 99 %% right, no wrong yes',
  (name) => {
    const rows = readRows(`${name}-messages.tsv`);
    const { wrongYes, right, answered, asked, all } = scoreRows(rows);
    expect(wrongYes).toBe(0);
    expect(right).toBeGreaterThanOrEqual(0.99 * answered);
    // Where only one answer is right, most are answered; the others may be asked back.
    const sure = scoreRows(rows.filter(({ wanted }) => !wanted.includes('none') && !wanted.includes('ask')));
    expect(sure.answered).toBeGreaterThan(0.7 * sure.all);
    expect(answered + asked).toBe(all);
  },
);

test('messages in nine languages, six of which no rule reads, scored first when they were written: no wrong yes', () => {
  const { wrong, wrongYes, answered } = scoreRows(readRows('fresh-9-messages.tsv'));
  expect(answered).toBeGreaterThan(80);
  expect(wrongYes).toBe(0);
  // An act that Japanese tells in another form than `stops_when` is waited for once more.
  expect(wrong).toEqual([expect.stringMatching(/^ja hotel: "延泊の手続きが済みました.* is end, chosen wait$/)]);
});

test('messages in six languages, three of which no rule reads, of trades that no set had: no wrong yes, and only ends are missed', () => {
  const { wrong, wrongYes, answered } = scoreRows(readRows('fresh-10-messages.tsv'));
  expect([answered, wrongYes]).toEqual([29, 0]);
  expect(wrong.map((one) => one.slice(0, 2))).toEqual(['fr', 'it', 'ja']);
  for (const one of wrong) expect(one).toMatch(/ is end, chosen wait$/);
});

test('attacks in five languages, two of which no rule reads: no wrong yes, no wrong fact, and none lost', () => {
  const counts = scoreRows(readRows('attack-messages.tsv'));
  expect(counts).toMatchObject({ all: 60, wrong: [], wrongYes: 0 });
  expect(counts.answered + counts.asked).toBe(60);
  expect(counts.answered).toBeGreaterThan(15);
});

test('labelled messages in three languages: what rules answer is right, and no yes is wrong', () => {
  const counts = scoreRows(readRows());
  expect(counts.wrong).toEqual([]);
  expect(counts.wrongYes).toBe(0);
  expect(counts.all).toBe(300);
  expect(counts.answered / counts.all).toBeGreaterThanOrEqual(0.5);
  expect(counts.answered + counts.asked).toBe(300);
});

describe('rules account for a message whole', () => {
  const knows = { berth: 'D14', 'boat name': 'Sandpiper' };
  const user = {
    says_first: 'I want to give up my mooring.',
    knows,
    does_not_know: ['the trailer number'],
    stops_when: 'the agent says that the mooring is given up',
  };

  test.each([
    ['Please tell me your berth and the hull length.', 'My berth is D14. What do you mean: boat name?'],
    ['What is your trailer number, and how long is it?', 'do not know that. What do you mean: berth, boat name?'],
    ['Please send me:\n- your berth\n- your hull length', 'My berth is D14. What do you mean: boat name?'],
    ['Where does she lie? I need your berth.', 'It is D14.'],
    ['Where does she lie? I also need your berth.', 'My berth is D14. What do you mean: boat name?'],
    ['Your friend called. Which berth does she have?', 'What do you mean: berth, boat name?'],
    ['Would it be all right if it had no boat name?', 'What do you mean: berth, boat name?'],
    ['I have no hull length here, please give me your berth.', 'My berth is D14.'],
  ])('"%s": %s', async (said, says) => {
    expect((await userWith(user)(said)).replace("I'm afraid I don't", 'do not')).toContain(says);
  });

  test('the second time it tells what it knows, and asks nothing', async () => {
    const says = userWith(user);
    await says('What is the hull length?');
    expect(await says('Please tell me the berth and the hull length.')).toBe('My berth is D14.');
  });

  test('it leaves when one clause says what it waits for, and speaks of nothing else', async () => {
    expect(await userWith(user)('All done: the mooring is given up on Friday.', true)).toBe('(done)');
    const others = ['I put your mooring on a list. We are given a day for it.', 'Another mooring is given up first.'];
    for (const said of others) expect(await userWith(user)(said, true), said).not.toBe('(done)');
  });

  test('a confirmation code is told, and agrees to nothing', async () => {
    const coded = { knows: { 'confirmation code': 'HX-4471' } };
    expect(await userWith(coded)('Could you share your confirmation code?')).toBe('It is HX-4471.');
  });
});

describe('rules', () => {
  test.each([
    ['Cancelling your booking costs a hundred euros. Shall I cancel the booking?', 'an amount in words'],
    ['Do you not agree to the fee?', 'a question that is negated'],
  ])('no yes to "%s": %s', async (said) => {
    const knows = { 'agrees to the fee': 'yes' };
    expect(await userWith({ says_first: 'I want to cancel my booking.', knows })(said)).not.toContain('Yes');
  });

  test('what is named as known or not needed is not told at once', async () => {
    const says = userWith({ knows: { 'order number': 'A-12', 'e-mail': 'a@b.example' } });
    const both = 'I already have your e-mail. What is still missing is the order number.';
    expect(await says(both)).toBe('It is A-12.');
    expect(await says('There is no need for your e-mail.')).toMatch(/^What do you mean: e-mail/);
  });

  test('digits of other scripts are numbers: a model may not agree to 60 for 30', async () => {
    const knows = { 'رسوم 30 يورو': 'نعم، أوافق.' };
    const pick: [string, string][] = [['decide:رسوم 30 يورو', 'هل توافق على رسوم ٦٠ يورو؟']];
    const chooser = picking(pick, pick, pick);
    const says = userWith({ says_first: 'مرحبا، أريد إلغاء حجز الفندق.', knows }, chooser);
    expect(await says('هل توافق على رسوم ٦٠ يورو؟')).toMatch(/no_move/);
    expect(chooser.faults.at(-1)).toContain('does not agree to 60');
  });

  test('in a language of many endings two facts that share no word are told at once', async () => {
    const knows = {
      'öğrenci numarası': 'Numaram OG-2041.',
      'doğum yılı': 'Doğum yılım 1998.',
      'kira numarası': 'KR-3.',
    };
    const says = userWith({ says_first: 'Kemanın kirasını uzatın.', knows });
    expect(await says('Merhaba! Öğrenci numaranızı ve doğum yılınızı alabilir miyim?')).toBe(
      'Numaram OG-2041. Doğum yılım 1998.',
    );
  });

  test('a bare question asks about the amount of the sentence before it: a model may not agree to 1.700 for 2.000', async () => {
    const knows = { '2.000 TL depozitoyu onaylıyor': 'Evet, lütfen.' };
    const pick: [string, string][] = [['decide:2.000 TL depozitoyu onaylıyor', 'Onaylıyor musunuz?']];
    const back = (lira: string) => `Çalgı 12 gün geç geldi. Size ${lira} TL geri verilecek. Onaylıyor musunuz?`;
    const chooser = picking(pick, pick, pick);
    const user = { says_first: 'Klarneti iade etmek istiyorum.', knows };
    expect(await userWith(user, chooser)(back('1.700'))).toMatch(/no_move/);
    expect(chooser.faults.at(-1)).toContain('does not agree to 1700');
    expect(await userWith(user, picking(pick))(back('2.000'))).toBe('Evet, lütfen.');
  });

  const guest = {
    says_first: 'I want to cancel my booking, please.',
    knows: { 'booking number': 'HB-2041', 'agrees to the fee of 30 euros': 'yes' },
    stops_when: 'the agent says that it is cancelled',
  };

  test('a fact whose name stands in a question for consent does not swallow it', async () => {
    const says = userWith({ ...guest, knows: { ...guest.knows, fee: '30 euros' } });
    expect(await says('There is a fee of 30 euros. Do you agree to that?')).toBe('Yes, please.');
  });

  test('no yes is given where words change what an amount comes to, wherever they stand', async () => {
    for (const said of [
      'The fee is twice 30 euros. Do you agree?',
      'There is a fee of 30 euros per night. Do you agree to that?',
      'There is a fee of 30 euros. It is charged every month. Do you agree?',
      'Es fällt eine Gebühr von 30 Euro pro Nacht an. Sind Sie damit einverstanden?',
      'There is a fee of 30 euros. Do you agree? And how many nights was it?',
      'There is a fee of 30 euros. Shall I waive the fee?',
      'There is a fee of up to 30 euros. Do you agree to that?',
      'There is a fee of 30 euros on top. Do you agree to that?',
      'Did you know that there is a fee of 30 euros?',
    ])
      expect(await userWith(guest)(said), said).not.toMatch(/Yes|Ja/);
  });

  test('a price of each month keeps nobody from a no', async () => {
    const refusal = 'No, that is too much. Leave it.';
    const talk = { says_first: 'Can you switch Roaming on for me?', knows: { 'agrees to the price': refusal } };
    expect(await userWith(talk)('Roaming costs 9.90 a month. Shall I book it?')).toBe(refusal);
  });

  test('a request that asks for no words keeps nobody in the talk', async () => {
    const says_first = 'I would like the blue lamp in green instead please.';
    const says = userWith({ says_first, stops_when: 'the agent says what is sent' });
    const said = 'The green lamp is on its way to you. Please send the blue one back in the same box.';
    expect(await says(said, true)).toBe('(done)');
  });

  test('it leaves a talk in which nothing was done for a refusal of its wish only, and asks once about other statements', async () => {
    const talk = { ...guest, says_first: 'Hello, please cancel my booking.', stops_when: 'the booking is cancelled' };
    expect(await userWith(talk)('I am sorry, this booking cannot be cancelled.')).toBe('(done)');
    const says = userWith(talk);
    expect(await says('A booking is cancelled only if you ask for it.')).toBe('What do you mean: booking number?');
    expect(await says('Most guests are happy here.')).toBe('(done)');
    expect(await userWith(talk)('Your booking is cancelled. Would you like a newsletter?', true)).toContain('mean');
  });

  test('a fact that belongs to somebody else, or that a statement only mentions, is not told', async () => {
    const caller = { says_first: 'Hello, I need help.', knows: { 'phone number': '0171 998', class: '4C' } };
    expect(await userWith(caller)("What is your neighbour's phone number?")).not.toContain('0171');
    expect(await userWith(caller)('The class is full, so I will ask the head first.')).not.toContain('4C');
    expect(await userWith(caller)('What is your phone number?')).toContain('0171');
    expect(await userWith(caller)('I still need the phone number.')).toContain('0171');
  });

  test('a question that holds a part of a name only is asked back, with the whole names', async () => {
    const says = userWith({ knows: { 'loan number': 'L-102', 'date of birth': '2 May 1988' } });
    expect(await says('When is the loan due?')).toBe('What do you mean: loan number, date of birth?');
    expect(await says('I mean the loan number: which one is it?')).toContain('L-102');
  });

  test('no yes is given where the question names a fact, as in "may I have it?"', async () => {
    const says = userWith(guest);
    expect(await says('Could you confirm the booking number for me?')).not.toContain('Yes');
    expect(await userWith(guest)('May I have your booking number?')).not.toContain('Yes');
  });

  test('the user stays for the act that it agreed to, and ends when it is done', async () => {
    const says = userWith(guest);
    expect(await says('Cancelling costs a fee of 30 euros. Shall I go ahead?')).toBe('Yes, please.');
    for (const said of ['Great, I am doing that now.', 'Nearly there.', 'Still at it.', 'It takes a while.', 'Soon.'])
      expect(await says(said)).toBe('I will wait.');
    expect(await says('I have cancelled it for you.', true)).toBe('(done)');
  });

  test('in a language that no rules read another number beside the question is no yes, and a yes is waited for', async () => {
    const turkish = {
      says_first: 'Rezervasyonumu iptal etmek istiyorum.',
      knows: { '75 lira ücret': 'Evet.' },
      stops_when: 'iptal edildiğini duyunca',
    };
    expect(await userWith(turkish)('Bugün ücret 90 lira. 75 lira ücret?')).not.toContain('Evet');
    const says = userWith(turkish);
    expect(await says('75 lira ücret?')).toBe('Evet.');
    const waits = [await says('Şimdi yapıyorum.'), await says('Az kaldı.'), await says('Sürüyor.')];
    expect(new Set(waits).size).toBe(1);
    expect(waits[0]).not.toMatch(/^\(/);
  });

  test('it stays for calls that change something, as gold makes them, and for no more', async () => {
    const gold = [
      { tool: 'find', args: {} },
      { tool: 'cancel', args: {} },
    ];
    const sample = Sample.parse({ ...turnOn, gold, user: { ...guest, says_first: 'Hello, I need help.' } });
    const made = (tool: string, step: number, changes: boolean) => ({
      ...{ step, tool, input: {}, output: {}, is_error: false },
      change: changes ? [{ op: 'remove' as const, path: '/a' }] : [],
    });
    const talk = (calls: ReturnType<typeof made>[], leftSteps = 9) => {
      const user = choosingUser(sample);
      return async (said: string, now = calls) => {
        const asked = { said, act, leftMs: 1000, hasActed: now.length > 0, calls: now, leftSteps };
        return (await user.answer(asked, signal)).says ?? '(done)';
      };
    };
    const ask = 'Cancelling costs a fee of 30 euros. Shall I go ahead?';
    const reading = talk([]);
    expect(await reading(ask)).toBe('Yes, please.');
    expect(await reading('I have looked at it.', [made('find', 2, false)])).toBe('I will wait.');
    expect(await reading('I have cancelled it.', [made('find', 2, false), made('cancel', 4, true)])).toBe('(done)');
    const last = talk([], 1);
    expect(await last(ask)).toBe('Yes, please.');
    expect(await last('I am on it.')).toBe('(done)');
    const repeating = talk([]);
    expect(await repeating(ask)).toBe('Yes, please.');
    expect(await repeating('I cannot do that.')).toBe('I will wait.');
    expect(await repeating('I cannot do that.')).toBe('(done)');
  });

  test('a question that nothing answers is asked back once, by name, and then ends the trial as no move', async () => {
    const says = userWith(guest);
    expect(await says('Would you like a voucher for 20 euros?')).toBe('What do you mean: booking number?');
    expect(await says('Would you like a voucher for 20 euros?')).toBe(
      '(no_move: Would you like a voucher for 20 euros?)',
    );
  });

  test('an offer beside the wish is asked back about, and then answered by what the user came for, which agrees to nothing', async () => {
    const says = userWith(guest);
    expect(await says('Shall I book breakfast?')).toBe('What do you mean: booking number?');
    expect(await says('Shall I book breakfast?')).toBe(guest.says_first);
    expect(await says('Shall I book breakfast?')).toBe('(no_move: Shall I book breakfast?)');
    // A user that had agreed would wait for the act.
    const later = userWith(guest);
    for (const offer of ['Shall I book breakfast?', 'Shall I book breakfast?']) await later(offer);
    expect(await later('Breakfast is served from seven.')).toBe('(done)');
    // A price would be agreed to by the same words.
    const priced = userWith(guest);
    await priced('Shall I book breakfast for 12 euros?');
    expect(await priced('Shall I book breakfast for 12 euros?')).toMatch(/^\(no_move/);
  });

  test('an offer is declined where the sample holds no yes: gold does nothing, or has done all', async () => {
    const refused = { ...turnOn, gold: [], user: { ...guest, knows: { 'booking number': 'HB-2041' } } };
    const user = choosingUser({ ...Sample.parse({ ...turnOn, user: refused.user }), gold: [] });
    const says = async (said: string) =>
      (await user.answer({ said, act, leftMs: 1000, hasActed: false }, signal)).says ?? '(none)';
    expect(await says('I cannot do that. Would you like a voucher for 20 euros?')).toBe(
      'What do you mean: booking number?',
    );
    expect(await says('I cannot do that. Would you like a voucher for 20 euros?')).toBe('No, thank you.');
  });

  test('a question of the user’s own is put once, before it leaves', async () => {
    const asking = { ...guest, knows: { ...guest.knows, receipt: 'Can I get a receipt?' } };
    const says = userWith(asking);
    expect(await says('Your booking is cancelled.', true)).toBe('Can I get a receipt?');
    expect(await says('It is on its way. Your booking is cancelled.', true)).toBe('(done)');
  });

  test('a user that has asked back by its one name tells that fact when it is asked again', async () => {
    const says = userWith(guest);
    expect(await says('Which trip is this about?')).toBe('What do you mean: booking number?');
    expect(await says('Which trip is this about?')).toBe('My booking number is HB-2041.');
    expect(await says('Which trip is this about?')).toBe('That is all I know.');
  });

  test('a user that has told all that it knows says so, and agrees to nothing by it', async () => {
    const says = userWith(guest);
    expect(await says('What is your booking number?')).toBe('It is HB-2041.');
    expect(await says('Which floor was the room on?')).toBe('That is all I know.');
    expect(await says('Shall I book breakfast?')).toBe('What do you mean?');
  });

  test('of two things it takes the one that it came for; a fee that was raised it declines', async () => {
    expect(await userWith(guest)('Do you want to cancel the booking or change the dates?')).toBe(guest.says_first);
    expect(await userWith(guest)('The fee is 45 euros. Do you want to cancel it or pay the fee?')).not.toBe(
      guest.says_first,
    );
    const fined = { ...guest, knows: { 'agrees to a fee of 30 euros': 'yes' } };
    expect(await userWith(fined)('A fee of 45 euros is due. Do you agree to the fee?')).toBe('No, thank you.');
  });

  test('in a language that they do not read, the sample’s own words and a question mark are all that counts', async () => {
    const polish = {
      says_first: 'Chcę anulować rezerwację.',
      knows: { 'zgadza się na opłatę 30 zł': 'Tak, zgadzam się.', 'numer rezerwacji': 'HB-2041' },
      stops_when: 'agent mówi, że rezerwacja jest anulowana',
    };
    const says = userWith(polish);
    expect(await says('Proszę podać numer rezerwacji.')).toBe('HB-2041.');
    expect(await says('Czy zgadza się Pani na opłatę 45 zł?')).toMatch(/^\(no_move/);
    expect(await says('Opłata wynosi 30 zł. Czy zgadza się Pani na opłatę za bagaż 30 zł?')).toMatch(/^\(no_move/);
    expect(await userWith(polish)('Opłata wynosi 30 zł. Zgadza się Pan na opłatę 30 zł?')).toBe('Tak, zgadzam się.');
    expect(await userWith(polish)('Rezerwacja jest anulowana.', true)).toBe('(done)');
    expect(await userWith(polish)('Opłata za bagaż wynosi 30 zł. Zgadza się Pan?')).not.toContain('Tak');
  });

  test('a language that adds ending to ending asks for a name in another form, and for consent in the sentence after', async () => {
    const gold = [
      { says: 'Rezervasyonun iptalinde 75 lira alınır. Onaylıyor musunuz?' },
      { user: 'Evet, onaylıyorum.' },
    ];
    const member = {
      says_first: 'İyi günler, rezervasyonumu iptal etmek istiyorum.',
      knows: {
        'üye numarası': 'Üye numaram U-102.',
        'rezervasyon numarası': 'Rezervasyon numaram Z-502.',
        'doğum tarihi': 'Doğum tarihim 2005-11-30.',
        '75 lira onaylıyor': 'Evet, onaylıyorum.',
      },
    };
    const sample = Sample.parse({ ...turnOn, user: member, gold: [...gold, ...turnOn.gold] });
    const hear = async (said: string) =>
      (await choosingUser(sample).answer({ said, act, leftMs: 1000, hasActed: false }, signal)).says;
    expect(await hear('Üye numaranız nedir?')).toBe('Üye numaram U-102.');
    expect(await hear('Doğum tarihiniz nedir?')).toBe('Doğum tarihim 2005-11-30.');
    expect(await hear('REZERVASYON NUMARANIZ NEDİR?')).toBe('Rezervasyon numaram Z-502.');
    expect(await hear('Rezervasyonun iptalinde 90 lira alınır. Onaylıyor musunuz?')).not.toContain('Evet');
    expect(await hear('Soyunma dolabı için 75 lira alınır. Onaylıyor musunuz?')).not.toContain('Evet');
    expect(await hear('Rezervasyonunuzun iptalinde 75 lira alınır. Onaylıyor musunuz?')).toBe('Evet, onaylıyorum.');
  });

  test('the name of a thing that the subject read is no number to agree to, and one like the user’s own is', async () => {
    const turkish = {
      says_first: 'Poliçemi iptal etmek istiyorum.',
      knows: { 'müşteri numarası': 'M-310', '75 lira ücret': 'Evet, olur.', süre: 'İki saat sürsün.' },
    };
    const found = {
      ...{ step: 1, tool: 'find', input: {}, is_error: false },
      output: { policy: '77120018' },
      change: [],
    };
    const hear = async (said: string, calls = [found]) =>
      (await choosingUser(Sample.parse({ ...turnOn, user: turkish })).answer({ said, act, leftMs: 9, calls }, signal))
        .says;
    expect(await hear('PL-7712: 75 lira ücret?')).toBe('Evet, olur.');
    expect(await hear('77120018: 75 lira ücret?')).toBe('Evet, olur.');
    expect(await hear('77120018: 75 lira ücret?', [])).not.toContain('Evet');
    expect(await hear('M-311: 75 lira ücret?')).not.toContain('Evet');
    expect(await hear('Süre ne kadar?')).toBe('İki saat sürsün.');
    expect(await hear('Süre 90 lira, olur mu?')).toBe('müşteri numarası? süre?');
    const english = userWith(guest);
    expect(await english('PL-7712 costs a fee of 30 euros. Shall I cancel the booking?')).toBe('Yes, please.');
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
    expect(await says('And your address?')).toBe('(no_move: And your address? ("tell:address" is not on the list.))');
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

  test('a yes to a question without a mark, in a language that code does not read, is the word of the chooser', async () => {
    const knows = { 取消料750円への同意: 'はい、取消料750円で取り消してください。' };
    const picked: [string, string][] = [['decide:取消料750円への同意', '取り消してよろしいでしょうか']];
    const user = { says_first: '予約K-102を取り消したいです。', knows };
    const asks = (fee: string) => `取消料として${fee}円がかかります。取り消してよろしいでしょうか。`;
    expect(await userWith(user, picking(picked))(asks('750'))).toBe(knows.取消料750円への同意);
  });
});
