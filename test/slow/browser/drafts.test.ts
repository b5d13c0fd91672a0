/** What is written survives reloads and restarts: in a real browser, before the real server. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openFileRunStore } from '../../../src/adapters/files/file-run-store.ts';
import type { RunFolder } from '../../../src/ports/run-store.ts';
import { digestAt, tandem } from '../../support/cli.ts';
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
