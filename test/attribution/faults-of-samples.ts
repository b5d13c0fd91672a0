/** Layer 4: samples that nobody can solve, that contradict themselves or prove nothing, and subjects that are too weak. */
import { editSample, textOf, type Injection, type RawSample } from './injection.ts';

const sample = (kind: string, id: string, edit: (sample: RawSample) => void): Injection => ({
  layer: 4,
  kind,
  name: id,
  change: editSample(id, edit),
});
const subject = (kind: string, name: string, plan: NonNullable<Injection['plan']>): Injection => ({
  layer: 4,
  kind: `weak subject: ${kind}`,
  name,
  plan: (one) => (one.id === name ? plan(one) : { calls: one.gold, says: one.gold_says }),
});

function patchOf({ expect }: RawSample) {
  if (expect.end_state === 'unchanged') throw new Error('it expects no change');
  return expect.end_state.patch;
}
const otherEnd = (one: RawSample): void =>
  void patchOf(one).push({ op: 'add', path: '/session/approved_by', value: 'the supervisor' });
const noOrder = (order: string) => (one: RawSample) =>
  void one.start.patch.push({ op: 'remove', path: `/orders/${order}` });

export const SAMPLE_FAULTS: Injection[] = [
  ...['return-in-time', 'lost-gift-card', 'return-too-late'].map((id) =>
    sample('expects an end that cannot be', id, otherEnd),
  ),
  ...['holiday-return', 'exchange-in-stock'].map((id) =>
    sample('its gold path stops early', id, (one) => void one.gold.pop()),
  ),
  ...['damaged-paid-by-card', 'lost-gift-card'].map((id) =>
    sample(
      'wants words that its gold path does not say',
      id,
      (one) => void one.expect.must_say.push({ any: ['abracadabra'] }),
    ),
  ),
  sample('its world lacks what it is about', 'return-too-late', noOrder('HW-2051')),
  sample('its world lacks what it is about', 'lost-gift-card', noOrder('HW-2062')),
  sample(
    'its gold path calls with what is refused',
    'return-in-time',
    (one) => void (one.gold[3] = { tool: 'issue_refund', args: { order_id: 'HW-2041' } }),
  ),
  sample(
    'its gold path names another item',
    'return-in-time',
    (one) => void (one.gold[3] = { tool: 'issue_refund', args: { ...one.gold[3]?.args, sku: 'NOPE' } }),
  ),
  sample('its gold path breaks a rule', 'return-in-time', (one) => void one.gold.shift()),
  sample(
    'its wrong path is right',
    'return-in-time',
    (one) => void Object.assign(one, { wrong: one.gold, wrong_says: one.gold_says }),
  ),
  sample(
    'calls a tool that is not there',
    'opened-hygiene-goods',
    (one) => void one.gold.push({ tool: 'wish', args: {} }),
  ),
  sample('lists a checker that is not there', 'opened-hygiene-goods', (one) => void one.checkers.push('wishes')),
  sample('is of a category that is not there', 'opened-hygiene-goods', (one) => void (one.category = 'wishes')),
  sample('covers a rule that is not there', 'opened-hygiene-goods', (one) => void one.covers.push('R99')),
  sample(
    'starts from a world that is not there',
    'opened-hygiene-goods',
    (one) => void (one.start.base = 'wishes.json'),
  ),
  sample(
    'starts with a patch that does not apply',
    'opened-hygiene-goods',
    (one) => void one.start.patch.push({ op: 'remove', path: '/wishes' }),
  ),
  sample('has a key that is not known', 'opened-hygiene-goods', (one) => void Object.assign(one, { wishes: [] })),
  ...['holiday-return', 'return-in-time'].map((id) =>
    sample('allows too few steps', id, (one) => void (one.limits = { steps: 2 })),
  ),
];

