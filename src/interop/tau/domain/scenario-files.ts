/** The files of a scenario that is made from a tau2-bench domain: its description, its design, its policy. */
import { stringify } from 'yaml';
import type { BusinessRule } from '../../../scenario/design.ts';
import type { ImportedFiles } from '../../imported-files.ts';
import { COMPONENTS_AT, DESIGN_AT } from '../../scenario-layout.ts';
import type { ToolShim } from './shims.ts';

type DomainParts = {
  name: string;
  domain: string;
  category: string;
  policy: string;
  rules: readonly BusinessRule[];
  shims: readonly ToolShim[];
  samples: number;
  hasUser: boolean;
};

export function scenarioFiles(parts: DomainParts): ImportedFiles['files'] {
  const { name, domain, policy, rules, shims } = parts;
  return [
    { path: 'scenario.yaml', content: stringify(createScenario(parts)) },
    { path: 'brief.md', content: formatBrief(domain) },
    { path: 'policies/policy.md', content: policy },
    { path: 'imported/tools.yaml', content: stringify({ tools: shims.map(toolLine) }) },
    { path: 'imported/business_rules.yaml', content: stringify({ version: 1, rules }) },
    { path: `${DESIGN_AT}/unified_scenario_design.md`, content: formatNarrative(name, parts) },
    { path: `${DESIGN_AT}/business_rules.yaml`, content: stringify({ version: 1, rules }) },
    { path: `${DESIGN_AT}/format_spec.yaml`, content: stringify(createFormat(parts)) },
  ];
}

function toolLine({ name, side, method }: ToolShim): Record<string, unknown> {
  return {
    name,
    purpose: firstLine(method.description),
    changes_world: method.changes,
    by: side === 'user' ? 'user' : 'subject',
  };
}

function createFormat({ category, domain, policy, shims, samples, hasUser }: DomainParts): Record<string, unknown> {
  const world = {
    type: 'object',
    required: hasUser ? ['agent', 'user'] : ['agent'],
    additionalProperties: false,
    properties: { agent: { type: 'object' }, ...(hasUser ? { user: { type: 'object' } } : {}) },
  };
  const tools = shims.map((shim) => {
    const { name, purpose, changes_world, by } = toolLine(shim);
    return { name, purpose, changes_world, ...(by === 'user' ? { by } : {}) };
  });
  const categories = [{ id: category, title: `Tasks of ${domain}`, samples }];
  return { version: 1, world, tools, categories, subject_prompt: formatPrompt(domain, policy) };
}

export function formatPrompt(domain: string, policy: string): string {
  return `You are the service agent of the domain "${domain}". Help the user within the policy below. In each turn either write to the user or call tools, not both.\n\n${policy}`;
}

function firstLine(text: string): string {
  return text.split('\n')[0]?.trim() ?? text;
}

function formatNarrative(name: string, { domain, shims, samples, rules }: DomainParts): string {
  const ofUser = shims.filter(({ side }) => side === 'user').length;
  return `# ${name}: the domain "${domain}" of tau2-bench

The subject serves customers under the policy of the domain, which is in its prompt word for word. It has ${shims.length - ofUser} tools${ofUser === 0 ? '' : `; ${ofUser} more are in the user's hands`}.
The tools are the domain's own, in Python; their code lies in \`tools/toolkit/domain/\` as it was copied.

- \`business_rules.yaml\` holds the policy as ${rules.length} numbered rules, read out of its text.
- The world is \`{agent${ofUser === 0 ? '' : ', user'}}\`: the data that the tools of each side work on.
- Each of the ${samples} samples is a task. Its end state is the one that its gold path leads to; other paths to the same end pass as well.
`;
}

function createScenario({ name, domain, category, samples, hasUser }: DomainParts): Record<string, unknown> {
  return {
    version: 1,
    name,
    title: `${domain}, imported from tau2-bench`,
    reads: ['brief.md', 'policies/policy.md', 'imported/business_rules.yaml', 'imported/tools.yaml'],
    target: 0.85,
    samples: { min: samples, categories: [category] },
    subject: { model: 'claude-haiku-5-5', max_steps: hasUser ? 60 : 30 },
  };
}

function formatBrief(domain: string): string {
  return `# Brief: ${domain}

This scenario was imported from a domain of tau2-bench. The subject serves customers under \`policies/policy.md\`.

- \`imported/business_rules.yaml\` holds the policy as numbered rules, as the importer read it. Keep its ids; correct what it read wrong.
- \`imported/tools.yaml\` lists the tools of the domain, and in whose hands they are. The world is \`{agent, user}\`: the shop's data, and the
  customer's own.
- \`${COMPONENTS_AT}/\` holds tools, checkers and samples as they were carried over, \`${DESIGN_AT}/\` the design that they belong to:
  \`tandem verify-components\` proves them.

## What counts as a pass
The world ends as the gold path leaves it, everything that the task wants to be said is said, and no rule is broken on the way.
`;
}
