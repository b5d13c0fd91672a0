/** Comments on a place and the page of a batch, in a real browser: by mouse, by keys, and without scripts. */
import { expect, test } from 'vitest';
import { digestAt, tandem } from '../../support/cli.ts';
import { standingOf } from '../../support/waiting-project.ts';
import { eachServed, PLACES } from './browser.ts';

const here = eachServed();
const lastComment = async (run: string) => (await standingOf(here.project, run)).comment;

test('changed words are commented on in their row, a line of the diff by the key c, and both go with the answer', async () => {
  const { page, faults } = await here.tab();
  await page.goto(here.url + PLACES.design);
  for (const key of ['j', 'j', 'c']) await page.keyboard.press(key);
  await page.waitForURL(/\/comment\?on=/);
  const anchor = await page.locator('input[name="on"]').inputValue();
  await page.keyboard.type('why so?');
  await page.click('text=Keep the comment');
  await page.waitForURL(/\/design#/);
  await page.click('text=Answer now');
  await page.locator('#R7 a.say').first().click();
  const quoted = (await page.evaluate('document.activeElement.name')) as string;
  expect(quoted).toMatch(/^on\.R7 ".+"$/);
  await page.keyboard.type('which card?');
  await page.keyboard.press('Escape');
  await page.keyboard.press('r');
  await page.keyboard.press('Enter');
  await page.waitForSelector('text=ada asked for changes');
  expect(await lastComment('second')).toBe(`${quoted.slice(3)}: which card?\n${anchor}: why so?`);
  expect(faults).toEqual([]);
});

test('without JavaScript the links lead to a form, and the comment stands in the answer', async () => {
  const { page } = await here.tab({ scripts: false });
  await page.goto(here.url + PLACES.gate);
  await page.locator('#R7 a.say').first().click();
  await page.fill('#text', 'which card?');
  await page.click('text=Keep the comment');
  await page.waitForSelector('#decision');
  expect(await page.locator('textarea[name^="on.R7 "]').inputValue()).toBe('which card?');
  await page.click('#changes');
  await page.waitForSelector('text=ada asked for changes');
  expect(await lastComment('second')).toMatch(/^R7 ".+": which card\?$/);
});

test('the page of a batch moves while it is open, and one reading answers two gates', async () => {
  const watching = await here.tab();
  await watching.page.goto(here.url + PLACES.batch);
  const { page, faults } = await here.tab();
  await page.goto(here.url + PLACES.batch);
  for (const key of ['j', 'j', 'o']) await page.keyboard.press(key);
  await page.waitForURL(/gates\/HITL-1.r2\?also=all/);
  expect(await page.locator('input[name="also"]').isChecked()).toBe(true);
  for (const row of await page.locator('[data-row]').all()) await row.scrollIntoViewIfNeeded();
  await page.click('#approve');
  await page.waitForSelector('text=ada approved');
  const cell = (run: string) => watching.page.locator(`[data-run="${run}"] [data-cell="status"]`);
  await expect.poll(() => cell('second').textContent(), { timeout: 15_000 }).toBe('executing');
  await expect.poll(() => cell('third').textContent(), { timeout: 15_000 }).toBe('executing');
  await watching.page.waitForSelector('#news');
  expect(await watching.page.locator('[data-news="counts"]').textContent()).toContain('1 waiting at a gate');
  expect([...faults, ...watching.faults]).toEqual([]);
});

test('the page of a conversation grows while its agent works, and its reader stays where they are', async () => {
  const { page, faults } = await here.tab({ height: 500 });
  await page.goto(here.url + PLACES.transcript);
  const entries = page.locator('.talk li[id]');
  const before = await entries.count();
  // Far from the end, where the page would follow what comes.
  const shown = page.locator('.talk li[id]:visible');
  const id = await shown.nth(Math.floor((await shown.count()) / 2)).getAttribute('id');
  const place = page.locator(`#${id ?? ''}`);
  const top = async (): Promise<number> => (await place.boundingBox())?.y ?? Number.NaN;
  // The page is read anew once when it is opened, and an element may be replaced just then.
  const inSight = async (): Promise<number> => {
    await place.evaluate((one) => one.scrollIntoView());
    return top();
  };
  await expect.poll(inSight, { timeout: 20_000 }).toBeLessThan(400);
  const at = await top();
  await page.evaluate('document.body.dataset.same = "yes"');
  const words = ['--comment', 'Name the desk.'];
  const digest = await digestAt(here.project, 'second');
  await tandem(here.project, ['gates', 'request-changes', 'second', '--digest', digest, ...words], { USER: 'ada' });
  await tandem(here.project, ['resume', 'second', '--profile', 'demo', '--on-gate', 'exit']);
  await expect.poll(() => entries.count(), { timeout: 20_000 }).toBeGreaterThan(before);
  await expect
    .poll(() => page.locator('[data-news="status"]').textContent(), { timeout: 20_000 })
    .toBe('awaiting approval');
  expect(Math.abs((await top()) - at)).toBeLessThanOrEqual(1);
  expect(await page.evaluate('document.body.dataset.same')).toBe('yes');
  expect(faults).toEqual([]);
});

test('what somebody reads is not folded away when a compaction takes it out of the view', async () => {
  const { page } = await here.tab({ height: 500 });
  await page.goto(here.url + PLACES.transcript);
  const hearNews =
    'new Promise((done) => { addEventListener("renewed", done, { once: true }); dispatchEvent(new Event("news", { cancelable: true })); }).then(() => true)';
  await page.evaluate(hearNews);
  const id = (await page.locator('main section details li[id]').nth(5).getAttribute('id')) ?? '';
  // As it was before the compaction: its entries stand open on the page.
  await page.evaluate(
    `{ const fold = document.getElementById(${JSON.stringify(id)}).closest('details'); fold.replaceWith(...fold.children); document.getElementById(${JSON.stringify(id)}).scrollIntoView(); }`,
  );
  const place = page.locator(`#${id}`);
  const at = (await place.boundingBox())?.y ?? Number.NaN;
  await page.evaluate(hearNews);
  expect(await place.evaluate((one) => one.closest('details')?.open)).toBe(true);
  expect(Math.abs(((await place.boundingBox())?.y ?? Number.NaN) - at)).toBeLessThanOrEqual(1);
});

test('the page of a batch can be read without JavaScript', async () => {
  const { page } = await here.tab({ scripts: false });
  await page.goto(`${here.url}/`);
  await page.click('text=nightly >> nth=0');
  await page.click('text=Read it once, answer both gates');
  await page.waitForSelector('#approve');
});
