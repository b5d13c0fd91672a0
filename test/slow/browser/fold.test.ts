/** On a laptop: few words before anybody scrolls, on every page, and the thing to read first among them. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve, type Served } from '../../support/waiting-project.ts';
import { evaluatedProject, launch, MORE_PLACES, openTab, PLACES } from './browser.ts';
import { WORDS_ABOVE_FOLD } from './count-words.ts';
import { findings } from './findings.ts';

const MOST_WORDS = 250;
const HEIGHT = 800;
/** What covers the foot of the page: the bar with the buttons. */
const BAR = 62;

let browser: Browser;
let served: Served;
let page: Page;

beforeAll(async () => {
  served = await serve(await evaluatedProject());
  browser = await launch();
  ({ page } = await openTab(browser, served, { width: 1280, height: HEIGHT }));
}, 600_000);
afterAll(async () => {
  await browser.close();
  await served.stop();
});

test.each(Object.entries({ ...PLACES, ...MORE_PLACES }))('%s has few words before the fold', async (place, path) => {
  await page.goto(served.url + path);
  const words = Number(await page.evaluate(WORDS_ABOVE_FOLD));
  console.info(`${place}: ${words} words`);
  expect(words).toBeGreaterThan(5);
  expect(words).toBeLessThanOrEqual(MOST_WORDS);
});

test('a session is found from the navigation, and reads like the conversation that it was', async () => {
  await page.goto(`${served.url}/runs`);
  await page.click('nav >> text=Sessions');
  await page.click('a.item');
  await page.waitForURL(/\/sessions\/[^/]+$/);
  expect(await page.innerText('.talk li.user >> nth=0')).toContain('What is in this folder?');
  expect(Number(await page.evaluate(WORDS_ABOVE_FOLD))).toBeLessThanOrEqual(MOST_WORDS);
  expect(await findings(page)).toEqual([]);
});

test.each([
  ['gate', '[data-row] .words'],
  ['first', '#disputed-title + ul li'],
  ['run', '.next-step, a.button'],
  ['sample', '.ask li'],
  ['results', 'td.bad'],
  ['call', 'main p:has-text("vase"), main pre, main code'],
  ['queue', 'a.item'],
] as const)('%s begins with what is to be read first', async (place, first) => {
  await page.goto(served.url + PLACES[place]);
  const box = await page.locator(first).first().boundingBox();
  expect((box?.y ?? HEIGHT) + (box?.height ?? HEIGHT)).toBeLessThanOrEqual(HEIGHT - BAR);
});

test('a failed sample says its sentence before any pointer, and a table names its layers', async () => {
  await page.goto(served.url + PLACES.sample);
  const said = (await page.innerText('.ask')).split('\n').slice(1);
  const pointer = said.findIndex((line) => line.includes('/orders/'));
  const sentence = said.findIndex((line) => line.includes('never said: "bank card"'));
  expect(sentence).toBeGreaterThanOrEqual(0);
  expect(pointer === -1 || sentence < pointer).toBe(true);
  await page.goto(served.url + PLACES.results);
  expect(await page.innerText('main .legend')).toMatch(
    /design\s+the cause is layer 1,[\s\S]*subject\s+the cause is layer 4b,/,
  );
});
