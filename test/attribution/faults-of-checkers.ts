/** Layer 3: checkers that accept everything, refuse what is right, break, judge the path, or cannot be loaded. */
import { replacing, wrapChecker, type Injection, type RawSample } from './injection.ts';

const checker = (
  kind: string,
  name: string,
  change: Injection['change'],
  more: Partial<Injection> = {},
): Injection => ({
  layer: 3,
  kind,
  name,
  ...(change === undefined ? {} : { change }),
  ...more,
});

const CHECKERS = [
  'identity-first',
  'limit-and-record',
  'window-respected',
  'refund-amount',
  'paid-to-card',
  'gift-card-replaced',
];
const accepts = "return { pass: true, reason: 'fine', evidence: [] };";
const refuses = "return { pass: false, reason: 'no', evidence: [] };";

/** Looks the order up once more at the end, which changes nothing and is not forbidden. */
const looksAgain = ({ gold, gold_says: says }: RawSample) => {
  const look = gold.find(({ tool }) => tool === 'lookup_order');
  return { calls: look === undefined ? gold : [...gold, look], says };
};
const secondLook = "ctx.trace.calls.filter(({ tool }) => tool === 'lookup_order').length > 1";

export const CHECKER_FAULTS: Injection[] = [
  ...CHECKERS.map((id) => checker('accepts everything', id, wrapChecker(id, accepts))),
  ...CHECKERS.slice(0, 4).map((id) => checker('refuses everything', id, wrapChecker(id, refuses))),
  ...['paid-back-as-paid', 'exchange-in-stock'].map((id) =>
    checker('says the opposite', id, wrapChecker(id, 'const said = inner(ctx); return { ...said, pass: !said.pass };')),
  ),
  ...['identity-first', 'refund-amount'].map((id) =>
    checker('throws', id, wrapChecker(id, 'return ctx.nothing.there;')),
  ),
  checker(
    'throws when nothing was done',
    'limit-and-record',
    wrapChecker('limit-and-record', 'ctx.trace.calls[0].step; return inner(ctx);'),
  ),
  checker(
    'answers nonsense',
    'window-respected',
    wrapChecker('window-respected', 'return { passed: inner(ctx).pass };'),
  ),
  checker(
    'answers by chance',
    'paid-to-card',
    wrapChecker('paid-to-card', 'return { ...inner(ctx), reason: String(Math.random()) };'),
  ),
  checker(
    'is too strict',
    'refund-amount',
    wrapChecker('refund-amount', `if (ctx.trace.calls.length > 4) ${refuses} return inner(ctx);`),
  ),
  checker(
    'is too strict',
    'limit-and-record',
    wrapChecker('limit-and-record', `if (!ctx.final.includes('Dear')) ${refuses} return inner(ctx);`),
  ),
  checker(
    'names a rule that is not there',
    'identity-first',
    replacing('checkers/identity-first.mjs', 'rules: [', "rules: ['R99', "),
  ),
  checker(
    'cannot be read',
    'limit-and-record',
    (files) => void files.set('checkers/limit-and-record.mjs', 'export const checker = {'),
  ),
  checker(
    'throws on what no gold path does',
    'identity-first',
    wrapChecker('identity-first', `if (${secondLook}) return ctx.nothing.there; return inner(ctx);`),
    { plan: looksAgain },
  ),
  checker(
    'throws on what no gold path does',
    'limit-and-record',
    wrapChecker('limit-and-record', `if (${secondLook}) throw new Error('twice'); return inner(ctx);`),
    { plan: looksAgain },
  ),
  checker(
    'judges the path',
    'limit-and-record',
    wrapChecker('limit-and-record', `if (${secondLook}) ${refuses} return inner(ctx);`),
    { plan: looksAgain },
  ),
  checker(
    'judges the path',
    'identity-first',
    wrapChecker('identity-first', `if (ctx.trace.calls.length > 5) ${refuses} return inner(ctx);`),
    { plan: looksAgain },
  ),
];