/** Faults of samples that look like faults of tools. */
const shared = (name: string, change: Injection['change']): Injection => ({
  layer: 4,
  kind: 'is wrong in many places at once',
  name,
  ...(change === undefined ? {} : { change }),
});
const inRefund =
  (key: string, value: unknown) =>
  (one: RawSample): void => {
    for (const operation of patchOf(one)) {
      if (operation.op === 'add' && operation.path.includes('/refunds/'))
        Object.assign(operation.value as object, { [key]: value });
    }
  };
const inCall =
  (tool: string, more: object) =>
  (one: RawSample): void => {
    one.gold = one.gold.map((call) => (call.tool === tool ? { tool, args: { ...call.args, ...more } } : call));
  };
const baseWith =
  (
    edit: (world: { today: string; customers: Record<string, { card: string }> }) => void,
  ): NonNullable<Injection['change']> =>
  (files) => {
    const world = JSON.parse(textOf(files, 'samples/worlds/base.json')) as {
      today: string;
      customers: Record<string, { card: string }>;
    };
    edit(world);
    files.set('samples/worlds/base.json', JSON.stringify(world));
  };
const inAll =
  (ids: readonly string[], edit: (sample: RawSample) => void): NonNullable<Injection['change']> =>
  (files) => {
    for (const id of ids) editSample(id, edit)(files);
  };

export const MISLEADING_FAULTS: Injection[] = [
  shared(
    'the day of the shared world',
    baseWith((world) => void (world.today = '2026-01-19')),
  ),
  shared(
    'the card of a customer in the shared world',
    baseWith((world) => {
      for (const customer of Object.values(world.customers)) customer.card = 'visa-0000';
    }),
  ),
  shared(
    'the amount in three samples',
    inAll(['return-in-time', 'holiday-return', 'damaged-paid-by-card'], inRefund('amount_cents', 1)),
  ),
  shared('the reason in two samples', inAll(['return-in-time', 'holiday-return'], inRefund('reason', 'changed_mind'))),
  shared(
    'the outcome that two gold paths log',
    inAll(['return-in-time', 'holiday-return'], inCall('log_case', { outcome: 'refused' })),
  ),
  sample('its gold path gives the wrong postcode', 'return-in-time', inCall('verify_customer', { postcode: '00000' })),
  sample('its gold path gives the wrong postcode', 'lost-gift-card', inCall('verify_customer', { postcode: '00000' })),
  sample('its gold path pays for another reason', 'return-in-time', inCall('issue_refund', { reason: 'damaged' })),
];

export const SUBJECT_FAULTS: Injection[] = [
  ...['return-in-time', 'lost-gift-card', 'opened-hygiene-goods', 'two-items-over-limit', 'damaged-paid-by-card'].map(
    (id) => subject('takes the wrong path', id, (one) => ({ calls: one.wrong, says: one.wrong_says })),
  ),
  ...['exchange-in-stock', 'empty-gift-card'].map((id) =>
    subject('does nothing', id, () => ({ calls: [], says: 'How may I help?' })),
  ),
  ...['return-in-time', 'return-too-late'].map((id) =>
    subject('says something else', id, (one) => ({ calls: one.gold, says: 'All done.' })),
  ),
  ...['holiday-return', 'lost-gift-card'].map((id) =>
    subject('stops half-way', id, (one) => ({ calls: one.gold.slice(0, 2), says: one.gold_says })),
  ),
  ...['return-in-time', 'wrong-postcode-twice'].map((id) =>
    subject('forgets to ask who it is', id, (one) => ({
      calls: one.gold.filter(({ tool }) => tool !== 'verify_customer'),
      says: one.gold_says,
    })),
  ),
  subject('calls what is forbidden', 'opened-hygiene-goods', (one) => ({
    calls: [...one.gold, ...one.wrong.filter(({ tool }) => tool === 'issue_refund')],
    says: one.gold_says,
  })),
  subject('calls what there is not', 'return-in-time', (one) => ({
    calls: [{ tool: 'wish', args: {} }, ...one.gold.slice(1)],
    says: one.gold_says,
  })),
];
