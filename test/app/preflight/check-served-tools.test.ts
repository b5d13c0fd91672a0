/** Before a run: the servers of the subject start, can be read and set; what is wrong is named with its line. */
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { toolWorlds } from '../../../src/app/open-tool-worlds.ts';
import { checkServedTools } from '../../../src/app/preflight/check-run.ts';
import { parseYaml } from '../../../src/config/yaml-file.ts';
import { Brief } from '../../../src/scenario/brief.ts';
import { scratch } from '../../support/scratch.ts';

const PROGRAM = resolve('test/support/world-server.mjs');
const HEAD =
  'version: 1\nname: desk\ntitle: D\nreads: [brief.md]\nsamples: { min: 1, categories: [a] }\nsubject: { model: m }\n';

async function check(tools: string) {
  const dir = await scratch();
  const text = HEAD + tools;
  const brief = parseYaml(text, Brief, 'scenario.yaml');
  const open = toolWorlds({ PATH: process.env['PATH'] });
  const findings = await checkServedTools({ brief, dir, text }, open, new AbortController().signal);
  return findings.map(({ level, where, what }) => `${level} ${where} ${what}`);
}

const serverLine = (name: string, more: string) =>
  `    - { name: ${name}, command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(PROGRAM)}, good], ${more} }\n`;

test('a scenario without servers, and one whose servers are well', async () => {
  expect(await check('')).toEqual([]);
  expect(
    await check(`tools:\n  mcp:\n${serverLine('shop', 'reset: { tool: set_world }, state: { tool: read_world }')}`),
  ).toEqual([]);
});

test('one whose program cannot be started, and one that has no such tool', async () => {
  const gone = '    - { name: gone, command: [./no-such-program], reset: { tool: a }, state: { tool: b } }\n';
  const other = serverLine('other', 'reset: { tool: begin_again }, state: { tool: read_world }');
  const found = await check(`tools:\n  mcp:\n${gone}${other}`);
  expect(found).toEqual([
    expect.stringMatching(
      /^error scenarios\/desk\/scenario\.yaml:9 The server of tools "gone" cannot be used: .*cannot be started/,
    ),
    'error scenarios/desk/scenario.yaml:10 The server of tools "other" has no tool "begin_again", which reset or state names.',
  ]);
});

test('a variable that it needs and nobody has set', async () => {
  const [found] = await check(
    `tools:\n  mcp:\n${serverLine('shop', 'env: [SHOP_TOKEN], reset: { tool: set_world }, state: { tool: read_world }')}`,
  );
  expect(found).toMatch(/^error scenarios\/desk\/scenario\.yaml:7 .*"shop" needs SHOP_TOKEN/);
});
