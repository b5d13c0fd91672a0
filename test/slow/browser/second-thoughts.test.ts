/** Taking a decision back and asking Init, in a real browser: with a mouse, with keys, and without scripts. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { standingOf } from '../../support/waiting-project.ts';
import { eachServed, KEEP, PLACES } from './browser.ts';
import { findings } from './findings.ts';

const here = eachServed();
const statusOf = async (run: string) => (await standingOf(here.project, run)).status;

async function looksRight(page: Page, picture: string, width: number): Promise<void> {
  expect(await findings(page)).toEqual([]);
  expect(Number(await page.evaluate('document.documentElement.scrollWidth'))).toBeLessThanOrEqual(width);
  if (KEEP !== undefined) await page.screenshot({ path: `${KEEP}/review-${picture}.png` });
}

describe('undo', () => {
  test.each([
    ['with a mouse', true, 1100],
    ['without scripts, on a phone', false, 390],
  ])('%s: approve, take it back, ask for changes instead', async (_how, scripts, width) => {
    const { page, faults } = await here.tab({ scripts, width });
    await page.goto(here.url + PLACES.gate);
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
    const { page, context } = await here.tab();
    await page.goto(here.url + PLACES.gate);
    await page.fill('#notes', 'No.');
    await page.click('#to-reject');
    await page.click('#reject button');
    await page.waitForSelector('text=as long as the run exists');
    const other = await context.newPage();
    await other.goto(here.url + PLACES.gate);
    await page.click('.undo button');
    await page.waitForSelector('text=took it back');
    await other.waitForSelector('text=Something happened since this page was made.');
  });

  test('what a page was filtered by stays when its news are shown', async () => {
    const { page } = await here.tab();
    await page.goto(`${here.url}${PLACES.results}?show=failing`);
    await page.waitForSelector('[data-news="status"] >> text=awaiting approval');
    const other = await here.tab();
    await other.page.goto(here.url + PLACES.gate);
    await other.page.fill('#notes', 'R7 needs a sample.');
    await other.page.click('#changes');
    await page.click('#news a');
    await page.waitForURL(/results\?show=failing$/);
  });
});

describe('asking Init', () => {
  test('with a mouse: the answer comes into the page, becomes a comment, and notes stay as they are', async () => {
    const { page, faults } = await here.tab();
    await page.goto(here.url + PLACES.gate);
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
    expect(await statusOf('second')).toBe('designing');
  });

  test('with keys alone: whoever pressed Ask has their place again when the answer is there', async () => {
    const { page } = await here.tab();
    await page.goto(here.url + PLACES.gate);
    await page.focus('#question');
    await page.keyboard.type('And the cost?');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#chat-talk .answer >> text=use as comment');
    await page.waitForSelector('#ask:focus');
  });

  test('what cannot be answered is said, and the question stays in its field', async () => {
    const { page, faults } = await here.tab();
    await page.goto(here.url + PLACES.gate);
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
    const { page } = await here.tab({ scripts: false, width: 390 });
    await page.goto(here.url + PLACES.gate);
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
    const { page } = await here.tab({ width: 390, height: 844, dark: true });
    await page.goto(here.url + PLACES.gate);
    await page.fill('#question', 'Which samples?');
    await page.click('#ask');
    await page.waitForSelector('#chat-talk >> text=Sixteen samples');
    await looksRight(page, 'chat-phone', 390);
  });
});
