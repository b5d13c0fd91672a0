import { describe, expect, test } from 'vitest';
import { scriptedUser } from '../../../src/evaluation/scripted-user/scripted-user.ts';
import { Sample } from '../../../src/scenario/sample.ts';
import { turnOn } from '../lamps.ts';

const { signal } = new AbortController();
const act = async () => ({ output: null, is_error: false });

/** What it says; `(done)` and `(silent: …)` are its two ways to end the conversation. */
function userWith(more: object) {
  const user = scriptedUser(Sample.parse({ ...turnOn, user: { says_first: 'Hello', ...more } }));
  return async (said: string, hasActed?: boolean): Promise<string> => {
    const { says, end } = await user.answer(
      { said, act, leftMs: 1000, ...(hasActed !== undefined && { hasActed }) },
      signal,
    );
    return says ?? (end === undefined ? '(done)' : `(${end.stop}: ${end.detail})`);
  };
}

const guest = {
  knows: {
    'booking number': 'HB-2041',
    'e-mail': 'mara@example.com',
    birthday: '12 March 1984',
    name: 'Mara Lindqvist',
    'arrival date': '3 May',
    'number of guests': '2',
    reason: 'The heating is broken.',
  },
  does_not_know: ['the door code', 'invoice number'],
};

describe('answers by meaning', () => {
  test.each([
    ['What is your booking number?', 'It is HB-2041.'],
    ['Which reservation is this about?', 'It is HB-2041.'],
    ['Could you give me the reference of your booking, please?', 'My booking number is HB-2041.'],
    ['May I have the email address on the account?', 'It is mara@example.com.'],
    ['I need your E-Mail and your date of birth.', 'My e-mail is mara@example.com. My birthday is 12 March 1984.'],
    ['When were you born?', 'It is 12 March 1984.'],
    ['Who am I speaking with?', 'It is Mara Lindqvist.'],
    ['When do you arrive?', 'It is 3 May.'],
    ['How many people will stay?', 'It is 2.'],
    ['Why do you want another room?', 'The heating is broken.'],
    [
      'To find you I need the following:\n- Booking number\n- Date of birth',
      'My booking number is HB-2041. My birthday is 12 March 1984.',
    ],
    ['Is your e-mail mara@example.com?', 'Yes, that is right: mara@example.com.'],
    ['Is your booking number HB-9999?', 'No, my booking number is HB-2041.'],
    ['Do you have your booking number at hand?', 'Yes, my booking number is HB-2041.'],
  ])('%s', async (said, says) => {
    expect(await userWith(guest)(said)).toBe(says);
  });

  test('what was said once is said again when it is asked for again', async () => {
    const says = userWith(guest);
    expect(await says('Your booking number?')).toBe('It is HB-2041.');
    expect(await says('Your booking number again?')).toBe('It is HB-2041.');
  });

  test('what it does not know it says so', async () => {
    expect(await userWith(guest)('What is the door code?')).toBe("I'm afraid I don't know the door code.");
    expect(await userWith(guest)('Please tell me the invoice number.')).toBe(
      "I'm afraid I don't know my invoice number.",
    );
  });
});

