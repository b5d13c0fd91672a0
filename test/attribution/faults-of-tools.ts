/** Layer 2: tools that throw, answer nonsense, lose or invent a change, forget themselves, or cannot be loaded. */
import { replacing, wrapTool, type Injection, type RawSample } from './injection.ts';

const TOOLS = [
  'verify_customer',
  'lookup_order',
  'quote_refund',
  'issue_refund',
  'create_exchange',
  'replace_gift_card',
  'log_case',
];
const WRITERS = TOOLS.filter((name) => !['lookup_order', 'quote_refund'].includes(name));

const tool = (kind: string, name: string, change: Injection['change'], more: Partial<Injection> = {}): Injection => ({
  layer: 2,
  kind,
  name,
  ...(change === undefined ? {} : { change }),
  ...more,
});

/** The subject writes order numbers in small letters, which no gold path does. */
const inSmallLetters = ({ gold, gold_says: says }: RawSample) => ({
  calls: gold.map(({ tool: name, args }) => ({
    tool: name,
    args: { ...args, ...(typeof args['order_id'] === 'string' ? { order_id: args['order_id'].toLowerCase() } : {}) },
  })),
  says,
});

export const TOOL_FAULTS: Injection[] = [
  ...TOOLS.map((name) => tool('throws', name, wrapTool(name, "throw new Error('the system is down');"))),
  ...WRITERS.map((name) =>
    tool('loses its change', name, wrapTool(name, 'return inner(input, structuredClone(world));')),
  ),
  ...['lookup_order', 'log_case'].map((name) => tool('answers nothing', name, wrapTool(name, 'inner(input, world);'))),
  ...['quote_refund', 'issue_refund'].map((name) =>
    tool('answers by chance', name, wrapTool(name, 'return { ...inner(input, world), at: Math.random() };')),
  ),
  tool('breaks the world', 'log_case', wrapTool('log_case', 'world.today = 5; return inner(input, world);')),
  tool(
    'breaks the world',
    'verify_customer',
    wrapTool('verify_customer', 'delete world.session; return { ok: true };'),
  ),
  tool(
    'writes where it may only read',
    'lookup_order',
    wrapTool('lookup_order', 'world.session.failed_checks += 1; return inner(input, world);'),
  ),
  tool(
    'writes where it may only read',
    'quote_refund',
    wrapTool('quote_refund', "world.today = '2026-01-21'; return inner(input, world);"),
  ),
  tool('answers NaN', 'quote_refund', wrapTool('quote_refund', 'return { ...inner(input, world), share: 0 / 0 };')),
  tool(
    'writes the wrong thing',
    'issue_refund',
    replacing(
      'tools/issue_refund.mjs',
      'amount_cents, destination, paid_to: paidTo',
      'amount_cents: amount_cents + 1, destination, paid_to: paidTo',
    ),
  ),
  tool(
    'writes the wrong thing',
    'log_case',
    replacing('tools/log_case.mjs', 'outcome: input.outcome', "outcome: 'closed'"),
  ),
  tool(
    'writes the wrong thing',
    'verify_customer',
    replacing(
      'tools/verify_customer.mjs',
      'world.session.verified_customer = order.customer',
      "world.session.verified_customer = 'C-1'",
    ),
  ),
  tool(
    'writes the wrong thing',
    'replace_gift_card',
    replacing('tools/replace_gift_card.mjs', "card.status = 'blocked';", ''),
  ),
  tool('writes the wrong thing', 'create_exchange', replacing('tools/create_exchange.mjs', 'wanted.stock -= 1;', '')),
  tool('throws on what no gold path sends', 'log_case', replacing('tools/log_case.mjs', '.trim().toUpperCase()', ''), {
    plan: inSmallLetters,
    change: (files) => {
      replacing('tools/log_case.mjs', '.trim().toUpperCase()', '')(files);
      replacing(
        'tools/log_case.mjs',
        'if (order === undefined) return { ok: false, error: `there is no order ${id}` };',
        '',
      )(files);
    },
  }),
  tool(
    'throws on what no gold path sends',
    'issue_refund',
    wrapTool(
      'issue_refund',
      "if (input.order_id !== input.order_id.toUpperCase()) throw new Error('not found'); return inner(input, world);",
    ),
    { plan: inSmallLetters },
  ),
  tool('is missing', 'replace_gift_card', (files) => void files.delete('tools/replace_gift_card.mjs')),
  tool('cannot be read', 'log_case', (files) => void files.set('tools/log_case.mjs', 'export const tool = {')),
  tool(
    'asks for what cannot be checked',
    'log_case',
    replacing('tools/log_case.mjs', 'additionalProperties: false,', 'additionalProperties: false, oneOf: [],'),
  ),
  tool(
    'refuses its own example',
    'issue_refund',
    replacing(
      'tools/issue_refund.mjs',
      "amount_cents: { type: 'integer', minimum: 1 }",
      "amount_cents: { type: 'integer', minimum: 50000 }",
    ),
  ),
];
