/** Taking a decision back and asking Init, in a real browser: with a mouse, with keys, and without scripts. */
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lastJson, tandem } from '../../support/cli.ts';
import { copyOf, serve, waitingProject, type Served } from '../../support/waiting-project.ts';
import { launch, openTab, PLACES } from './browser.ts';

/** Set to a folder to keep the pictures. */
const KEEP = process.env['PICTURES'];

let master: string;
let browser: Browser;
let project: string;
let served: Served;
let axe: string;

beforeAll(async () => {
  master = await waitingProject();
  browser = await launch();
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  if (KEEP !== undefined) await mkdir(KEEP, { recursive: true });
}, 120_000);
afterAll(() => browser.close());
beforeEach(async () => {
  project = await copyOf(master);
  served = await serve(project);
});
afterEach(() => served.stop());

const statusOf = async (run: string) => lastJson(await tandem(project, ['status', run, '--json']))['status'];

type Found = { id: string; impact: string; nodes: { html: string }[] };

async function looksRight(page: Page, picture: string, width: number): Promise<void> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate(
    'axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] })',
  )) as { violations: Found[] };
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(serious.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)])).toEqual([]);
  expect(Number(await page.evaluate('document.documentElement.scrollWidth'))).toBeLessThanOrEqual(width);
  if (KEEP !== undefined) await page.screenshot({ path: `${KEEP}/review-${picture}.png` });
}

describe('undo', () => {
  test.each([
    ['with a mouse', true, 1100],
    ['without scripts, on a phone', false, 390],
  ])('%s: approve, take it back, ask for changes instead', async (_how, scripts, width) => {
    const { page, faults } = await openTab(browser, served, { scripts, width });
    await page.goto(served.url + PLACES.gate);
    await page.fill('#confirm', 'accept');
    await page.click('#approve');
    if (scripts) await page.click('#approve');
    await page.waitForSelector('text=Second thoughts?');
    expect(await statusOf('second')).toBe('executing');
    expect(await page.textContent('.undo')).toContain('until Execute makes its first paid call');
    if (scripts) await looksRight(page, 'undo-light', width);
    await page.click('.undo button');
    await page.waitForSelector('text=ada approved and took it back');
    expect(await statusOf('second')).toBe('awaiting_approval');
    await page.fill('#notes', 'R7 needs a sample.');
    await page.click('#changes');
    await page.waitForSelector('text=ada asked for changes');
    expect(await statusOf('second')).toBe('designing');
    expect(faults).toEqual([]);
  });

  test('a page that is open while the other tab takes the decision back is told', async () => {
    const { page, context } = await openTab(browser, served);
    await page.goto(served.url + PLACES.gate);
    await page.fill('#notes', 'No.');
    await page.click('#to-reject');
    await page.click('#reject button');
    await page.waitForSelector('text=as long as the run is kept');
    const other = await context.newPage();
    await other.goto(served.url + PLACES.gate);
    await page.click('.undo button');
    await page.waitForSelector('text=took it back');
    await other.waitForSelector('text=Something happened since this page was made.');
  });
});

describe('asking Init', () => {
  test('with a mouse: the answer comes into the page, becomes a comment, and notes stay as they are', async () => {
    const { page, faults } = await openTab(browser, served);
    await page.goto(served.url + PLACES.gate);
    await page.fill('#notes', 'My own words.');
    await page.fill('#question', 'How do R7 and R8 go together in @business_rules.yaml?');
    await page.click('#ask');
    await page.waitForSelector('#chat-talk .answer >> text=R7 goes first there');
    await page.waitForSelector('#chat-talk .answer >> text=use as comment');
    expect(await page.textContent('#chat-talk')).toContain('with design/r2/business_rules.yaml');
    expect(await page.inputValue('#question')).toBe('');
    expect(await page.inputValue('#notes')).toBe('My own words.');
    expect(await page.locator('#news').count()).toBe(0);
    await looksRight(page, 'chat-light', 1100);
    await page.click('#chat-talk >> text=use as comment');
    expect(await page.inputValue('#notes')).toMatch(
      /^My own words\.\nI asked: How do R7 and R8[^]*\nInit answered: R7 sends/,
    );
    await page.fill('#question', 'And the cost?');
    await page.keyboard.press('Control+Enter');
    await page.waitForSelector('#chat-talk .answer >> text=The review pack has the numbers');
    await page.click('#changes');
    await page.waitForSelector('text=ada asked for changes');
    await page.waitForSelector('#chat-talk >> text=And the cost?');
    expect(faults).toEqual([]);
    const events = lastJson(await tandem(project, ['status', 'second', '--json']));
    expect(events['status']).toBe('designing');
  });

  test('what cannot be answered is said, and the question stays in its field', async () => {
    const { page, faults } = await openTab(browser, served);
    await page.goto(served.url + PLACES.gate);
    await page.click('#ask');
    expect(await page.textContent('#chat-told')).toBe('Write a question first.');
    await page.fill('#question', 'What of @busines_rules.yaml?');
    await page.click('#ask');
    await page.waitForSelector('#chat-told >> text=Did you mean @design/r2/business_rules.yaml?');
    expect(await page.inputValue('#question')).toBe('What of @busines_rules.yaml?');
    expect(await page.locator('#chat-talk li').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('without scripts, on a phone: one form does it all, and keeps what was written', async () => {
    const { page } = await openTab(browser, served, { scripts: false, width: 390 });
    await page.goto(served.url + PLACES.gate);
    await page.fill('#notes', 'My own words.');
    await page.fill('#question', 'Which rules are there?');
    await page.click('#ask');
    await page.waitForSelector('#chat-talk >> text=Thirteen rules');
    expect(await page.inputValue('#notes')).toBe('My own words.');
    await page.click('text=use as comment');
    await page.waitForLoadState();
    expect(await page.inputValue('#notes')).toContain(
      'My own words.\nI asked: Which rules are there?\nInit answered: Thirteen',
    );
    await page.click('#changes');
    await page.waitForSelector('text=ada asked for changes');
    await page.fill('#question', 'And the format?');
    await page.click('#ask');
    await page.waitForSelector('text=One JSON world for each sample');
  });

  test('dark and on a phone it is readable too', async () => {
    const { page } = await openTab(browser, served, { width: 390, height: 844, dark: true });
    await page.goto(served.url + PLACES.gate);
    await page.fill('#question', 'Which samples?');
    await page.click('#ask');
    await page.waitForSelector('#chat-talk >> text=Sixteen samples');
    await looksRight(page, 'chat-phone', 390);
  });
});
