/** Reads and checks a model's design folder of three files. Each complaint names file, line and expectation. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isHarnessError, describeError } from '../errors.ts';
import { parseYaml } from '../config/yaml-file.ts';
import { caseProblems } from '../scenario/cases/case-problems.ts';
import { readingProblems } from '../scenario/cases/reading-problems.ts';
import { buildTable } from '../scenario/cases/case-table.ts';
import { findTableFaults } from '../scenario/cases/find-table-faults.ts';
import { BusinessRule, BusinessRules, DESIGN_FILES, FormatSpec } from '../scenario/design.ts';

export type DesignParts = { narrative: string; rules: BusinessRules; format: FormatSpec };

/** The harness adds these files to those of the agent. */
const ADDED = ['submission.json', 'manifest.json'];
const MAX_BYTES = 512 * 1024;

/** `problems` are sentences for the agent; without problems, `parts` is set. */
export async function readDesign(dir: string, shown: string): Promise<{ parts?: DesignParts; problems: string[] }> {
  const problems: string[] = [];
  const files = await readdir(dir);
  for (const file of files.filter((name) => ![...DESIGN_FILES, ...ADDED].some((known) => known === name))) {
    problems.push(`${shown}/${file}: not a file of a design; there are only ${DESIGN_FILES.join(', ')}.`);
  }
  const [narrative, rules, format] = await Promise.all(
    DESIGN_FILES.map((name) => readPart(join(dir, name), `${shown}/${name}`, problems)),
  );
  if (narrative !== undefined && narrative.trim().length < 200) {
    problems.push(`${shown}/${DESIGN_FILES[0]}: shorter than 200 characters; a reviewer could not judge it.`);
  }
  const parsedRules = collectProblems(problems, () =>
    parseYaml(rules ?? '', BusinessRules, `${shown}/${DESIGN_FILES[1]}`),
  );
  const parsedFormat = collectProblems(problems, () =>
    parseYaml(format ?? '', FormatSpec, `${shown}/${DESIGN_FILES[2]}`),
  );
  // All problems are reported in one round: readable rules are checked against the format even when others are broken.
  const readable = parsedRules ?? readableRules(rules ?? '');
  if (readable !== undefined && parsedFormat !== undefined) {
    const crossed = crossChecks(readable, parsedFormat, shown);
    problems.push(...crossed.filter((text) => parsedRules !== undefined || !MISSING_RULE.test(text)));
  }
  if (problems.length > 0 || narrative === undefined || parsedRules === undefined || parsedFormat === undefined)
    return { problems };
  return { problems, parts: { narrative, rules: parsedRules, format: parsedFormat } };
}

/** Complaints of this kind are dropped when some rules are unreadable, because the named rule may be one of those. */
const MISSING_RULE = /: over names R\d+, which does not exist/;

function readableRules(text: string): BusinessRules | undefined {
  const loose = collectProblems([], () => parseYaml(text, z.looseObject({ rules: z.array(z.unknown()) }), ''));
  const rules = (loose?.rules ?? []).flatMap((rule) => BusinessRule.safeParse(rule).data ?? []);
  return rules.length === 0 ? undefined : { version: 1, rules, open_questions: [] };
}

async function readPart(path: string, shown: string, problems: string[]): Promise<string | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined) problems.push(`${shown}: missing.`);
  else if (bytes.length > MAX_BYTES) problems.push(`${shown}: larger than ${MAX_BYTES} bytes.`);
  else return bytes.toString('utf8');
  return undefined;
}

function collectProblems<Value>(problems: string[], parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch (error) {
    if (!isHarnessError(error, 'config_invalid')) throw error;
    problems.push(...describeError(error).split('\n'));
    return undefined;
  }
}

function crossChecks(rules: BusinessRules, format: FormatSpec, shown: string): string[] {
  const ids = rules.rules.map((rule) => rule.id);
  const tools = new Set(format.tools.map((tool) => tool.name));
  const ofCases = caseProblems(format.cases, rules.rules);
  const twice = [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
  return [
    ...twice.map((id) => `${shown}/business_rules.yaml: ${id} is there twice; ids are never reused.`),
    ...rules.rules.flatMap(({ id, applies_to: named }) => {
      const unknown = named.filter((tool) => !tools.has(tool));
      const what = 'which format_spec.yaml does not name.';
      return unknown.map((tool) => `${shown}/business_rules.yaml: ${id} applies to "${tool}", ${what}`);
    }),
    ...ofCases.map((text) => `${shown}: ${text}`),
    ...(ofCases.length === 0 ? searchProblems(rules, format, shown) : []),
    ...(ofCases.length === 0 ? readingProblems(format, rules.rules).map((text) => `${shown}: ${text}`) : []),
  ];
}

/** Refuses a case table that is too large to search, so that the gate never waits for the search. */
function searchProblems({ rules }: BusinessRules, { cases }: FormatSpec, shown: string): string[] {
  const problems: string[] = [];
  if (cases !== undefined) collectProblems(problems, () => findTableFaults(buildTable(cases, rules)));
  return problems.map((text) => `${shown}/format_spec.yaml: ${text}`);
}
