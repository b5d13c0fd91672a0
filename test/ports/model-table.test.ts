import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findRow, ModelTable, toPrice } from '../../src/ports/model-table.ts';
import { parseYaml } from '../../src/config/yaml-file.ts';
import { computeCost } from '../../src/ports/model.ts';

const FILE = 'config/models.yaml';
const text = readFileSync(new URL(`../../${FILE}`, import.meta.url), 'utf8');
const table = parseYaml(text, ModelTable, FILE);
/** The table with one thing changed. */
const changed = (from: string, to: string) => () => parseYaml(text.replace(from, to), ModelTable, FILE);
const lineOf = (part: string) => text.slice(0, text.indexOf(part)).split('\n').length;

describe('the shipped table', () => {
  test('holds the models of the day with window, largest output and prices (S0.2)', () => {
    const facts = Object.entries(table.models).map(([id, row]) => [
      id,
      row.window / 1000,
      row.max_output / 1000,
      row.price?.input,
      row.price?.output,
      row.price?.cache_read,
    ]);
    expect(facts).toEqual([
      ['claude-fable-5-2', 1000, 128, undefined, undefined, undefined],
      ['claude-mythos-5-2', 1000, 128, undefined, undefined, undefined],
      ['claude-fable-5-1', 1000, 128, 10, 50, 0.25],
      ['claude-mythos-5-1', 1000, 128, 10, 50, 0.25],
      ['claude-fable-5', 1000, 128, 10, 50, 1],
      ['claude-mythos-5', 1000, 128, 10, 50, 1],
      ['claude-mythos-preview', 1000, 128, undefined, undefined, undefined],
      ['claude-opus-5-5', 1000, 128, 4, 20, 0.2],
      ['claude-opus-5', 1000, 128, 5, 25, 0.5],
      ['claude-opus-4-8', 1000, 128, 5, 25, 0.5],
      ['claude-opus-4-7', 1000, 128, 5, 25, 0.5],
      ['claude-opus-4-6', 1000, 128, 5, 25, 0.5],
      ['claude-opus-4-5', 200, 64, 5, 25, 0.5],
      ['claude-sonnet-5-5', 1000, 128, 2, 10, 0.1],
      ['claude-sonnet-5', 1000, 128, 2, 10, 0.2],
      ['claude-sonnet-4-6', 1000, 128, 3, 15, 0.3],
      ['claude-sonnet-4-5', 200, 64, 3, 15, 0.3],
      ['claude-haiku-5-5', 1000, 128, 0.1, 0.5, 0.01],
      ['claude-haiku-4-5', 200, 64, 1, 5, 0.1],
    ]);
  });

  test('a cache write of five minutes costs 1.25 times the input', () => {
    for (const { price } of Object.values(table.models)) {
      if (price !== undefined) expect(price.cache_write).toBeCloseTo(price.input * 1.25, 6);
    }
  });

  test('thinking is bound on the 5.5 models and on Fable and Mythos from 5.1', () => {
    const bound = Object.keys(table.models).filter((id) => table.models[id]?.bound_thinking === true);
    expect(bound).toEqual([
      'claude-fable-5-2',
      'claude-mythos-5-2',
      'claude-fable-5-1',
      'claude-mythos-5-1',
      'claude-opus-5-5',
      'claude-sonnet-5-5',
      'claude-haiku-5-5',
    ]);
  });

  test('a model is found by its dated name too, and by no name of Object', () => {
    expect(findRow(table, 'claude-sonnet-4-5-20250929')).toBe(table.models['claude-sonnet-4-5']);
    expect(findRow(table, 'constructor')).toBeUndefined();
    expect(findRow(table, 'claude-opus-4.5')).toBeUndefined();
  });
});

describe('prices', () => {
  test('of a long prompt apply to the whole request, cached parts counted', () => {
    const price = toPrice(table.models['claude-haiku-5-5'] ?? table.models['claude-opus-5']!);
    expect(price).toBeDefined();
    const usage = {
      input_tokens: 1_000,
      cache_creation_input_tokens: 9_000,
      cache_read_input_tokens: 90_000,
      output_tokens: 1_000,
    };
    expect(computeCost(usage, price!)).toBeCloseTo(
      (1_000 * 0.1 + 9_000 * 0.125 + 90_000 * 0.01 + 1_000 * 0.5) / 1e6,
      12,
    );
    const longer = { ...usage, input_tokens: 1_001 };
    expect(computeCost(longer, price!)).toBeCloseTo(
      (1_001 * 0.5 + 9_000 * 0.625 + 90_000 * 0.05 + 1_000 * 2.5) / 1e6,
      12,
    );
  });

  test('are half for an answer of a batch, and twice the input for an hour in the cache (13.11)', () => {
    const price = toPrice(table.models['claude-opus-5-5']!)!;
    const usage = {
      input_tokens: 100,
      cache_creation_input_tokens: 1000,
      cache_read_input_tokens: 10,
      output_tokens: 50,
    };
    const hourly = { ...usage, cache_creation: { ephemeral_1h_input_tokens: 600 } };
    const live = (100 * 4 + 400 * 5 + 600 * 8 + 10 * 0.2 + 50 * 20) / 1e6;
    expect(computeCost(hourly, price)).toBeCloseTo(live, 12);
    expect(computeCost({ ...hourly, service_tier: 'batch' }, price)).toBeCloseTo(live / 2, 12);
  });

  test('are undefined while they are not published', () => {
    expect(toPrice(table.models['claude-fable-5-2']!)).toBeUndefined();
  });
});

describe('a broken table names file, line and field', () => {
  test.each([
    ['a wrong type', 'max_output: 64000', 'max_output: lots', /max_output: .*expected number/],
    ['an unknown word', 'thinking: ask', 'thinking: maybe', /thinking: /],
    ['a day that is none', 'retires: 2026-11-30', 'retires: soon', /retires: /],
    ['an alias that is taken', '[claude-sonnet-4-5-20250929]', '[claude-opus-5]', /claude-opus-5 names another model/],
  ])('%s', (_title, from, to, says) => {
    expect(changed(from, to)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    expect(changed(from, to)).toThrow(new RegExp(`^config/models\\.yaml:${lineOf(from)}: models\\.claude-\\S+: ?`));
    expect(changed(from, to)).toThrow(says);
  });

  test('a key that does not belong there', () => {
    expect(changed('    retires: 2026-11-30', '    retired: 2026-11-30')).toThrow(/claude-sonnet-4-5.*retired/);
  });

  test('the same model twice', () => {
    expect(changed('  claude-opus-5: #', '  claude-opus-5-5: #')).toThrow(/^config\/models\.yaml:\d+: /);
  });
});
