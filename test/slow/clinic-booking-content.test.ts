/** The shipped scenario in Python: everything in it parses, fits together, and proves itself. */
import { listCalls } from '../../src/scenario/sample.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { validateJson } from '../../src/scenario/json/json-schema.ts';
import { clinic, componentsOf, playStory, type Story } from '../scenarios/clinic-booking.ts';
import {
  findBlunt,
  findUnproven,
  playExamples,
  specsOf,
  startOf,
  type PythonComponents,
} from '../scenarios/prove-python.ts';
import { shippedSuite } from '../scenarios/shipped-suite.ts';
import { formatOf, listUnread, rulesOf } from '../scenarios/shipped.ts';

let story: Story;
let components: PythonComponents;
let specs: ReturnType<typeof specsOf>;

beforeAll(() => {
  story = playStory(1);
  components = componentsOf(story, 'third');
  specs = specsOf(components);
});

shippedSuite({ ...clinic, conflict: ['R8', 'R9'] }, () => story.tree);

describe('the design of clinic-booking', () => {
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
    for (const name of names) expect(JSON.stringify(clinic.subject.turns)).not.toContain(`"tool":"${name}"`);
  });
});

describe('the components of clinic-booking', () => {
  test('are seventeen tools, eight checkers and thirty samples, as the design counts them', () => {
    const { files, samples } = components;
    const { tools, checkers } = specs;
    const { categories, tools: designed } = formatOf(story.tree, 2);
    expect(tools.map(({ name }) => name).toSorted()).toEqual(designed.map(({ name }) => name).toSorted());
    expect([tools.length, checkers.length, samples.length]).toEqual([17, 8, 30]);
    expect(samples.length).toBeGreaterThanOrEqual(clinic.brief.samples.min);
    for (const { id, samples: count } of categories) {
      expect(samples.filter(({ category }) => category === id)).toHaveLength(count);
    }
    const named = [...tools.map(({ name }) => `tools/${name}.py`), ...checkers.map(({ id }) => `checkers/${id}.py`)];
    expect(Object.keys(files).toSorted()).toEqual(named.toSorted());
  });

  test('import pure modules of the standard library only', () => {
    const imports = Object.values(components.files).flatMap((text) => text.match(/^(?:import|from) \w+/gm) ?? []);
    expect([...new Set(imports)]).toEqual(['from datetime', 'import re']);
    for (const text of Object.values(components.files)) expect(text).not.toMatch(/\b(today|now)\(\)/);
  });

  test('cover every rule by a sample, and by one checker unless the table reads all that it demands', () => {
    const { rules } = rulesOf(story.tree, 2);
    expect(new Set(components.samples.flatMap(({ covers }) => covers))).toEqual(new Set(rules.map(({ id }) => id)));
    const judged = specs.checkers.flatMap((checker) => checker.rules).toSorted();
    expect(judged).toEqual([...listUnread(rules, formatOf(story.tree, 2)), 'R4'].toSorted());
  });

  test('have worlds and inputs that fit their schemas', () => {
    const { world } = formatOf(story.tree, 1);
    const inputs = new Map(specs.tools.map(({ name, input_schema }) => [name, input_schema]));
    for (const sample of components.samples) {
      expect(validateJson(world, startOf(sample, components)), sample.id).toEqual([]);
      const acts = sample.user.acts?.flatMap(({ calls }) => calls) ?? [];
      for (const { tool, args } of [...listCalls([...sample.gold, ...sample.wrong]), ...acts]) {
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
        listCalls(gold).filter(({ tool }) => components.ofUser.has(tool)),
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
