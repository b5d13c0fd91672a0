/** Designs as large as the targets name: 200 rules with 500 samples, and two designs of 5 000 lines. */
import type { DesignContent } from '../../src/ports/decisions.ts';
import type { DesignText, RuleText } from '../../test/web/desk.ts';

const RULES = 200;
const SAMPLES = 500;

const WORDS =
  'Refunds for damaged or wrong goods are paid to the customer within a day of the report, also when a gift card paid, ' +
  'but never before the order number and the postcode were asked for and both were found to be those of the order.';

function rules(): RuleText[] {
  return Array.from({ length: RULES }, (_, index) => ({
    id: `R${index + 1}`,
    title: `Refund for case ${index + 1}`,
    text: `${WORDS} This is case ${index + 1}.`,
  }));
}

/** A first design, and a second one in which every rule has another wording: more than any person could decide on. */
export function largeRounds(): DesignText[] {
  const first = rules();
  const second = first.map((rule) => ({ ...rule, text: rule.text.replace('within a day', 'within two days') }));
  return [
    { rules: first, samples: SAMPLES },
    { rules: second, samples: SAMPLES },
  ];
}

/** Two designs of which two files have so many lines; `share` of the lines differ, which are spread over the whole text. */
export function longDesigns(lines: number, share: number): [DesignContent, DesignContent] {
  return [designOf('design/r1', lines, 0), designOf('design/r2', lines, share)];
}

function designOf(dir: string, lines: number, share: number): DesignContent {
  const step = share === 0 ? Infinity : 1 / share;
  const line = (index: number) =>
    index % step < 1 ? `- what is said on line ${index} of ${dir} now` : `- what is said on line ${index}`;
  const narrative = Array.from({ length: lines }, (_, index) => line(index)).join('\n');
  const told = rules().map((rule, index) => ({
    ...rule,
    text: index % step < 1 && share > 0 ? `${rule.text} ${dir}` : rule.text,
    severity: 'must' as const,
    applies_to: ['issue_refund'],
  }));
  return {
    dir,
    rules: { version: 1, rules: told, open_questions: [] },
    format: {
      version: 1,
      world: { type: 'object' },
      tools: [{ name: 'issue_refund', purpose: 'pays money back', changes_world: true }],
      categories: [{ id: 'refunds', title: 'Refunds', samples: SAMPLES }],
      subject_prompt: 'You are a desk clerk.',
    },
    files: {
      'unified_scenario_design.md': narrative,
      'business_rules.yaml': told
        .map(({ id, title, text }) => `- id: ${id}\n  title: ${title}\n  text: ${text}`)
        .join('\n'),
      'format_spec.yaml': narrative.replaceAll('- what', '  - who'),
    },
  };
}
