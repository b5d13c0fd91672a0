import { expect, test } from 'vitest';
import { findUntrueReading } from '../../../../src/evaluation/proof/relations/read-by-table.ts';
import type { Design } from '../../../../src/scenario/design.ts';
import { listCodes, proveHire, type Edits } from '../tool-hire.ts';
import { observeCall, type Run } from './observe-call.ts';

test.each([
  ['forgets whom a fee does not concern', "member.kind === 'patron' ? 0 : ", ''],
  ['forgets the limit of a fee', 'Math.min(daysLate * 200, 3000)', 'daysLate * 200'],
])('a reading tool that %s disagrees with the table', async (_, from, to) => {
  const found = await proveHire({ 'tools/read_hire.mjs': [from, to] });
  expect(listCodes(found)).toEqual(['tool-against-table read_hire']);
  expect(found.remarks?.[0]?.message).toMatch(
    /answers late_fee_cents \d+ with \w+ \w+, where the table demands late_fee \d+/,
  );
});

test('a reading tool that tells another amount than is due, or no on the last day of yes, disagrees with the table', async () => {
  const edits: Edits = {
    'tools/termin_lesen.mjs': ['? 2500 : 0', '? 3000 : 0'],
    'tools/ueberweisung_lesen.mjs': ['alter <= 90', 'alter < 90'],
  };
  const { remarks = [] } = await proveHire(edits, undefined, { scenario: 'referrals' });
  const found = remarks.filter(({ code }) => code === 'tool-against-table');
  expect(found.map(({ component }) => component).toSorted()).toEqual(['termin_lesen', 'ueberweisung_lesen']);
  for (const says of ['absage_kostet_cent 3000 in its gold path', 'gilt false with alter 90'])
    expect(found.some(({ message }) => message.includes(`answers ${says}, where the table demands`))).toBe(true);
});

test('a reading tool that tells an amount in another unit is not doubted', async () => {
  const edits = { 'tools/termin_lesen.mjs': ['? 2500 : 0', '? 25 : 0'] as [string, string] };
  expect(listCodes(await proveHire(edits, undefined, { scenario: 'referrals' }))).not.toContain(
    'tool-against-table termin_lesen',
  );
});

test('a reading tool that tells what the table demands is not doubted', async () => {
  expect(listCodes(await proveHire())).toEqual([]);
});

const LATE = 'min(25 * days_late, 500)';
const DEPOSITS = {
  format: {
    cases: {
      attributes: {
        scholar: { values: [true, false], from: { at: '/students/{student}/scholar' } },
        days_late: { values: '-60..60', from: { days: ['/hires/{hire}/due', '/today'] } },
        deposit: { values: '0..9000', from: { at: '/hires/{hire}/deposit' } },
      },
      outcomes: {
        late_fee: { values: '0..500' },
        refund: { values: '0..9000' },
        paid_by: { values: ['card', 'cash'] },
      },
      impossible: [],
      frames: [],
    },
  },
  rules: {
    rules: [
      { id: 'R3', when: { deposit: '3001..' }, demands: { paid_by: 'card' } },
      { id: 'R1', when: { scholar: true }, demands: { late_fee: 0, refund: 'deposit' } },
      {
        id: 'R2',
        when: { scholar: false, days_late: '1..' },
        demands: { late_fee: LATE, refund: `deposit - ${LATE}` },
      },
    ],
  },
} as unknown as Design;
const HIRE = {
  today: '2026-12-12',
  students: { S1: { scholar: true } },
  hires: { H1: { student: 'S1', due: '2026-11-30', deposit: 2000 } },
  book: [] as unknown[],
};
type Hire = typeof HIRE;
const readHire: Run = (_, world) => ({ ok: true, deposit: (world as Hire).hires.H1.deposit });
const takeBack: Run = ({ late_fee }, world) => {
  const { hires, book } = world as Hire;
  book.push({ kind: 'refund', amount: hires.H1.deposit - Number(late_fee) });
  return { ok: true };
};

test.each([
  ['reads what the record itself holds', 'read_hire', readHire, {}],
  ['writes what follows from an amount that it is given', 'take_back', takeBack, { late_fee: 0 }],
])('a tool that %s is not doubted where that is what another case demands', async (_, tool, run, input) => {
  const observed = await observeCall(tool, run, input, HIRE);
  const names = { hire: 'H1', student: 'S1' };
  const calls = [{ observed, stated: { case: {}, case_of: names } }];
  expect(await findUntrueReading({ calls, design: DEPOSITS }, new AbortController().signal)).toBeUndefined();
});

/** Nothing says what a tool tells of a returned hire that is also marked as rented out. */
const KINDS = {
  format: {
    cases: {
      attributes: {
        kind: { values: ['hire', 'rent'], from: { at: '/hires/{hire}/kind' } },
        days_late: { values: '0..60', from: { at: '/hires/{hire}/late' } },
        insured: { values: [true, false], when: { kind: 'rent' }, from: { at: '/hires/{hire}/insured' } },
      },
      outcomes: { late_fee: { values: '0..500' } },
      impossible: [],
      frames: [],
    },
  },
  rules: {
    rules: [
      { id: 'R1', when: { kind: 'hire', days_late: '1..' }, demands: { late_fee: 25 } },
      { id: 'R2', when: { kind: 'hire', days_late: 0 }, demands: { late_fee: 0 } },
      { id: 'R3', when: { kind: 'rent', insured: true }, demands: { late_fee: 0 } },
      { id: 'R4', when: { kind: 'rent', insured: false }, demands: { late_fee: 50 } },
    ],
  },
} as unknown as Design;

test('what a case is not about is not varied, as no rule says what a tool tells then', async () => {
  type Kinds = { hires: { H1: { kind: string; late: number; insured: boolean } } };
  const tellFee =
    (toFee: (hire: Kinds['hires']['H1']) => number): Run =>
    (_, world) => ({ ok: true, late_fee: toFee((world as unknown as Kinds).hires.H1) });
  const find = async (run: Run): Promise<string | undefined> => {
    const world = { hires: { H1: { kind: 'hire', late: 3, insured: false } } };
    const observed = await observeCall('read_hire', run, {}, world);
    const calls = [{ observed, stated: { case: {}, case_of: { hire: 'H1' } } }];
    return findUntrueReading({ calls, design: KINDS }, new AbortController().signal);
  };
  const ofRent = (insured: boolean): number => (insured ? 0 : 50);
  const ofHire = (late: number): number => (late > 0 ? 25 : 0);
  expect(
    await find(tellFee(({ kind, late, insured }) => (kind === 'rent' ? ofRent(insured) : insured ? 7 : ofHire(late)))),
  ).toBeUndefined();
  expect(await find(tellFee(({ kind, late }) => (kind === 'rent' ? 7 : ofHire(late))))).toContain('disagree');
});
