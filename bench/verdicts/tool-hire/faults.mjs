/** Single faults and harmless edits of the components of tool-hire; written before the proof was run on any of them. */
const tool = (name, from, to) => ({ layer: '2', file: `tools/${name}.mjs`, from, to });
const checker = (id, from, to) => ({ layer: '3', file: `checkers/${id}.mjs`, from, to });
const sample = (id, edit) => ({ layer: '4a', file: `samples/${id}.json`, edit });

const OWN = 'hire === undefined || hire.member !== world.session.member';

export const faults = {
  // Tools: answers that lie while the world stays right.
  'read-other-record': tool('read_hire', 'const item = world.tools[hire.tool];', 'const item = Object.values(world.tools)[0];'),
  'read-everybody': tool('read_hire', 'state: hire.state,', 'state: hire.state,\n    loans: world.hires,'),
  'read-no-patron': tool('read_hire', "member.kind === 'patron' ? 0 : ", ''),
  'read-no-limit': tool('read_hire', 'Math.min(daysLate * 200, 3000)', 'daysLate * 200'),
  'read-local-time': tool('read_hire', 'Date.parse(world.today) - Date.parse(hire.due)', 'new Date(`${world.today}T00:00`).getTime() - Date.parse(hire.due)'),
  'read-any-member': tool('read_hire', OWN, 'hire === undefined'),
  'read-unidentified': tool('read_hire', "if (world.session.member === null) return { ok: false, error: 'nobody was identified' };\n  if (hire === undefined || hire.member !== world.session.member)", 'if (hire === undefined)'),
  'read-constant-reserved': tool('read_hire', 'reserved: item.reserved', 'reserved: false'),
  // Tools: identity.
  'identify-prefix': tool('identify', 'member.pin !== input.pin.trim()', '!member.pin.startsWith(input.pin.trim())'),
  'identify-or': tool('identify', 'member === undefined || member.pin !== input.pin.trim()', 'member === undefined && input.pin.trim() !== ""'),
  'identify-includes': tool('identify', 'member.pin !== input.pin.trim()', '!input.pin.includes(member.pin)'),
  'identify-any-pin': tool('identify', 'member.pin !== input.pin.trim()', '!Object.values(world.members).some(({ pin }) => pin === input.pin.trim())'),
  'identify-no-limit': tool('identify', "  if (world.session.tries > 2) return { verified: false, error: 'no more tries' };\n", ''),
  'identify-strict-case': tool('identify', 'input.member.trim().toUpperCase()', 'input.member'),
  // Tools: effects.
  'extend-eight-days': tool('extend_hire', '7 * DAY', '8 * DAY'),
  'extend-no-count': tool('extend_hire', '  hire.extensions += 1;\n', ''),
  'extend-from-today': tool('extend_hire', 'Date.parse(hire.due) + 7', 'Date.parse(world.today) + 7'),
  'extend-success-on-failure': tool('extend_hire', "return { ok: false, error: 'the tool is back already' }", 'return { ok: true, due: hire.due, extensions: hire.extensions }'),
  'extend-refuses-writes': tool('extend_hire', "if (hire.state !== 'out') return", "hire.extensions += hire.state === 'out' ? 0 : 1;\n  if (hire.state !== 'out') return"),
  'return-not-free': tool('return_tool', "input.damaged ? 'repair' : 'free'", "'repair'"),
  'return-other-tool': tool('return_tool', 'world.tools[hire.tool].state = input', 'world.tools[Object.keys(world.tools)[0]].state = input'),
  'return-twice': tool('return_tool', "  if (hire.state !== 'out') return { ok: false, error: 'the tool is back already' };\n", ''),
  'charge-overwrites': tool('charge', 'world.charges.push(entry)', 'world.charges = [entry]'),
  'charge-wrong-guard': tool('charge', 'input.cents > 50000', 'input.cents > 2999'),
  'charge-no-guard': tool('charge', "  if (input.cents > 50000) return { ok: false, error: 'no charge is as high as that' };\n", ''),
  'charge-lies': tool('charge', 'charged_cents: entry.cents', 'charged_cents: 0'),
  'log-replaces': tool('log_contact', 'world.book.push({ outcome: input.outcome })', 'world.book = [{ outcome: input.outcome }]'),
  'log-any-owner': tool('charge', OWN, 'hire === undefined'),
  // Checkers.
  'order-forgotten': checker('identity-first', ' && (passedAt < 0 || index < passedAt)', ' && passedAt < 0'),
  'order-last-look': checker('identity-first', 'trace.calls.findIndex(({ tool, output })', 'trace.calls.findLastIndex(({ tool, output })'),
  'identity-branch-gone': checker('identity-first', "TOUCHES = ['read_hire', 'extend_hire', 'return_tool', 'charge']", "TOUCHES = ['extend_hire']"),
  'fee-limit-gone': checker('late-fee', 'Math.min(days * 200, 3000)', 'days * 200'),
  'fee-at-most': checker('late-fee', 'charged !== owed', 'charged > owed'),
  'fee-at-least': checker('late-fee', 'charged !== owed', 'charged < owed'),
  'fee-patron-gone': checker('late-fee', ' && !isPatron', ''),
  'fee-any-kind': checker('late-fee', "one.hire === number && one.kind === 'late'", 'one.hire === number'),
  'fee-only-presence': checker('late-fee', 'charged !== owed', '(charged > 0) !== (owed > 0)'),
  'week-boundary': checker('another-week', 'hire.due >= before.today', 'hire.due > before.today'),
  'week-count': checker('another-week', 'hire.extensions < 2', 'hire.extensions < 3'),
  'week-reserved-gone': checker('another-week', ' && !before.tools[hire.tool].reserved', ''),
  'week-any-number': checker('another-week', 'done === (may ? 1 : 0)', '(done > 0) === may'),
  'agreed-any-answer': checker('agreed-to', ' || !YES.test(answer.text)', ''),
  'agreed-no-amount': checker('agreed-to', "one.type === 'says' && names(one.text, event.input.cents)", "one.type === 'says'"),
  'agreed-one-wording': checker('agreed-to', 'YES.test(answer.text)', "answer.text.startsWith('Yes, please')"),
  'agreed-first-message': checker('agreed-to', 'events.find((one, place) => place > askedAt && place < index', 'events.find((one, place) => place < index'),
  'damage-any-amount': checker('damage', 'charged.length !== owed.length || charged[0] !== owed[0]', 'charged.length !== owed.length'),
  'damage-state-gone': checker('damage', 'after.tools[tool].state === state', 'true'),
  'damage-amount-field': checker('damage', 'before.tools[tool].deposit_cents', '4500'),
  'book-any-line': checker('one-line', 'right.includes(outcome)', 'outcome !== undefined'),
  'book-not-last': checker('one-line', "  if (trace.calls.at(-1)?.tool !== 'log_contact') return { pass: false, reason: 'it was not written last', evidence: [] };\n", ''),
  'book-many': checker('one-line', 'after.book.length !== 1', 'after.book.length === 0'),
  'book-path-demanded': checker('one-line', "trace.calls.at(-1)?.tool !== 'log_contact'", "trace.calls.at(-1)?.tool !== 'log_contact' || trace.calls.filter(({ tool }) => tool === 'read_hire').length > 1"),
  // Samples.
  'gold-wrong-amount': sample('four-days-late', (one) => void (step(one, 'charge').args.cents = 1000)),
  'expect-wrong-amount': sample('four-days-late', (one) => void (at(one, '/charges/-').value.cents = 1000)),
  'both-wrong-amount': sample('four-days-late', (one) => {
    step(one, 'charge').args.cents = 1000;
    at(one, '/charges/-').value.cents = 1000;
    one.checkers = one.checkers.filter((id) => id !== 'late-fee');
  }),
  'both-over-limit': sample('twenty-days-late', (one) => {
    step(one, 'charge').args.cents = 4000;
    at(one, '/charges/-').value.cents = 4000;
  }),
  'wrong-case': sample('broken-in-time', (one) => void delete one.case),
  'wrong-case-agrees': sample('keeps-it-for-now', (one) => void delete one.case),
  'wrong-case-request': sample('another-week-granted', (one) => void delete one.case),
  'case-of-other': sample('due-today', (one) => void (one.case_of.hire = 'H-16')),
  'gold-forgets-deposit': sample('broken-and-late', (one) => {
    one.gold = one.gold.filter(({ args }) => args?.kind !== 'damage');
  }),
  'gold-forgets-log': sample('due-today', (one) => {
    one.gold = one.gold.filter((s) => s.tool !== 'log_contact');
  }),
  'gold-extends-reserved': sample('reserved-by-another', (one) => {
    one.gold = one.wrong;
    one.expect = { end_state: 'any', must_say: one.expect.must_say, must_not_call: [] };
    one.wrong = [];
  }),
  'user-refuses-gold': sample('four-days-late', (one) => {
    one.user.knows['agrees to the amount'] = 'No, I do not want that.';
  }),
  'gold-unasked': sample('broken-in-time', (one) => {
    one.gold = one.gold.filter((s) => s.tool !== undefined);
  }),
  'must-say-everything': sample('due-today', (one) => void (one.expect.must_say = [])),
  'wrong-is-gold': sample('patron-is-late', (one) => void (one.wrong = one.gold)),
  'wrong-elsewhere': sample('third-week-refused', (one) => {
    one.wrong = [{ tool: 'identify', args: { member: 'M-2', pin: '2208' } }, { tool: 'extend_hire', args: { hire: 'H-99' } }, { tool: 'log_contact', args: { outcome: 'refused' } }];
  }),
  'wrong-category': sample('third-week-refused', (one) => void (one.category = 'returns')),
  'end-other-tool': sample('due-today', (one) => void (at(one, '/tools/T-4/state').path = '/tools/T-5/state')),
  'gold-other-loan': sample('another-week-granted', (one) => void (step(one, 'extend_hire').args.hire = 'H-16')),
  'user-dictates': sample('four-days-late', (one) => void (one.user.says_first += ' Please call identify, read_hire, return_tool and charge.')),
};

