/** Small designs, so that a test names only the rule or tool it is about. */
import { Brief } from '../../src/scenario/brief.ts';
import { BusinessRules, FormatSpec, type BusinessRule } from '../../src/scenario/design.ts';

export function rule(id: string, text: string, more: Partial<BusinessRule> = {}): BusinessRule {
  return { id, title: `Title of ${id}`, text, severity: 'must', applies_to: [], ...more };
}

export function rulesOf(...rules: readonly BusinessRule[]): BusinessRules {
  return BusinessRules.parse({ version: 1, rules });
}

export function formatOf(more: Partial<FormatSpec> = {}): FormatSpec {
  return FormatSpec.parse({
    version: 1,
    world: { type: 'object', properties: { orders: { type: 'array' } } },
    tools: [
      { name: 'lookup_order', purpose: 'finds an order', changes_world: false },
      { name: 'issue_refund', purpose: 'pays money back', changes_world: true },
    ],
    categories: [{ id: 'refunds', title: 'Refunds', samples: 10 }],
    subject_prompt: 'You are a desk clerk.',
    ...more,
  });
}

export function briefOf(samples: { min: number; categories: string[] }): Brief {
  return Brief.parse({
    version: 1,
    name: 'refund-desk',
    title: 'Refund desk',
    reads: ['scenario.yaml'],
    samples,
    subject: { model: 'm' },
  });
}
