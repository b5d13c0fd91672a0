/** The whole story from the queue to the decision: by mouse, by keys alone, without scripts, and by two at once. */
import { describe, expect, test } from 'vitest';
import { tandem } from '../../support/cli.ts';
import { standingOf } from '../../support/waiting-project.ts';
import { eachServed, PLACES } from './browser.ts';

const here = eachServed();
const standing = (run: string) => standingOf(here.project, run);

describe('a reviewer', () => {
  test('with a mouse: queue, changes, evidence, a comment on a rule, approve', async () => {
    const { page, faults } = await here.tab();
    await page.click(`a[href="${PLACES.gate}"]`);
    await page.click('#R7 .because summary');
    await page.click('#R7 a.proof >> nth=0');
    await page.waitForURL(/samples\/damaged-paid-by-gift-card/);
    await page.goBack();
    await page.click('#R7 .note-on summary');
    await page.fill('textarea[name="on.R7"]', 'good');
    for (const row of await page.locator('[data-row]').all()) await row.scrollIntoViewIfNeeded();
    await page.click('text="no" >> nth=0');
    await page.click('#approve');
    await page.waitForSelector('text=ada approved');
    expect(faults).toEqual([]);
    const { status, comment } = await standing('second');
    expect(status).toBe('executing');
    expect(comment).toMatch(/^R7: good/);
  });

  test('with keys alone: rows, comment, request changes', async () => {
    const { page, faults } = await here.tab();
    await page.goto(here.url + PLACES.gate);
    for (const key of ['j', 'j', 'c']) await page.keyboard.press(key);
    await page.keyboard.type('from when?');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    expect(await page.locator('#keys').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    expect(await page.evaluate(`document.activeElement.id`)).toBe('approve');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForSelector('text=ada asked for changes');
    expect((await standing('second')).comment).toBe('R8: from when?');
    expect(faults).toEqual([]);
  });

  test('the keys o, d, e and J lead to a sample, the design, its edit and the next gate', async () => {
    const { page } = await here.tab();
    const places = { o: /samples\/damaged-paid-by-gift-card/, d: /\/design$/, e: /\/edit$/, J: /\/runs\/third\/gates/ };
    for (const [key, where] of Object.entries(places)) {
      await page.goto(here.url + PLACES.gate);
      await page.keyboard.press('j');
      await page.keyboard.press(key);
      await page.waitForURL(where);
    }
  });

  test('what was never on the screen takes a second press, and a doubt its word', async () => {
    const { page } = await here.tab({ height: 600 });
    await page.goto(here.url + PLACES.first);
    await page.click('#approve');
    expect(await page.textContent('#told')).toMatch(/rows were not on your screen yet/);
    await page.click('#approve');
    expect(await page.textContent('#told')).toMatch(/Type the word/);
    expect((await standing('first')).status).toBe('awaiting_approval');
  });

  test('without JavaScript: approve and reject', async () => {
    const { page } = await here.tab({ scripts: false });
    await page.goto(here.url + PLACES.gate);
    await page.fill('#notes', 'read without scripts');
    await page.click('#approve');
    await page.waitForSelector('text=ada approved');
    await page.goto(here.url + PLACES.first);
    await page.click('#reject summary');
    await page.fill('#notes', 'not this desk');
    await page.click('#reject button');
    await page.waitForSelector('text=ada rejected');
    expect([(await standing('second')).status, (await standing('first')).status]).toEqual(['executing', 'rejected']);
  });

  test('edits, sees the patch, approves it', async () => {
    const { page, faults } = await here.tab();
    await page.goto(here.url + PLACES.edit);
    await page.click('text=The files');
    const field = page.locator('textarea[name="file.business_rules.yaml"]');
    await field.fill((await field.inputValue()).replace('day 30', 'day 40'));
    await page.click('text=Check and show the patch');
    await page.waitForSelector('text=Your edit is a valid design');
    expect(await page.locator('ins').first().textContent()).toContain('40');
    await page.click('text=Approve the edited design');
    await page.waitForSelector('text=ada approved with edits');
    expect(faults).toEqual([]);
  });

  test('one answer for the same change in two runs', async () => {
    const { page } = await here.tab();
    await page.goto(here.url + PLACES.gate);
    for (const row of await page.locator('[data-row]').all()) await row.scrollIntoViewIfNeeded();
    await page.check('input[name="also"]');
    await page.click('#approve');
    await page.waitForSelector('text=ada approved');
    expect((await standing('third')).status).toBe('executing');
  });
});

describe('two at once', () => {
  test('the page of the second says that it was answered, disables its buttons, and keeps what was written', async () => {
    const [one, two] = [await here.tab(), await here.tab()];
    await one.page.goto(here.url + PLACES.first);
    await two.page.goto(here.url + PLACES.first);
    await two.page.fill('#notes', 'my long thoughts');
    await tandem(here.project, ['gates', 'list']);
    await one.page.fill('#notes', 'no');
    await one.page.keyboard.press('Escape');
    await one.page.keyboard.press('x');
    await one.page.keyboard.press('Enter');
    await one.page.waitForSelector('text=ada rejected');
    await two.page.waitForSelector('#news', { timeout: 10_000 });
    expect(await two.page.textContent('#news')).toContain('This gate was answered elsewhere.');
    expect(await two.page.isDisabled('#approve')).toBe(true);
    expect(await two.page.inputValue('#notes')).toBe('my long thoughts');
    await two.page.click('#news a');
    await two.page.waitForSelector('text=ada rejected');
  });
});

describe('a link that was followed from another site', () => {
  test('leads in when the browser is signed in already', async () => {
    const { page } = await here.tab();
    await page.goto('data:text/html,<title>elsewhere</title>');
    await page.setContent(`<a id="link" href="${here.url}${PLACES.gate}">review</a>`);
    await page.click('#link');
    await page.waitForSelector('#approve');
  });
});