describe('yes and no', () => {
  test.each([
    ['Shall I go ahead?', 'Yes, please go ahead.'],
    ['This costs 20 euros. Would you like me to book it?', 'Yes, please go ahead.'],
    ['Your room is moved to the garden side. Is that correct?', 'Yes, that is right.'],
    ['Are you sure?', 'Yes, I am sure.'],
    ['Please confirm.', 'Yes, I confirm that.'],
    ['Please reply "yes" to continue.', 'Yes, please go ahead.'],
  ])('who came for something agrees: %s', async (said, says) => {
    expect(await userWith({})(said)).toBe(says);
  });

  test('a clause that describes the thing makes no other question of it', async () => {
    const says = userWith({
      knows: { 'agrees to the carrier': 'Do whatever you need to do.' },
      stops_when: 'registered',
    });
    expect(
      await says('The claim is registered. May I pass the file, which has the invoice in it, to the carrier?'),
    ).toBe('Do whatever you need to do.');
    expect(await userWith({})('It is done. Shall I send you the note, which says so?')).toBe('Yes, please go ahead.');
  });

  test('a sample says what its user agrees to, the nearest entry first', async () => {
    const says = userWith({ knows: { agrees: 'yes', 'agrees to the fee': 'no', 'wants breakfast': 'Yes, for two.' } });
    expect(await says('Cancelling costs a fee of 30 euros. Do you want that?')).toBe('No, thank you.');
    expect(await says('Shall I cancel it free of charge next week?')).toBe('No, thank you.');
    expect(await says('Shall I send the towels?')).toBe('Yes, please.');
    expect(await says('Would you like breakfast?')).toBe('Yes, for two.');
  });

  test('an objection takes the place of a yes, each time that it is asked', async () => {
    const says = userWith({ knows: { fee: 'Thirty euros? Then leave it.' } });
    expect(await says('That costs a fee of 30 euros. Shall I?')).toBe('Thirty euros? Then leave it.');
    expect(await says('The fee cannot be waived. Shall I?')).toBe('Thirty euros? Then leave it.');
    expect(await says('Shall I keep your booking as it is?')).toBe('Yes, please go ahead.');
  });

  test('a choice is answered by what it knows, never with yes', async () => {
    const says = userWith({ knows: { 'preferred day': 'Thursday' } });
    expect(await says('Would you like Thursday or Friday?')).toBe('Thursday, please.');
    expect(await userWith({})('Would you like a refund or a voucher?')).toBe(
      '(user_silent: Would you like a refund or a voucher?)',
    );
  });

  test('a user who changes their mind acts twice on the same words', async () => {
    const acts = [
      { when: 'go ahead', says: 'Yes, do that.' },
      { when: 'go ahead', says: 'Wait, no. Leave it as it is.' },
    ];
    const says = userWith({ acts });
    expect(await says('Shall I go ahead?')).toBe('Yes, do that.');
    expect(await says('It costs 5 euros more. Shall I go ahead?')).toBe('Wait, no. Leave it as it is.');
  });
});

/** What a subject without a script said to these users, and what they first misunderstood. */
describe('unscripted words', () => {
  const customer = {
    knows: {
      'customer number': 'C-1',
      'date of birth': '2 May',
      'agrees to the price': 'No, too much.',
      reason: 'I move.',
    },
  };
  test.each([
    [
      'Who are you? I will need your customer ID plus birthdate.',
      'My customer number is C-1. My date of birth is 2 May.',
    ],
    ['Just the customer ID is missing now.', 'It is C-1.'],
    ['Your customer no., please, and when is your birthday?', 'My customer number is C-1. My date of birth is 2 May.'],
    ['Mind giving me your customer number?', 'It is C-1.'],
    ['Would you mind double-checking your birth date?', 'It is 2 May.'],
    ['Roaming is €9.90 per month. Do you want me to go ahead and book that for you?', 'No, too much.'],
    ['Medium is 29.00 euros. Happy with that?', 'No, too much.'],
    ['You would pay $39 from today. Does that work for you?', 'No, too much.'],
    ['May I ask what made you decide to go?', 'I move.'],
    // A wrong yes would turn the sample round.
    ['Shall I send you a letter?', '(user_silent: Shall I send you a letter?)'],
  ])('%s', async (said, says) => {
    expect(await userWith(customer)(said)).toBe(says);
  });

  test.each(['Medium is 29.00 euros. Happy with that?', 'Does that work for you?', 'Want me to switch you over?'])(
    'consent: %s',
    async (said) => {
      expect(await userWith({})(said)).toBe('Yes, please go ahead.');
    },
  );
});

describe('no yes that nobody asked for', () => {
  const willing = { knows: { agrees: 'yes', 'agrees to the fee': 'Yes, that is fine with me.', fee: 'Yes, I know.' } };
  test.each([
    'The fee is 8 euros, and I would like to thank you.',
    'One moment, I confirm your booking.',
    'Please note that the fee is 8 euros. We proceed as you wish.',
    'Your booking is cancelled, as you wanted.',
  ])('to a statement: %s', async (said) => {
    expect(await userWith(willing)(said)).not.toMatch(/yes|all right|please/i);
    expect(await userWith({})(said)).not.toMatch(/yes|all right|please/i);
  });

  test('the same fact answers a question, and a request to confirm', async () => {
    expect(await userWith(willing)('The fee is 8 euros. Shall I?')).toBe('Yes, that is fine with me.');
    expect(await userWith(willing)('The fee is 8 euros. Please confirm.')).toBe('Yes, that is fine with me.');
  });
});

