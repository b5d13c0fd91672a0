/** The shipped scenario: everything in it parses, fits together, and proves itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ReturnToInit, SubmitDesign, SubmitIteration, TodoWrite } from '../../src/agent/tools/schemas.ts';
import { SummaryFields, summarySchema } from '../../src/context/summary.ts';
import { applyPatch, callTool, findUnproven, judge, replay, startWorld, type Components } from './prove.ts';
import * as desk from './refund-desk.ts';
import { citedPaths, fileActs, scriptOf, turnFor, unusedFiles } from './script-tree.ts';

const { brief, execute, formatOf, init, messages, outputDir, rulesOf, simulation, subject } = desk;

let story: desk.Story;
let components: Components;

beforeAll(async () => {
  story = await desk.playStory(1);
  components = desk.componentsOf(story, 3);
});

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];
const fits = (schema: unknown, value: unknown): string =>
  z.fromJSONSchema(schema as JsonSchema).safeParse(value).error?.message ?? '';

describe('the design of refund-desk', () => {
  test.each([1, 2])('parses in round %i, names only its own tools, and tells the subject every rule', (round) => {
    const format = formatOf(story.tree, round);
    const { rules } = rulesOf(story.tree, round);
    expect(rules.length).toBeGreaterThanOrEqual(12);
    expect(format.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(rules.flatMap((rule) => rule.applies_to)),
    );
    expect(format.categories.map(({ id }) => id)).toEqual(brief.samples.categories);
    for (const { id } of rules) expect(format.subject_prompt).toMatch(new RegExp(`^${id} `, 'm'));
    expect(format.subject_prompt).toContain(subject.match.system_includes);
  });

  test('changes R7 and R8 in round 2, and no other rule', () => {
    const [before, after] = [rulesOf(story.tree, 1), rulesOf(story.tree, 2)];
    const changed = after.rules.filter((rule, index) => rule.text !== before.rules[index]?.text);
    expect(changed.map(({ id }) => id)).toEqual(['R7', 'R8']);
    for (const { text } of changed) expect(text).toMatch(/R[78]/);
    expect(formatOf(story.tree, 2).subject_prompt).not.toContain('whatever the reason');
  });
});

describe('the components of refund-desk', () => {
  test('are seven tools, eight checkers and sixteen samples, as the design counts them', () => {
    const { tools, checkers, samples } = components;
    const { categories, tools: designed } = formatOf(story.tree, 2);
    expect([...tools.keys()].toSorted()).toEqual(designed.map(({ name }) => name).toSorted());
    expect([checkers.size, samples.length]).toEqual([8, 16]);
    expect(samples.length).toBeGreaterThanOrEqual(brief.samples.min);
    for (const { id, samples: count } of categories) {
      expect(samples.filter(({ category }) => category === id)).toHaveLength(count);
    }
    for (const [name, { spec }] of tools) expect(spec.name).toBe(name);
    for (const [id, { spec }] of checkers) expect(spec.id).toBe(id);
  });

  test('cover every rule by a sample and by a checker', () => {
    const ids = rulesOf(story.tree, 2)
      .rules.map(({ id }) => id)
      .toSorted();
    expect([...new Set(components.samples.flatMap(({ covers }) => covers))].toSorted()).toEqual(ids);
    expect([...new Set([...components.checkers.values()].flatMap(({ spec }) => spec.rules))].toSorted()).toEqual(ids);
  });

  test('have worlds and inputs that fit their schemas', () => {
    const { world } = formatOf(story.tree, 1);
    for (const sample of components.samples) {
      expect(fits(world, startWorld(sample, components)), sample.id).toBe('');
      for (const { tool, args } of [...sample.gold, ...sample.wrong]) {
        expect(fits(components.tools.get(tool)?.spec.input_schema, args), `${sample.id}: ${tool}`).toBe('');
      }
    }
  });

  test('answer the examples of their tools without an exception, twice alike', () => {
    for (const [name, { spec }] of components.tools) {
      for (const { input, world } of spec.examples) {
        const answer = (): unknown => {
          const state = structuredClone(typeof world === 'string' ? (components.worlds.get(world) ?? {}) : world);
          return [callTool(components, state, 1, name, input), state];
        };
        expect(answer()).toMatchObject([{ is_error: false }, { today: expect.any(String) }]);
        expect(answer()).toEqual(answer());
      }
    }
  });

  // S0.24: the gold path passes; the agent that does nothing and the wrong path fail.
  test.each([1, 2, 3])('prove themselves at hand-in %i', (handIn) => {
    expect(findUnproven(desk.componentsOf(story, handIn))).toEqual([]);
  });

  test('reject a gold world that lacks any one of its changes', () => {
    for (const sample of components.samples) {
      const { end_state: end } = sample.expect;
      if (end === 'unchanged' || !('patch' in end)) throw new Error(`${sample.id}: expected one patch`);
      const gold = replay(components, sample, sample.gold, sample.gold_says);
      for (const dropped of end.patch) {
        const after = applyPatch(
          gold.before,
          end.patch.filter((operation) => operation !== dropped),
        );
        expect(judge(components, sample, { ...gold, after })[0]?.pass, `${sample.id} without ${dropped.path}`).toBe(
          false,
        );
      }
    }
  });
});

describe('the scripts of refund-desk', () => {
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
  test.each(['init', 'execute'] as const)('never let %s do the same to the same file twice', (who) => {
    const acts = fileActs(mainStory[who]);
    expect(acts.filter((act, index) => acts.indexOf(act) !== index)).toEqual([]);
  });

  // S0.12: a turn may be compacted at any step.
  test.each(['init', 'execute'] as const)(
    'give %s a summary for every turn, in the fields that are asked of it',
    (who) => {
      const fields = readFileSync(join(import.meta.dirname, `../../agents/${who}/summary.yaml`), 'utf8');
      const schema = summarySchema(SummaryFields.parse(parse(fields)));
      for (const turn of scriptOf(simulation, who).turns) {
        expect(schema.safeParse(turn.summary).error, turn.name).toBeUndefined();
      }
    },
  );

  // S0.13: what a summary cites must have been read or written by then, and must not change afterwards.
  test.each(['init', 'execute'] as const)('let the summaries of %s cite files of that conversation only', (who) => {
    const acts = fileActs(mainStory[who]);
    const seen = new Set<string>();
    for (const turn of mainStory[who]) {
      for (const act of fileActs([turn])) seen.add(act.split(' ')[1] ?? '');
      expect(citedPaths(turn).length).toBeGreaterThan(3);
      expect(citedPaths(turn).filter((path) => !seen.has(path))).toEqual([]);
      expect(citedPaths(turn).filter((path) => acts.includes(`edit ${path}`))).toEqual([]);
    }
  });

  test('use every file of the simulation folder', () => {
    expect(unusedFiles(simulation)).toEqual([]);
  });

  // S0.6: `--profile demo` starts to compact at 16 000 tokens for Init and 20 000 for Execute.
  test('move enough text to have both agents compacted', () => {
    const size = (prefix: string): number =>
      [...story.tree].reduce((sum, [path, text]) => sum + (path.startsWith(prefix) ? text.length : 0), 0);
    expect(size('scenario/') + size('design/r1/')).toBeGreaterThan(16_000 * 2.4);
    expect(size('design/r1/') + size(`${outputDir(1)}/`)).toBeGreaterThan(20_000 * 2.6);
  });
});
