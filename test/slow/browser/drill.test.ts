/** Practice in a real browser: the same page, marked before and after, and the real run does not know of it. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { start } from '../../support/cli.ts';
import { standingOf } from '../../support/waiting-project.ts';
import { eachServed, launch } from './browser.ts';
import { findings } from './findings.ts';

const here = eachServed();
const PICTURES = process.env['PICTURES'];

/** Three widths, the narrowest and the widest in the dark too: nothing for axe, nothing wider than the screen. */
async function lookAt(page: Page, name: string): Promise<void> {
  const before = page.viewportSize();
  for (const [width, colorScheme] of [
    [1280, 'dark'],
    [768, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    expect(await findings(page)).toEqual([]);
    expect(Number(await page.evaluate('document.documentElement.scrollWidth'))).toBeLessThanOrEqual(width);
    if (PICTURES !== undefined)
      await page.screenshot({ path: `${PICTURES}/drill-${name}-${width}-${colorScheme}.png` });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (before !== null) await page.setViewportSize(before);
}

test.each([
  [true, 1280],
  [false, 390],
])('a planted conflict is caught on the page (scripts %s, %i px)', async (scripts, width) => {
  const before = await standingOf(here.project, 'second');
  const child = start(here.project, ['gates', 'drill', 'refund-desk', '--defect', 'conflict', '--page', '--json'], {
    USER: 'ada',
  });
  const address = await new Promise<string>((settle) => {
    let text = '';
    child.stderr?.on('data', (part: string) => {
      text += part;
      const found = /Practice page\s+(\S+)\n/.exec(text)?.[1];
      if (found !== undefined) settle(found);
    });
  });
  const browser = await launch();
  const page = await browser.newPage({ javaScriptEnabled: scripts, viewport: { width, height: 800 } });
  await page.goto(address);
  const { origin, searchParams } = new URL(address);
  // The page of the sign-in leads on by itself.
  await page.waitForURL(origin + (searchParams.get('to') ?? ''));
  await page.waitForSelector('text=One defect was planted in this copy');
  expect(await page.textContent('#disputed, main')).toContain('neither goes first');
  if (scripts) await lookAt(page, 'before');
  expect(Number(await page.evaluate('document.documentElement.scrollWidth'))).toBeLessThanOrEqual(width);
  const ids = /(R\d+) demands[^,]*, (R\d+) demands/.exec((await page.textContent('main')) ?? '');
  await page.fill('#notes', `${ids?.[1]} and ${ids?.[2]} disagree.`);
  await page.click('#changes');
  await page.waitForSelector('text=Practice is over. Caught in');
  if (scripts) await lookAt(page, 'after');
  await browser.close();
  child.kill('SIGTERM');
  const { stdout } = await child.done;
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ kind: 'conflict', outcome: 'caught' });
  expect(await standingOf(here.project, 'second')).toEqual(before);
});