describe('other languages', () => {
  test.each([
    ['费用是8元。可以继续吗？', {}, '好的，请继续。'],
    ['您同意取消吗？', {}, '好的，请继续。'],
    ['请确认。', {}, '是的，我确认。'],
    ['费用是8元。您同意吗？', { 同意费用: '不' }, '不用了，谢谢。'],
    ['请提供您的订单号。', { 订单号: 'A-12' }, '是A-12。'],
    ['请问您的订单号和生日是什么？', { 订单号: 'A-12', 生日: '5月3日' }, '我的订单号是A-12。 我的生日是5月3日。'],
    ['您的订单已取消。还有什么可以帮您吗？', { 同意: '是' }, '(done)'],
    ['您要退款还是换货？', {}, '(user_silent: 您要退款还是换货？)'],
    ['费用是8元，请稍等。', { 同意费用: '是的，可以。' }, '我等着。'],
    ['Die Gebühr ist 8 Euro. Soll ich den Termin absagen?', {}, 'Ja, bitte machen Sie das.'],
    ['Sind Sie damit einverstanden?', { einverstanden: 'nein' }, 'Nein, danke.'],
    ['Bitte bestätigen Sie das.', {}, 'Ja, das bestätige ich.'],
    ['Wie lautet Ihre Kundennummer?', { Kundennummer: 'K-1' }, 'K-1.'],
    ['Ihr Termin ist abgesagt. Kann ich sonst noch etwas für Sie tun?', {}, '(done)'],
    ['Möchten Sie Geld oder einen Gutschein?', {}, '(user_silent: Möchten Sie Geld oder einen Gutschein?)'],
    ['您要退款还是换货？', { 处理方式: '退款' }, '是退款。'],
    ['这个订单您要退款还是换货？', { 订单: 'A-12', 处理方式: '退款' }, '是退款。'],
    ['您现在在哪里？', { 哪里: '我在家。' }, '我在家。'],
    ['Möchten Sie mit Karte oder bar zahlen?', { Zahlung: 'bar' }, 'Zahlung: bar.'],
    [
      'Wir buchen von Konto 4711 ab. Darf ich das Konto 4711 damit belasten?',
      { Konto: '4711' },
      'Ja, bitte machen Sie das.',
    ],
    ['我们会从账户4711扣款。可以吗？', { 账户: '4711' }, '好的，请继续。'],
    ['Einen Moment bitte, ich prüfe das und bestätige es Ihnen.', { einverstanden: 'Ja, gerne.' }, 'Ich warte.'],
  ])('%s', async (said, knows, says) => {
    expect(await userWith({ knows })(said)).toBe(says);
  });
});

describe('how it ends', () => {
  test('nothing is asked any more', async () => {
    expect(await userWith(guest)('Your room is changed. Please leave the key at the desk. Good night!')).toBe('(done)');
    expect(await userWith(guest)('All done. Is there anything else I can help you with?')).toBe('(done)');
  });

  test('a question that the sample cannot answer is named', async () => {
    expect(await userWith(guest)('Which floor would you prefer?')).toBe('(user_silent: Which floor would you prefer?)');
    expect(await userWith({ knows: {} })('Your order?')).toBe('(user_silent: Your order?)');
  });

  test('it knows what it is asked for in other words, and no statement of a need is a question', async () => {
    const knows = { 'birth year': '1991', 'member number': 'M-101' };
    expect(await userWith({ knows })('And in what year were you born?')).toContain('1991');
    expect(await userWith({ knows })('And what is your membership number?')).toContain('M-101');
    expect(await userWith({ knows })('I am sorry: only six days are left, and we need seven.')).toBe('(done)');
    expect(await userWith({ knows })('I would pause it from 1 July. Is that what you want?')).toMatch(/^Yes/);
  });

  test('nothing is missing once what it waits for was said', async () => {
    const says = userWith({ stops_when: 'the agent says that the key is blocked, or that it cannot help' });
    expect(await says('The key is blocked. How did you lose it?')).toBe('(done)');
    expect(await says('How did you lose the key?')).toBe('(user_silent: How did you lose the key?)');
  });

  test('a subject that looks something up is let go on, once', async () => {
    const says = userWith(guest);
    expect(await says('One moment, I am checking that.')).toBe('I will wait.');
    expect(await says('One moment, I am checking that.')).toBe('(done)');
  });
});

describe('the ends of messages that real models write', () => {
  test.each([
    'All is booked. Let me know if you have any other questions.',
    'All done. Let me know if there is anything else I can do for you.',
    'Your booking is done. Feel free to reach out if you need any help.',
    'Your booking is on its way. Let me know if you need any help with it.',
    'It is booked. Should you have questions, let me know.',
    "You're welcome! Should you need further assistance, just write to us.",
    'I am happy to help if you have more questions.',
    'You can reach us at any time.',
    'If you want, I can also check the other order.',
    'Der Termin ist verschoben. Bei Fragen melden Sie sich gerne.',
    '已经改好了。如有任何问题，请随时联系我们。',
  ])('%s asks for nothing', async (said) => {
    expect(await userWith(guest)(said)).toBe('(done)');
  });

  test.each([
    ['The fee is 10 euros. Let me know if that works for you.', 'Yes, please go ahead.'],
    ['The visit costs 95 euros. Let me know whether you would like me to book it.', 'Yes, please go ahead.'],
    ['Let me know your booking number, please.', 'My booking number is HB-2041.'],
  ])('%s asks', async (said, says) => {
    expect(await userWith(guest)(said)).toBe(says);
  });
});

