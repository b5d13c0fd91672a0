/** The shipped scenario in Python: everything in it parses, fits together, and proves itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { z } from 'zod';
import { ReturnToInit, SubmitDesign, SubmitIteration, TodoWrite } from '../../src/agent/tools/schemas.ts';
import { SummaryFields, summarySchema } from '../../src/context/summary.ts';
import { schemaFaults, validateJson } from '../../src/scenario/json-schema.ts';
import * as clinic from '../scenarios/clinic-booking.ts';
import {
  findBlunt,
  findUnproven,
  playExamples,
  specsOf,
  startOf,
  type PythonComponents,
} from '../scenarios/prove-python.ts';
import { citedPaths, fileActs, scriptOf, turnFor, unusedFiles } from '../scenarios/script-tree.ts';

const { brief, componentsOf, execute, formatOf, init, messages, outputDir, rulesOf, simulation, subject } = clinic;

let story: clinic.Story;
let components: PythonComponents;
let specs: ReturnType<typeof specsOf>;

beforeAll(() => {
  story = clinic.playStory(1);
  components = componentsOf(story, 'third');
  specs = specsOf(components);
});

describe('the design of clinic-booking', () => {
  test.each([1, 2])('parses in round %i, names only its own tools, and tells the subject every rule', (round) => {
    const format = formatOf(story.tree, round);
    const { rules } = rulesOf(story.tree, round);
    expect(rules.length).toBeGreaterThanOrEqual(12);
    expect(format.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(rules.flatMap((rule) => rule.applies_to)),
    );
    expect(format.categories.map(({ id }) => id)).toEqual(brief.samples.categories);
    expect(schemaFaults(format.world)).toEqual([]);
    for (const { id } of rules) expect(format.subject_prompt).toMatch(new RegExp(`^${id} `, 'm'));
    expect(format.subject_prompt).toContain(subject.match.system_includes);
  });

  test('changes R8 and R9 in round 2, and no other rule; each names the other', () => {
    const [before, after] = [rulesOf(story.tree, 1), rulesOf(story.tree, 2)];
    const changed = after.rules.filter((rule, index) => rule.text !== before.rules[index]?.text);
    expect(changed.map(({ id, text }) => [id, /R[89]/.exec(text)?.[0]])).toEqual([
      ['R8', 'R9'],
      ['R9', 'R8'],
    ]);
  });

  test('puts three tools into the hands of the user (dual control)', () => {
    const names = ['app_confirm_code', 'app_upload_referral', 'app_answer_offer'];
    expect([...components.ofUser].toSorted()).toEqual(names.toSorted());
    for (const name of names) expect(JSON.stringify(subject.turns)).not.toContain(`"tool":"${name}"`);
  });
});

describe('the components of clinic-booking', () => {
  test('are seventeen tools, twelve checkers and thirty samples, as the design counts them', () => {
    const { files, samples } = components;
    const { tools, checkers } = specs;
    const { categories, tools: designed } = formatOf(story.tree, 2);
    expect(tools.map(({ name }) => name).toSorted()).toEqual(designed.map(({ name }) => name).toSorted());
    expect([tools.length, checkers.length, samples.length]).toEqual([17, 12, 30]);
    expect(samples.length).toBeGreaterThanOrEqual(brief.samples.min);
    for (const { id, samples: count } of categories) {
      expect(samples.filter(({ category }) => category === id)).toHaveLength(count);
    }
    const named = [...tools.map(({ name }) => `tools/${name}.py`), ...checkers.map(({ id }) => `checkers/${id}.py`)];
    expect(Object.keys(files).toSorted()).toEqual(named.toSorted());
  });

  test('import pure modules of the standard library only', () => {
    const imports = Object.values(components.files).flatMap((text) => text.match(/^(?:import|from) \w+/gm) ?? []);
    expect([...new Set(imports)]).toEqual(['from datetime']);
    for (const text of Object.values(components.files)) expect(text).not.toMatch(/\b(today|now)\(\)/);
  });

  test('cover every rule by a sample and by a checker', () => {
    const ids = rulesOf(story.tree, 2).rules.map(({ id }) => id);
    expect(new Set(components.samples.flatMap(({ covers }) => covers))).toEqual(new Set(ids));
    expect(specs.checkers.flatMap(({ rules }) => rules).toSorted()).toEqual(ids.toSorted());
  });

  test('have worlds and inputs that fit their schemas', () => {
    const { world } = formatOf(story.tree, 1);
    const inputs = new Map(specs.tools.map(({ name, input_schema }) => [name, input_schema]));
    for (const sample of components.samples) {
      expect(validateJson(world, startOf(sample, components)), sample.id).toEqual([]);
      const acts = sample.user.acts?.flatMap(({ calls }) => calls) ?? [];
      for (const { tool, args } of [...sample.gold, ...sample.wrong, ...acts]) {
        expect(validateJson(inputs.get(tool), args), `${sample.id}: ${tool}`).toEqual([]);
      }
    }
  });

  test('answer the examples of their tools without an exception, twice alike, and read without changing', () => {
    const reading = new Set(
      formatOf(story.tree, 1).tools.flatMap(({ name, changes_world: changes }) => (changes ? [] : [name])),
    );
    const played = playExamples(components, specs.tools);
    expect(new Set(played.map(({ tool }) => tool)).size).toBe(17);
    expect(played.filter(({ threw, isStable }) => threw || !isStable)).toEqual([]);
    expect(played.filter(({ tool, changes }) => changes && reading.has(tool))).toEqual([]);
    const atFirst = playExamples(componentsOf(story, 'refused'), specs.tools);
    const wrong = atFirst.filter(({ tool, changes }) => changes && reading.has(tool)).map(({ tool }) => tool);
    expect(new Set(wrong)).toEqual(new Set(['read_waiting_list']));
  });

  test('let the user act in seven samples, with tools of the user only, each time when asked', () => {
    const acting = components.samples.filter(({ user }) => user.acts !== undefined);
    expect(acting).toHaveLength(7);
    for (const { id, gold, user } of acting) {
      const calls = user.acts?.flatMap((act) => act.calls) ?? [];
      expect(
        gold.filter(({ tool }) => components.ofUser.has(tool)),
        id,
      ).toEqual(calls);
    }
  });

  test.each(['first', 'second', 'third'] as const)('prove themselves at the %s evaluated hand-in', (handIn) => {
    expect(findUnproven(componentsOf(story, handIn))).toEqual([]);
  });

  test('reject every gold world that lacks a change or has another value', () => {
    const { accepted, mutants } = findBlunt(components);
    expect(accepted).toEqual([]);
    expect(mutants).toBeGreaterThan(100);
  });
});

describe('the scripts of clinic-booking', () => {
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
  test.each(['init', 'execute'] as const)('give %s a summary for every turn, in the fields asked of it', (who) => {
    const fields = readFileSync(join(import.meta.dirname, `../../agents/${who}/summary.yaml`), 'utf8');
    const schema = summarySchema(SummaryFields.parse(parse(fields)));
    for (const turn of scriptOf(simulation, who).turns) {
      expect(schema.safeParse(turn.summary).error, turn.name).toBeUndefined();
    }
  });

  // S0.13: what a summary cites must have been read or written by then, and must not change afterwards.
  test.each(['init', 'execute'] as const)('let the summaries of %s cite files of that conversation only', (who) => {
    const acts = fileActs(mainStory[who]);
    const seen = new Set<string>();
    for (const turn of mainStory[who]) {
      for (const act of fileActs([turn])) seen.add(act.split(' ')[1] ?? '');
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
