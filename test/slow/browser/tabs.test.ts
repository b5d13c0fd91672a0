/** Many tabs of one browser, which has six connections to a host for all of them. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eachServed, PLACES } from './browser.ts';

const here = eachServed();

/** The browser of this test takes every tab for visible: what a tab is told when people turn to another is said to it here. */
const turn = (page: Page, to: 'hidden' | 'visible') =>
  page.evaluate(
    `Object.defineProperty(document, 'visibilityState', { value: '${to}', configurable: true });
     document.dispatchEvent(new Event('visibilitychange'));`,
  );

test('a seventh page opens and answers, and one that is turned to again hears what has happened', async () => {
  const { page, context, faults } = await here.tab();
  await page.goto(here.url + PLACES.gate);
  await turn(page, 'hidden');
  for (const path of [PLACES.first, PLACES.run, PLACES.results, PLACES.batch, PLACES.transcript, PLACES.sample]) {
    const other = await context.newPage();
    await other.goto(here.url + path);
    await turn(other, 'hidden');
  }
  const last = await context.newPage();
  await last.goto(here.url + PLACES.gate);
  await last.fill('#notes', 'R7 needs a sample.');
  await last.click('#changes');
  await last.waitForSelector('text=ada asked for changes');
  expect(await page.locator('#news').count()).toBe(0);
  await turn(page, 'visible');
  await page.waitForSelector('#news >> text=This gate was answered elsewhere.');
  expect(faults).toEqual([]);
});
