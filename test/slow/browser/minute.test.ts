/** The reviewer's minute in a real browser: few words before a knowing decision, claims beside their evidence, no habit that approves. */
import { expect, test } from 'vitest';
import { standingOf } from '../../support/waiting-project.ts';
import { eachServed, KEEP, PLACES } from './browser.ts';
import { WORDS } from './count-words.ts';

const here = eachServed();

test.each([
  ['a first design', PLACES.first, 250],
  ['a changed one', PLACES.gate, 150],
] as const)('%s takes few words before it can be decided knowingly', async (_what, place, most) => {
  const { page, faults } = await here.tab({ width: 1440 });
  await page.goto(here.url + place);
  if (KEEP !== undefined) await page.screenshot({ path: `${KEEP}/minute-${most}.png`, fullPage: true });
  const words = Number(await page.evaluate(WORDS));
  console.info(`${words} words`);
  expect(words).toBeLessThanOrEqual(most);
  expect(faults).toEqual([]);
});

test.each([
  [1440, 900],
  [390, 844],
])('what is decided, what it costs and what is disputed is on the first screen of %i x %i', async (width, height) => {
  const { page } = await here.tab({ width, height });
  await page.goto(here.url + PLACES.first);
  const bar = (await page.locator('.bar').boundingBox())?.y ?? height;
  for (const place of ['#ask-title', '.facts-row', '#disputed-title', '.checks li >> nth=0']) {
    const box = await page.locator(place).first().boundingBox();
    expect((box?.y ?? height) + Math.min(box?.height ?? 0, 40), place).toBeLessThanOrEqual(bar);
  }
});

test('the disputed rules come first, with the sentence of their source, which leads to its line; the rest is one fold', async () => {
  const { page } = await here.tab({ width: 1440 });
  await page.goto(here.url + PLACES.first);
  const shown = await page.locator('article.claim:visible').evaluateAll((rows) => rows.map(({ id }) => id));
  expect(shown).toEqual(['R7', 'R8']);
  expect(await page.locator('#R7 .beside').textContent()).toContain('word for word in policies/damaged-goods.md');
  expect(await page.locator('#R8 blockquote').textContent()).toContain('namely the one that paid');
  expect(await page.locator('#R8 blockquote').getAttribute('title')).toContain(
    'namely the one that paid, whatever the reason',
  );
  expect(await page.locator('details.fold > summary').textContent()).toBe(
    'Show the other 11 rules: each quotes its source',
  );
  const [left, right] = [
    await page.locator('#R7 .words').boundingBox(),
    await page.locator('#R7 .beside').boundingBox(),
  ];
  expect(right?.x).toBeGreaterThan((left?.x ?? 0) + (left?.width ?? 0));
  await page.click('#R7 .beside a.proof');
  await page.waitForURL(/sources\/policies\/damaged-goods\.md#L\d+$/);
  expect(await page.locator('li:target').textContent()).toContain('Refunds for damaged or wrong goods');
});

test('a reviewed mark outlives a reload; j opens the fold', async () => {
  const { page } = await here.tab({ width: 1440 });
  await page.goto(here.url + PLACES.first);
  await page.keyboard.press('j');
  const kept = page.waitForResponse(/\/mark$/);
  await page.keyboard.press('v');
  await kept;
  expect(await page.locator('#R7 button.mark').getAttribute('aria-pressed')).toBe('true');
  await page.reload();
  expect(await page.locator('#R7 button.mark').getAttribute('aria-pressed')).toBe('true');
  expect(await page.locator('#R8 button.mark').getAttribute('aria-pressed')).toBe('false');
  for (const key of ['j', 'j', 'j']) await page.keyboard.press(key);
  expect(await page.locator('#R1').isVisible()).toBe(true);
});

test('against a doubt the keys alone decide: a, Enter, y, the word, Enter, Enter; y is not typed into the field', async () => {
  const { page } = await here.tab({ width: 1280, height: 800 });
  await page.goto(here.url + PLACES.first);
  await page.keyboard.press('a');
  await page.keyboard.press('Enter');
  await page.keyboard.press('y');
  await page.keyboard.type('accept');
  expect(await page.inputValue('#confirm')).toBe('accept');
  await page.keyboard.press('Enter');
  expect(await page.innerText('#told')).toContain('Enter approves');
  expect((await standingOf(here.project, 'first')).status).toBe('awaiting_approval');
  await page.keyboard.press('Enter');
  await page.waitForSelector('text=ada approved');
});

test('holding Enter, or pressing it again, approves nothing that was never on the screen; y does', async () => {
  const { page } = await here.tab({ width: 390, height: 844 });
  await page.goto(here.url + PLACES.gate);
  await page.evaluate('scrollTo(0, 0)');
  await page.locator('#approve').focus();
  for (let times = 0; times < 6; times += 1) await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await page.keyboard.press('Enter');
  expect((await standingOf(here.project, 'second')).status).toBe('awaiting_approval');
  expect(await page.locator('#told').textContent()).toContain('Press y');
  await page.keyboard.press('y');
  await page.waitForSelector('text=ada approved');
});
