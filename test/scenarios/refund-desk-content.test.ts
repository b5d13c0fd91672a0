/** The shipped scenario: everything in it parses, fits together, and proves itself. */
import { listCalls } from '../../src/scenario/sample.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { applyPatch, callTool, findUnproven, judge, replay, startWorld, type Components } from './prove.ts';
import { componentsOf, desk, playStory, type Story } from './refund-desk.ts';
import { shippedSuite } from './shipped-suite.ts';
import { formatOf, listUnread, rulesOf } from './shipped.ts';

let story: Story;
let components: Components;

beforeAll(async () => {
  story = await playStory(1);
  components = componentsOf(story, 3);
});

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];
const fits = (schema: unknown, value: unknown): string =>
  z.fromJSONSchema(schema as JsonSchema).safeParse(value).error?.message ?? '';

shippedSuite({ ...desk, conflict: ['R7', 'R8'] }, () => story.tree);

describe('the design of refund-desk', () => {
  test('changes R7 and R8 in round 2, and no other rule', () => {
    const [before, after] = [rulesOf(story.tree, 1), rulesOf(story.tree, 2)];
    const changed = after.rules.filter((rule, index) => rule.text !== before.rules[index]?.text);
    expect(changed.map(({ id }) => id)).toEqual(['R7', 'R8']);
    for (const { text } of changed) expect(text).toMatch(/R[78]/);
    expect(formatOf(story.tree, 2).subject_prompt).not.toContain('whatever the reason');
  });
});

describe('the components of refund-desk', () => {
  test('are seven tools, three checkers and sixteen samples, as the design counts them', () => {
    const { tools, checkers, samples } = components;
    const { categories, tools: designed } = formatOf(story.tree, 2);
    expect([...tools.keys()].toSorted()).toEqual(designed.map(({ name }) => name).toSorted());
    expect([checkers.size, samples.length]).toEqual([3, 16]);
    expect(samples.length).toBeGreaterThanOrEqual(desk.brief.samples.min);
    for (const { id, samples: count } of categories) {
      expect(samples.filter(({ category }) => category === id)).toHaveLength(count);
    }
    for (const [name, { spec }] of tools) expect(spec.name).toBe(name);
    for (const [id, { spec }] of checkers) expect(spec.id).toBe(id);
  });

  test('cover every rule by a sample, and by a checker unless the table reads all that it demands', () => {
    const { rules } = rulesOf(story.tree, 2);
    expect(new Set(components.samples.flatMap(({ covers }) => covers))).toEqual(new Set(rules.map(({ id }) => id)));
    expect(new Set([...components.checkers.values()].flatMap(({ spec }) => spec.rules))).toEqual(
      new Set(listUnread(rules, formatOf(story.tree, 2))),
    );
  });

  test('have worlds and inputs that fit their schemas', () => {
    const { world } = formatOf(story.tree, 1);
    for (const sample of components.samples) {
      expect(fits(world, startWorld(sample, components)), sample.id).toBe('');
      for (const { tool, args } of listCalls([...sample.gold, ...sample.wrong])) {
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
    expect(findUnproven(componentsOf(story, handIn))).toEqual([]);
  });

  test('reject a gold world that lacks any one of its changes', () => {
    for (const sample of components.samples) {
      const { end_state: end } = sample.expect;
      if (typeof end === 'string' || !('patch' in end)) throw new Error(`${sample.id}: expected one patch`);
      const gold = replay(components, sample, listCalls(sample.gold), sample.gold_says);
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
