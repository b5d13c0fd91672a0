/** What is written survives reloads and restarts, and images of a conversation are seen: in a real browser, before the real server. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openFileRunStore } from '../../../src/adapters/files/file-run-store.ts';
import type { RunFolder } from '../../../src/ports/run-store.ts';
import { digestAt, tandem } from '../../support/cli.ts';
import { hashOf, png, say, stored } from '../../support/pictures.ts';
import { standingOf } from '../../support/waiting-project.ts';
import { eachServed, KEEP, PLACES } from './browser.ts';
import { findings } from './findings.ts';

const here = eachServed();

const shoot = async (page: Page, name: string, fullPage = false) => {
  if (KEEP !== undefined) await page.screenshot({ path: `${KEEP}/${name}.png`, fullPage });
};

async function runOf(id: string): Promise<RunFolder> {
  const store = openFileRunStore({
    roots: [join(here.project, 'scenarios')],
    clock: { now: () => new Date() },
    worker: 'w',
  });
  return store.open(id);
}

describe('a draft', () => {
  const kept = (page: Page) => page.waitForSelector('#draft-told:has-text("Saved as a draft")');
  const draftFiles = async (run: string) => readdir(join((await runOf(run)).dir, 'drafts')).catch(() => []);

  test('is there again after a reload, after leaving at once, and after the server was started again', async () => {
    const { page, faults } = await here.tab();
    await page.goto(here.url + PLACES.gate);
    await page.fill('#notes', 'Gift cards, once more.');
    await page.locator('#R7 a.say').first().click();
    await page.keyboard.type('which card?');
    await kept(page);
    await page.locator('#notes').scrollIntoViewIfNeeded();
    await shoot(page, 'draft-kept');
    await page.reload();
    const there = async (on: Page) => [
      await on.inputValue('#notes'),
      await on.locator('textarea[name^="on.R7 "]').inputValue(),
    ];
    expect(await there(page)).toEqual(['Gift cards, once more.', 'which card?']);
    await page.fill('#notes', 'And hurry.');
    await page.goto(`${here.url}/runs`);
    await page.goBack();
    await page.reload();
    expect(await there(page)).toEqual(['And hurry.', 'which card?']);
    await here.restart();
    const again = await here.tab();
    await again.page.goto(here.url + PLACES.gate);
    expect(await there(again.page)).toEqual(['And hurry.', 'which card?']);
    await again.page.click('#changes');
    await again.page.waitForSelector('text=ada asked for changes');
    expect(await draftFiles('second')).toEqual([]);
    expect((await standingOf(here.project, 'second')).comment).toMatch(/^R7 ".+": which card\?\n\nAnd hurry\.$/);
    expect([...faults, ...again.faults]).toEqual([]);
  });

  test('says so while the server is away, and is kept once it is back', async () => {
    const { page } = await here.tab();
    await page.goto(here.url + PLACES.first);
    await page.route('**/draft', (route) => route.abort());
    await page.fill('#notes', 'Nobody hears me.');
    await page.waitForSelector('#draft-told:has-text("Not saved yet")');
    await page.unroute('**/draft');
    await page.locator('#notes').pressSequentially(' Now?');
    await kept(page);
    expect(await draftFiles('first')).toHaveLength(1);
  });

  test('about a design that somebody else answered is offered in the next round, and taken over with one button', async () => {
    const { page, faults } = await here.tab();
    await page.goto(here.url + PLACES.first);
    await page.fill('#notes', 'Who pays for the way back?');
    await page.locator('details.fold > summary').click();
    await page.locator('#R1 .note-on summary').click();
    await page.fill('[name="on.R1"]', 'Which postcode?');
    await kept(page);
    const change = [
      'gates',
      'request-changes',
      'first',
      '--digest',
      await digestAt(here.project, 'first'),
      '--comment',
      'R2: from when?',
    ];
    await tandem(here.project, change, { USER: 'bob' });
    await page.waitForSelector('#news');
    await page.reload();
    expect(await page.locator('.said.mine .quote').allInnerTexts()).toEqual([
      'R1: Which postcode?',
      'Who pays for the way back?',
    ]);
    await shoot(page, 'unsent');
    await tandem(here.project, ['resume', 'first', '--profile', 'demo', '--on-gate', 'exit'], { USER: 'bob' });
    await page.goto(`${here.url}/runs/first/gates/HITL-1.r2`);
    await page.locator('#earlier-title').scrollIntoViewIfNeeded();
    expect(await page.locator('[aria-labelledby="earlier-title"]').innerText()).toMatch(
      /Who pays for the way back\?[\s\S]*from the previous round[\s\S]*R1: Which postcode\?/,
    );
    for (const [name, dark, width] of [
      ['light', false, 1100],
      ['dark', true, 1100],
      ['phone', false, 390],
    ] as const) {
      const look = await here.tab({ dark, width });
      await look.page.goto(`${here.url}/runs/first/gates/HITL-1.r2`);
      await look.page.locator('#earlier-title').scrollIntoViewIfNeeded();
      await shoot(look.page, `earlier-${name}`);
      expect(await look.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(await findings(look.page)).toEqual([]);
      await look.context.close();
    }
    await page.click('button:has-text("Take it over")');
    await page.waitForSelector('#earlier-title', { state: 'detached' });
    expect(await page.inputValue('#notes')).toBe('Who pays for the way back?');
    expect(await page.inputValue('[name="on.R1"]')).toBe('Which postcode?');
    expect(faults).toEqual([]);
  });
});

