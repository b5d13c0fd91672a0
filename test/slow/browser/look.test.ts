/** Every page in a real browser: nothing serious for axe, nothing wider than a phone, quick to the first paint; pictured. */
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serve, waitingProject, type Served } from '../../support/waiting-project.ts';
import { launch, openTab, PLACES } from './browser.ts';

const VIEWS = [
  ['light', { width: 1100 }],
  ['dark', { width: 1100, dark: true }],
  ['phone', { width: 390, height: 844, dark: false }],
] as const;
/** Pages that are pictured from top to end; the others as they stand on the screen, with the answer bar in its place. */
const WHOLE = new Set(['run', 'sample', 'design', 'transcript', 'batch']);
/** Set to a folder to keep the pictures: docs/pictures was made so. */
const KEEP = process.env['PICTURES'];

let browser: Browser;
let served: Served;
let axe: string;

beforeAll(async () => {
  served = await serve(await waitingProject());
  browser = await launch();
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  if (KEEP !== undefined) await mkdir(KEEP, { recursive: true });
}, 120_000);
afterAll(async () => {
  await browser.close();
  await served.stop();
});

type Found = { id: string; impact: string; nodes: { html: string }[] };

describe.each(VIEWS)('%s', (name, view) => {
  test.each(Object.entries(PLACES))('%s has no serious finding and fits', async (place, path) => {
    const { page, context, faults } = await openTab(browser, served, view);
    await page.goto(served.url + path);
    for (const details of await page.locator('details:not([open])').all())
      await details.evaluate('(one) => { one.open = true; }');
    const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
    expect(width).toBeLessThanOrEqual(view.width);
    // The page's own policy would refuse the checker; evaluating from outside is not part of the page.
    await page.evaluate(axe);
    const { violations } = (await page.evaluate(
      'axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] })',
    )) as { violations: Found[] };
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(serious.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)])).toEqual([]);
    expect(faults).toEqual([]);
    if (KEEP !== undefined) {
      await page.reload();
      await page.waitForTimeout(150);
      await page.screenshot({ path: `${KEEP}/review-${place}-${name}.png`, fullPage: WHOLE.has(place) });
    }
    await context.close();
  });
});

test('the decision screen paints within 300 ms', async () => {
  const { page } = await openTab(browser, served);
  const paints: number[] = [];
  for (let visit = 0; visit < 5; visit += 1) {
    await page.goto(served.url + PLACES.gate);
    await page.waitForTimeout(100);
    paints.push(
      Number(await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 1e9`)),
    );
  }
  expect(paints.toSorted((one, other) => one - other)[2]).toBeLessThan(300);
});