describe('what real models ask', () => {
  const { reason: _, ...more } = guest.knows;
  const knows = { ...more, 'what happened': 'It fell down the stairs.' };

  test.each([
    ['Could you confirm your booking number?', 'It is HB-2041.'],
    ['Before I do that, can you verify your full name?', 'My name is Mara Lindqvist.'],
    ['Please reply with your booking number.', 'It is HB-2041.'],
    ['Can you describe what went wrong?', 'It fell down the stairs.'],
    ['What seems to be the problem?', 'It fell down the stairs.'],
    ['What happened?', 'It fell down the stairs.'],
  ])('a fact, in other words: %s', async (said, says) => {
    expect(await userWith({ knows })(said)).toBe(says);
  });

  test.each([
    "It costs 95 euros. If yes, I'll process it right away.",
    "The visit costs 95 euros. Once you confirm, I'll book it.",
    "It costs 95 euros. I'll go ahead once you agree.",
    "It costs 95 euros. Just let me know and I'll book it.",
    'It costs 95 euros. I need your confirmation before I proceed.',
    'The price is 95 euros. Awaiting your confirmation.',
    'I can book it for 95 euros. How would you like to proceed?',
    'It costs 95 euros. Please let me know how you would like to proceed.',
    'Das kostet 95 Euro. Sobald Sie zustimmen, buche ich den Besuch.',
    '费用是95欧元。您确认后，我会为您预约。',
    '如果您同意，我现在就为您办理。',
    'Bitte bestätigen Sie mir, dass ich fortfahren darf.',
  ])('a yes or no: %s', async (said) => {
    expect(await userWith({ knows: {} })(said)).toMatch(/^(?:Yes|Ja|是的|好的)/);
    expect(await userWith({ knows: { agrees: 'no' } })(said)).toMatch(/^(?:No|Nein|不)/);
  });

  test.each([
    'Does that answer your question?',
    'Is that all for today?',
    'Did that help?',
    'Do you still need assistance?',
    'Does that make sense?',
    'Will that be all?',
    'Are there any other issues you would like me to look into?',
    'Have I resolved your issue?',
    'Is this information helpful?',
    'Konnte ich Ihnen damit helfen?',
    '这样解决了您的问题吗？',
    '您还需要其他帮助吗？',
  ])('whether all is well: %s', async (said) => {
    expect(await userWith(guest)(said)).toBe('(done)');
  });

  test.each(['Could you hold on a moment while I check?', 'Can you bear with me?'])('to wait: %s', async (said) => {
    expect(await userWith(guest)(said)).toBe('I will wait.');
  });
});

describe('an offer', () => {
  const OFFERS = [
    'We no longer repair it. You can have a voucher of 45.90 euros if you like.',
    'I can offer you a voucher of 80 euros.',
    'Sie können einen voucher über 80 Euro haben, wenn Sie möchten.',
  ];

  test.each(OFFERS)('is taken or left as the sample says of that very thing: %s', async (said) => {
    expect(await userWith({ knows: { 'agrees to the voucher': 'yes' } })(said)).toMatch(/^(?:Yes|Ja)/);
    expect(await userWith({ knows: { 'agrees to the voucher': 'no' } })(said)).toMatch(/^(?:No|Nein)/);
  });

  test.each(OFFERS)('is no question: without a decision nobody agrees: %s', async (said) => {
    expect(await userWith({ knows: {} })(said)).toBe('(done)');
    expect(await userWith({ knows: { agrees: 'yes' } })(said)).toBe('(done)');
    expect(await userWith({ knows: { 'agrees to the insurance': 'yes' } })(said)).toBe('(done)');
  });

  test('is answered once, and never where something else is asked', async () => {
    const says = userWith({ knows: { 'agrees to the voucher': 'yes', day: '2026-06-04' } });
    expect(await says('Which day suits you? You can also have a voucher if you like.')).toBe('It is 2026-06-04.');
    expect(await says('I can offer you a voucher.')).toBe('Yes, please.');
    expect(await says('The voucher is issued. You can have it printed if you like.')).toBe('(done)');
  });
});