describe('an image of a conversation', () => {
  const TALK = '/runs/second/transcripts/init';

  test('is painted within the page, large or small, by day and by night; what is none is told in words', async () => {
    const run = await runOf('second');
    const wide = await stored(
      run,
      png(2400, 1000, [
        [31, 95, 191],
        [220, 240, 255],
        [15, 107, 51],
      ]),
    );
    const small = await stored(run, png(12, 12, [[161, 34, 27]]));
    const gone = await stored(run, png(4, 4, [[1, 2, 3]]));
    const lie = await stored(run, Buffer.from('<script>document.title = "owned"</script>'));
    const svg = await stored(
      run,
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
      'image/svg+xml',
    );
    await writeFile(join(run.dir, 'transcripts/images', hashOf(gone)), 'changed');
    await say(run, 'init', [wide, small, gone, lie, svg]);
    for (const [name, dark, width] of [
      ['light', false, 1100],
      ['dark', true, 1100],
      ['phone', false, 390],
    ] as const) {
      const { page, context, faults } = await here.tab({ dark, width });
      await page.goto(here.url + TALK);
      const images = page.locator('img');
      expect(await images.count()).toBe(3);
      for (const at of [0, 1, 2]) {
        await images.nth(at).scrollIntoViewIfNeeded();
        await expect.poll(() => page.evaluate(`document.images[${at}].naturalWidth`)).toBeGreaterThan(0);
        expect((await images.nth(at).boundingBox())?.width ?? 1e9).toBeLessThanOrEqual(Math.min(580, width));
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(await page.locator('.picture-gone').allInnerTexts()).toEqual([
        expect.stringContaining('it holds other bytes than it did'),
        expect.stringContaining('is no image/png, whatever it is called'),
        expect.stringContaining('Images of type image/svg+xml are not shown here'),
      ]);
      expect(await findings(page)).toEqual([]);
      await page.locator('img').first().scrollIntoViewIfNeeded();
      await shoot(page, `pictures-${name}`);
      expect(faults).toEqual([]);
      await context.close();
    }
    const { page } = await here.tab();
    for (const image of [lie, svg]) {
      await page.goto(`${here.url}${TALK}/images/${hashOf(image)}`);
      expect([await page.title(), await page.locator('h1, strong').first().innerText()]).not.toContain('owned');
    }
    await page.goto(`${here.url}${TALK}/images/${hashOf(wide)}`);
    expect(await page.evaluate('document.images.length')).toBe(1);
  });
});
