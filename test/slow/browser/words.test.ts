/** Words to the first knowing decision, of every scenario that is shipped: counted in a browser, and the numbers of docs/reviewing.md. */
import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeProject, tandem } from '../../support/cli.ts';
import { serve } from '../../support/waiting-project.ts';
import { launch, openTab } from './browser.ts';
import { WORDS } from './count-words.ts';

const SCENARIOS = ['refund-desk', 'clinic-booking', 'tariff-desk'];
const MOST = { first: 250, changed: 150 };
/** How far a page may be from its number before the number has to be written anew. */
const NEAR = 15;

let browser: Browser;
let page: string;
beforeAll(async () => {
  browser = await launch();
  page = await readFile('docs/reviewing.md', 'utf8');
});
afterAll(() => browser.close());

test.each(SCENARIOS)('%s', async (scenario) => {
  const project = await makeProject(scenario);
  await tandem(project, ['run', scenario, '--profile', 'demo', '--on-gate', 'exit', '--id', 'first']);
  const served = await serve(project);
  try {
    const { page: tab } = await openTab(browser, served, { width: 1440 });
    const wordsAt = async (gate: string): Promise<number> => {
      await tab.goto(`${served.url}/runs/first/gates/${gate}`);
      return Number(await tab.evaluate(WORDS));
    };
    const written = new RegExp(`^\\| \`${scenario}\` \\| (\\d+) .*\\| (\\d+) \\|$`, 'm')
      .exec(page)
      ?.slice(1)
      .map(Number);
    const first = await wordsAt('HITL-1.r1');
    const { stdout } = await tandem(project, ['gates', 'list', '--json']);
    const digest = /"digest":"([0-9a-f]+)"/.exec(stdout)?.[1] ?? '';
    await tandem(project, ['gates', 'request-changes', 'first', '--digest', digest, '--comment', 'Look at R3 again.'], {
      USER: 'ada',
    });
    await tandem(project, ['resume', 'first', '--on-gate', 'exit']);
    const changed = await wordsAt('HITL-1.r2');
    console.info(`${scenario}: ${first} words on a first design, ${changed} on one that was sent back`);
    expect(first).toBeLessThanOrEqual(MOST.first);
    expect(changed).toBeLessThanOrEqual(MOST.changed);
    expect(Math.abs(first - (written?.[0] ?? 0))).toBeLessThanOrEqual(NEAR);
    expect(Math.abs(changed - (written?.[1] ?? 0))).toBeLessThanOrEqual(NEAR);
  } finally {
    await served.stop();
  }
});