test('an act comes before a fact, with its calls, and only once', async () => {
  const acts = [{ when: 'Restart', calls: [{ tool: 'restart', args: { now: true } }], says: 'I did it.' }];
  const knows = { restart: 'It did not help.' };
  const user = scriptedUser(Sample.parse({ ...turnOn, user: { says_first: 'Hello', knows, acts } }));
  const made: unknown[] = [];
  const recording = async (call: unknown) => {
    made.push(call);
    return { output: null, is_error: false };
  };
  const says = async () => (await user.answer({ said: 'Please restart.', act: recording, leftMs: 1000 }, signal)).says;
  expect(await says()).toBe('I did it.');
  expect(await says()).toBe('It did not help.');
  expect(made).toEqual([{ tool: 'restart', args: { now: true } }]);
});

test('what it should do is no question for what it does not know, and it says so once at most', async () => {
  const hear = userWith({ knows: { length: '10 metres' }, does_not_know: ['account number'] });
  expect(await hear('Please write to accounts@norderly.example to get one.')).toBe('(done)');
  expect(await hear('Please fill in your account number on the form.')).toContain("don't know my account number");
  expect(await hear('Without an account number nothing is booked; please write to us.')).toBe('(done)');
  expect(await hear('What is your account number?')).toContain("don't know");
});

describe('it stays for the act that it has agreed to', () => {
  test.each([
    ['Shall I cancel it?', 'Great, I am doing that now.', 'I will wait.'],
    ['Soll ich den Termin absagen?', 'Gut, ich mache das jetzt gleich für Sie.', 'Ich warte.'],
    ['可以继续吗？', '好的，我现在就为您办理。', '我等着。'],
  ])('%s', async (asks, announces, waits) => {
    const says = userWith({});
    await says(asks, false);
    expect([await says(announces, false), await says(announces, false), await says(announces, false)]).toEqual([
      waits,
      waits,
      '(done)',
    ]);
  });

  test('and leaves once it is done, or once what it waits for was said', async () => {
    const says = userWith({});
    await says('Shall I cancel it?', false);
    expect(await says('Your booking is cancelled.', true)).toBe('(done)');
    const waiting = userWith({ stops_when: 'the agent says that it cannot cancel' });
    await waiting('Shall I cancel it?', false);
    expect(await waiting('I cannot cancel it after all.', false)).toBe('(done)');
  });

  test('a no, or an answer to another question, keeps nobody', async () => {
    const refusing = userWith({ knows: { agrees: 'no' } });
    await refusing('Shall I cancel it?', false);
    expect(await refusing('Then it stays as it is.', false)).toBe('(done)');
    const telling = userWith(guest);
    await telling('What is your booking number?', false);
    expect(await telling('There is nothing I can do for you.', false)).toBe('(done)');
  });
});

describe('what a message without a question says is needed', () => {
  test.each([
    ['Before that, the booking number is still outstanding.', 'My booking number is HB-2041.'],
    [
      'No progress without a booking number and a birthday.',
      'My booking number is HB-2041. My birthday is 12 March 1984.',
    ],
  ])('%s', async (said, says) => {
    expect(await userWith(guest)(said, false)).toBe(says);
  });

  test('is no request where the subject has acted, says the value itself, or has been told', async () => {
    expect(await userWith(guest)('The mail went to the e-mail address on the account.', true)).toBe('(done)');
    expect(await userWith(guest)('Your booking number is HB-2041.', false)).toBe('(done)');
    const says = userWith(guest);
    await says('What is your booking number?', false);
    expect(await says('That booking number is unknown here.', false)).toBe('(done)');
  });
});

test('a yes or no goes before a sentence about something else, and no sentence is said for ever', async () => {
  const knows = { 'battery level': 'It shows 20 percent.', 'agrees to the price': 'yes' };
  const asked = 'The battery level is low, and a new one has a price of 8 EUR. Do you agree to pay?';
  expect(await userWith({ knows })(asked)).toMatch(/^Yes, please\./);
  const says = userWith({ knows: { 'battery level': 'It shows 20 percent.' } });
  expect([await says(asked), await says(asked), await says(asked)]).toEqual([
    'It shows 20 percent.',
    'It shows 20 percent.',
    '(user_silent: Do you agree to pay?)',
  ]);
});

test('an act hears its phrase in any spelling of the same letters', async () => {
  const says = userWith({ acts: [{ when: 'two-week pause', says: 'I pressed it.' }] });
  expect(await says('Now press **Two\u2011Week** pause.')).toBe('I pressed it.');
});
