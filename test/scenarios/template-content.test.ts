/** What `tandem init` copies: it parses once its name is filled in, proves itself, and meets its target in two iterations. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Brief } from '../../src/scenario/brief.ts';
import { evaluate, passed, type Ending } from './converse.ts';
import { findUnproven, loadComponents, type Components } from './prove.ts';
import {
  copyFolder,
  fileActs,
  openSimulation,
  playTurn,
  scriptOf,
  sourcesOf,
  turnFor,
  unusedFiles,
  type Tree,
} from './script-tree.ts';
import { summaryOf } from './shipped-suite.ts';
import { formatOf, outputDir, rulesOf } from './shipped.ts';

const TEMPLATE = join(import.meta.dirname, '../../templates/scenario');
const read = (path: string): string => readFileSync(join(TEMPLATE, path), 'utf8');
const filled = (name: string, title: string): Brief =>
  Brief.parse(
    parse(
      read('scenario.yaml')
        .replaceAll('__NAME__', name)
        .replaceAll('__TITLE__', () => title),
    ),
  );

const simulation = openSimulation(join(TEMPLATE, 'simulation'));
const execute = scriptOf(simulation, 'execute');
const turns = {
  design: turnFor(scriptOf(simulation, 'init'), '<scenario_brief round="1" scenario="loans"'),
  first: turnFor(execute, '<init_to_execute_context round="1" iteration="1" execution_output_dir='),
  second: turnFor(execute, '<iteration_context round="1" iteration="2" execution_output_dir='),
};

const tree: Tree = sourcesOf(TEMPLATE, filled('loans', 'Loans').reads);
const handedIn: Components[] = [];
const endings: Ending[][] = [];

beforeAll(async () => {
  playTurn(simulation, turns.design, tree);
  playTurn(simulation, turns.first, tree);
  copyFolder(tree, outputDir(1), outputDir(2));
  playTurn(simulation, turns.second, tree);
  const prompt = formatOf(tree, 1).subject_prompt;
  for (const iteration of [1, 2]) {
    const components = await loadComponents(tree, outputDir(iteration));
    handedIn.push(components);
    endings.push(await evaluate(components, scriptOf(simulation, 'subject'), prompt));
  }
});

describe('the template of a scenario', () => {
  test.each(['Loans', "Ada's desk: refunds", '"quoted" #1'])('parses with the title %s', (title) => {
    expect(filled('my-scenario', title)).toMatchObject({ name: 'my-scenario', title });
  });

  test('holds three rules, two tools, two checkers and three samples that cover each other', () => {
    const ids = rulesOf(tree, 1).rules.map(({ id }) => id);
    const [first] = handedIn;
    expect([ids.length, first?.tools.size, first?.checkers.size, first?.samples.length]).toEqual([3, 2, 2, 3]);
    expect([...new Set(first?.samples.flatMap(({ covers }) => covers))].toSorted()).toEqual(ids);
    expect([...(first?.checkers.values() ?? [])].flatMap(({ spec }) => spec.rules).toSorted()).toEqual(ids);
  });

  test('proves itself in both iterations', () => {
    expect(handedIn.map(findUnproven)).toEqual([[], []]);
  });

  test('fails once by a tool, and meets its target after the repair', () => {
    const failed = endings.map((ending) => ending.filter((one) => !passed(one)).map(({ sample }) => sample));
    expect(failed).toEqual([['renew-once'], []]);
    expect(endings[0]?.find(({ sample }) => sample === 'renew-once')?.threw[0]).toMatch(/^find_loan: TypeError/);
    expect(2 / 3).toBeLessThan(filled('loans', 'Loans').target);
  });

  test('never does the same to the same file twice, and uses every file it brings', () => {
    const acts = fileActs([turns.first, turns.second]);
    expect(acts.filter((act, index) => acts.indexOf(act) !== index)).toEqual([]);
    expect(unusedFiles(simulation)).toEqual([]);
  });

  test.each(['init', 'execute'])('gives %s a summary in the fields that are asked of it', (who) => {
    const schema = summaryOf(who);
    for (const turn of scriptOf(simulation, who).turns) expect(schema.safeParse(turn.summary).error).toBeUndefined();
  });

  test('leaves no placeholder where it would not be filled in', () => {
    for (const [path, content] of tree) {
      if (!path.startsWith('scenario/')) expect(content, path).not.toContain('__');
    }
  });
});
