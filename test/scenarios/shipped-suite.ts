/** What holds for every shipped scenario: each design fits the scripts, and each script fits the harness. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { z } from 'zod';
import { ReturnToInit, SubmitDesign, SubmitIteration, TodoWrite } from '../../src/agent/tools/schemas.ts';
import { SummaryFields, summarySchema } from '../../src/context/summary/summary.ts';
import { caseProblems } from '../../src/scenario/cases/case-problems.ts';
import { buildTable } from '../../src/scenario/cases/case-table.ts';
import { findTableFaults } from '../../src/scenario/cases/find-table-faults.ts';
import { schemaFaults } from '../../src/scenario/json/json-schema.ts';
import { citedPaths, fileActs, scriptOf, turnFor, unusedFiles, type Tree } from './script-tree.ts';
import { formatOf, outputDir, rulesOf, type Shipped } from './shipped.ts';

const AGENTS = ['init', 'execute'] as const;

/** The fields of its summary that an agent is asked for. */
export function summaryOf(who: string): z.ZodType {
  const fields = readFileSync(join(import.meta.dirname, `../../agents/${who}/summary.yaml`), 'utf8');
  return summarySchema(SummaryFields.parse(parse(fields)));
}

export function shippedSuite(scenario: Shipped & { conflict: readonly string[] }, treeOf: () => Tree): void {
  const { brief, subject } = scenario;
  test.each([1, 2])(
    'the design parses in round %i, names only its own tools, and tells the subject every rule',
    (round) => {
      const format = formatOf(treeOf(), round);
      const { rules } = rulesOf(treeOf(), round);
      expect(rules.length).toBeGreaterThanOrEqual(12);
      expect(format.tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(rules.flatMap((rule) => rule.applies_to)),
      );
      expect(format.categories.map(({ id }) => id)).toEqual(brief.samples.categories);
      expect(schemaFaults(format.world)).toEqual([]);
      for (const { id } of rules) expect(format.subject_prompt).toMatch(new RegExp(`^${id} `, 'm'));
      expect(format.subject_prompt).toContain(subject.match.system_includes);
    },
  );
  test('code finds the one conflict of the first design before anything is built, and nothing in the second', () => {
    const [first, second] = [1, 2].map((round) => {
      const { cases } = formatOf(treeOf(), round);
      const { rules } = rulesOf(treeOf(), round);
      expect(cases === undefined ? ['no cases'] : caseProblems(cases, rules)).toEqual([]);
      return cases === undefined ? [] : findTableFaults(buildTable(cases, rules));
    });
    expect(first?.map(({ kind, rules }) => [kind, ...rules])).toEqual([['conflict', ...scenario.conflict]]);
    expect(second).toEqual([]);
  });
  describe(`the scripts of ${brief.name}`, () => scriptTests(scenario, treeOf));
}

function scriptTests({ execute, init, messages, simulation }: Shipped, treeOf: () => Tree): void {
  const mainStory = {
    init: [messages.brief, messages.returned(2)].map((message) => turnFor(init, message)),
    execute: [messages.first(1), messages.second(1), messages.third(2)].map((message) => turnFor(execute, message)),
  };

  test('call control tools with input that the harness takes', () => {
    const schemas: Record<string, z.ZodType> = {
      todo_write: TodoWrite,
      submit_design: SubmitDesign,
      submit_iteration: SubmitIteration,
      return_to_init: ReturnToInit,
    };
    for (const turn of [...init.turns, ...execute.turns]) {
      for (const call of turn.steps.flatMap((step) => step.calls)) {
        expect(schemas[call.tool]?.safeParse(call.input).error, `${turn.name}: ${call.tool}`).toBeUndefined();
      }
    }
  });

  // A step counts as done when the ledger of a compacted context names its file with its verb.
  test.each(AGENTS)('never let %s do the same to the same file twice', (who) => {
    const acts = fileActs(mainStory[who]);
    expect(acts.filter((act, index) => acts.indexOf(act) !== index)).toEqual([]);
  });

  // S0.12: a turn may be compacted at any step.
  test.each(AGENTS)('give %s a summary for every turn, in the fields that are asked of it', (who) => {
    const schema = summaryOf(who);
    for (const turn of scriptOf(simulation, who).turns)
      expect(schema.safeParse(turn.summary).error, turn.name).toBeUndefined();
  });

  // S0.13: what a summary cites must have been read or written by then, and must not change afterwards.
  test.each(AGENTS)('let the summaries of %s cite files of that conversation only', (who) => {
    const acts = fileActs(mainStory[who]);
    const seen = new Set<string>();
    for (const turn of mainStory[who]) {
      for (const act of fileActs([turn])) seen.add(act.split(' ')[1] ?? '');
      expect(JSON.stringify(turn.summary), turn.name).toContain('{{cite:');
      expect(citedPaths(turn).filter((path) => !seen.has(path) || acts.includes(`edit ${path}`))).toEqual([]);
    }
    expect(mainStory[who].flatMap(citedPaths).length).toBeGreaterThan(6);
  });

  test('use every file of the simulation folder', () => {
    expect(unusedFiles(simulation)).toEqual([]);
  });

  // S0.6: `--profile demo` starts to compact at 16 000 tokens for Init and 20 000 for Execute.
  test('move enough text to have both agents compacted', () => {
    const size = (prefix: string): number =>
      [...treeOf()].reduce((sum, [path, text]) => sum + (path.startsWith(prefix) ? text.length : 0), 0);
    expect(size('scenario/') + size('design/r1/')).toBeGreaterThan(16_000 * 2.4);
    expect(size('design/r1/') + size(`${outputDir(1)}/`)).toBeGreaterThan(20_000 * 2.6);
  });
}
