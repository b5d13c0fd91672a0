/** Reads small designs whose sources say more than the design, and plants the hole that each of them describes. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { BusinessRules, FormatSpec } from '../../src/scenario/design.ts';
import type { SourceText } from '../../src/gate/rules/find-quote.ts';

type RuleOfFile = {
  id: string;
  text: string;
  tools: string[];
  when: unknown;
  demands: unknown;
  also?: { when: unknown }[];
};
type Hole = {
  /** The words that must be shown. */
  names: string;
  values?: Record<string, string[]>;
  attributes?: string[];
  outcomes?: string[];
  rules?: string[];
  whens?: Record<string, unknown>;
  texts?: Record<string, string>;
  means?: Record<string, string>;
};
type DesignFile = {
  sources: Record<string, string>;
  tools: Record<string, boolean>;
  attributes: Record<string, unknown>;
  outcomes: Record<string, unknown>;
  rules: RuleOfFile[];
  world?: unknown;
  hole: Hole;
};
type ParsedDesign = { rules: BusinessRules; format: FormatSpec };
export type PlantedDesign = {
  name: string;
  names: string;
  sources: SourceText[];
  sound: ParsedDesign;
  holed: ParsedDesign;
};

const PLANTED = new URL('../fixtures/planted-holes/', import.meta.url);

export function readPlantedDesigns(folder: URL = PLANTED): PlantedDesign[] {
  return readdirSync(folder).map((file) => {
    const given = parse(readFileSync(new URL(file, folder), 'utf8')) as DesignFile;
    return {
      name: file.replace('.yaml', ''),
      names: given.hole.names,
      sources: Object.entries(given.sources).map(([path, text]) => ({ path, text })),
      sound: parseDesign(given),
      holed: parseDesign(plantHole(structuredClone(given))),
    };
  });
}

/** Takes out what the hole names: a value with all conditions on it, an attribute, an outcome or a rule. */
function plantHole({ hole, ...given }: DesignFile): DesignFile {
  const { values = {}, attributes = [], outcomes = [], rules = [], whens = {}, texts = {}, means = {} } = hole;
  for (const [name, gone] of Object.entries(values)) {
    const attribute = (given.attributes[name] ?? given.outcomes[name]) as { values: string[] };
    attribute.values = attribute.values.filter((value) => !gone.includes(value));
  }
  for (const name of attributes) delete given.attributes[name];
  for (const name of outcomes) delete given.outcomes[name];
  for (const [name, text] of Object.entries(means)) (given.attributes[name] as { means: string }).means = text;
  const left = given.rules.filter(({ id }) => !rules.includes(id));
  for (const rule of left) {
    rule.when = whens[rule.id] ?? rule.when;
    rule.text = texts[rule.id] ?? rule.text;
    for (const line of [rule, ...(rule.also ?? [])]) dropAttributes(line.when, attributes);
  }
  for (const outcome of Object.values(given.outcomes)) dropAttributes((outcome as { when?: unknown }).when, attributes);
  return { ...given, rules: left, hole };
}

function dropAttributes(when: unknown, gone: readonly string[]): void {
  for (const name of gone) if (typeof when === 'object' && when !== null) Reflect.deleteProperty(when, name);
}

function parseDesign({ tools, attributes, outcomes, rules, world }: DesignFile): ParsedDesign {
  return {
    rules: BusinessRules.parse({
      version: 1,
      rules: rules.map(({ tools: applies_to, ...rule }) => ({
        title: rule.text,
        severity: 'must',
        applies_to,
        ...rule,
      })),
    }),
    format: FormatSpec.parse({
      version: 1,
      world: world ?? { type: 'object', properties: {} },
      tools: Object.entries(tools).map(([name, changes_world]) => ({ name, purpose: name, changes_world })),
      categories: [{ id: 'all', title: 'All', samples: 10 }],
      subject_prompt: 'Keep the rules.',
      cases: { attributes, outcomes },
    }),
  };
}
