/** What a reviewer writes, marks and edits, in a real browser: by keys, on a phone, without a script, and after leaving. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { standingOf } from '../../support/waiting-project.ts';
import { eachServed, PLACES } from './browser.ts';

const here = eachServed();

/** Links, buttons and fields that a thumb misses; a link within a sentence has the height of its line. */
const SMALL = `(() => {
  const isInline = (one) => one.tagName === 'A' && getComputedStyle(one).display === 'inline' &&
    [...one.parentElement.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim().length > 1);
  return [...document.querySelectorAll('a[href], button, summary, select, input:not([type=hidden]), textarea, label:has(input)')]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('label:has(input)') || one.tagName === 'LABEL')
    .filter((one) => !isInline(one) && !one.classList.contains('skip'))
    .map((one) => [one.getBoundingClientRect(), one])
    .filter(([{ width, height }]) => width > 0 && (height < 23.5 || width < 23.5))
    .map(([{ width, height }, one]) => Math.round(width) + 'x' + Math.round(height) + ' ' + one.outerHTML.slice(0, 90));
})()`;

test('on a phone nothing that is pressed is smaller than 24 px', async () => {
  const { page } = await here.tab({ width: 390, height: 844 });
  const found: Record<string, unknown> = {};
  for (const [name, path] of Object.entries(PLACES)) {
    await page.goto(here.url + path);
    await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true;`);
    const small = (await page.evaluate(SMALL)) as string[];
    if (small.length > 0) found[name] = small;
  }
  expect(found).toEqual({});
});

test('a mark is set by its key, and is there in another browser and without a script', async () => {
  const { page, faults } = await here.tab({ width: 1440 });
  await page.goto(here.url + PLACES.gate);
  await page.keyboard.press('j');
  const kept = page.waitForResponse(/\/mark$/);
  await page.keyboard.press('v');
  expect((await kept).status()).toBe(204);
  const marked = await page.locator('button.mark[aria-pressed="true"]').getAttribute('value');
  const other = await here.tab({ scripts: false });
  await other.page.goto(here.url + PLACES.gate);
  expect(await other.page.textContent('main')).toContain('1 change that you have reviewed');
  await other.page.click('text=1 change that you have reviewed');
  await other.page.click('button.mark[aria-pressed="true"]');
  await page.reload();
  expect(await page.locator(`button.mark[value="${marked}"]`).getAttribute('aria-pressed')).toBe('false');
  expect(faults).toEqual([]);
});

test('one rule is edited without a script: fields, patch, approval; the rest of the file stays byte for byte', async () => {
  const { page } = await here.tab({ scripts: false });
  await page.goto(here.url + PLACES.edit);
  await page.click('a:text-is("R3")');
  const text = await page.inputValue('#rule-text');
  await page.fill('#rule-text', text.replace('day 30', 'day 40'));
  await page.click('text=Keep, and show the patch');
  await page.waitForSelector('text=Your edit is a valid design');
  expect(await page.locator('ins').first().textContent()).toContain('40');
  if ((await page.locator('#confirm').count()) > 0) await page.fill('#confirm', 'accept');
  await page.click('text=Approve the edited design');
  await page.waitForSelector('text=ada approved with edits');
  const { comment } = await standingOf(here.project, 'second');
  expect(comment).toBe('');
  const runs = join(here.project, 'scenarios/refund-desk/runs/second');
  const edited = (await readdir(join(runs, 'design'))).find((name) => name.startsWith('r2-edited-')) ?? '';
  const [before, after] = await Promise.all(
    ['r2', edited].map((place) => readFile(join(runs, 'design', place, 'business_rules.yaml'), 'utf8')),
  );
  const changed = (after ?? '').split('\n').filter((line) => !(before ?? '').includes(line));
  expect(changed).toHaveLength(1);
  expect(changed[0]).toContain('day 40');
});

test('an edit that was left is there again, in the file and as a patch; words typed signed out are not lost', async () => {
  const { page, context, faults } = await here.tab({ width: 1440 });
  await page.goto(here.url + PLACES.edit);
  await page.click('text=The files');
  const field = page.locator('textarea[name="file.business_rules.yaml"]');
  await field.fill((await field.inputValue()).replace('day 30', 'day 40'));
  await page.waitForSelector('text=Saved as a draft');
  await page.goto(here.url + PLACES.queue);
  await page.goto(here.url + PLACES.edit);
  await page.waitForSelector('text=Your edit is a valid design');
  expect(await field.inputValue()).toContain('day 40');
  await page.click('text=Drop the edit');
  await page.waitForSelector('#decision');
  await context.clearCookies();
  await page.fill('#notes', 'typed after signing out');
  await page.waitForSelector('#draft-told.loud-text');
  expect(await page.inputValue('#notes')).toBe('typed after signing out');
  expect(faults).toEqual([]);
});

test('a rule is edited, and the gate answered, by keys alone in the dark', async () => {
  const { page, faults } = await here.tab({ dark: true });
  await page.goto(here.url + PLACES.gate);
  await page.keyboard.press('e');
  await page.waitForURL(/\/edit$/);
  await page.locator('a:text-is("R1")').focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\?rule=R1$/);
  await page.locator('#rule-title').focus();
  await page.keyboard.press('End');
  await page.keyboard.type(' of all');
  await page.locator('text=Keep, and show the patch').focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector('text=Your edit is a valid design');
  await page.locator('text=Approve the edited design').focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector('text=ada approved with edits');
  expect(faults).toEqual([]);
});