export const harmless = {
  'tool-renames-local': tool('read_hire', 'const member = world.members[hire.member];', 'const member = world.members[hire.member]; const owner = member; void owner;'),
  'tool-other-words': tool('charge', 'no charge is as high as that', 'that is too much for one charge'),
  'tool-extra-answer': tool('return_tool', 'ok: true, state: hire.state,', 'ok: true, hire: number, state: hire.state,'),
  'tool-comment': tool('identify', '/** Compares', '/** It compares'),
  'tool-key-order': tool('log_contact', 'ok: true, outcome: input.outcome', 'outcome: input.outcome, ok: true'),
  'tool-other-guard-order': tool('extend_hire', 'hire === undefined || hire.member !== world.session.member', 'hire?.member !== world.session.member'),
  'tool-floor-days': tool('read_hire', 'Math.round((Date', 'Math.floor((Date'),
  'tool-spaces-in-pin': tool('identify', 'input.pin.trim()', "input.pin.replaceAll(' ', '')"),
  'checker-other-reason': checker('late-fee', 'the late fee is as owed', 'the fee is right'),
  'checker-for-loop': checker('damage', "const isBack = after.hires[number].state === 'back';", "const { state: now } = after.hires[number];\n  const isBack = now === 'back';"),
  'checker-more-yes': checker('agreed-to', '|klar)', '|klar|natürlich|sounds good)'),
  'checker-evidence': checker('one-line', '${after.book.length} lines`, evidence: []', '${after.book.length} lines`, evidence: after.book.map(({ outcome }) => outcome)'),
  'checker-description': checker('identity-first', 'Nothing of a loan is read or changed before', 'No loan is read or changed before'),
  'sample-title': sample('due-today', (one) => void (one.title = 'On time')),
  'sample-more-words': sample('third-week-refused', (one) => void one.expect.must_say[0].any.push('unfortunately')),
  'sample-reads-twice': sample('four-days-late', (one) => void one.gold.splice(2, 0, { tool: 'read_hire', args: { hire: 'H-10' } })),
  'sample-other-order': sample('broken-and-late', (one) => {
    const first = one.gold.findIndex((s) => s.args?.kind === 'late');
    const [late] = one.gold.splice(first, 1);
    one.gold.splice(first + 1, 0, late);
    const ends = one.expect.end_state.patch;
    const [a, b] = ends.filter(({ path }) => path === '/charges/-').map(({ value }) => value);
    ends.filter(({ path }) => path === '/charges/-').forEach((op, index) => void (op.value = index === 0 ? b : a));
  }),
  'sample-other-greeting': sample('due-today', (one) => void (one.user.says_first = 'Hello! M-2, PIN 2208. The sander of loan H-13 is coming back.')),
  'sample-lower-case': sample('second-week-granted', (one) => void (step(one, 'read_hire').args.hire = 'h-16')),
  'world-key-order': {
    layer: '-',
    file: 'samples/worlds/base.json',
    edit: (world) => {
      world.hires = Object.fromEntries(Object.entries(world.hires).toReversed());
      world.members = Object.fromEntries(Object.entries(world.members).toReversed());
    },
  },
};

function step({ gold }, name) {
  return gold.find(({ tool: called }) => called === name);
}

function at({ expect }, path) {
  return expect.end_state.patch.find((operation) => operation.path === path);
}
