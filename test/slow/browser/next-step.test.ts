/** The next step in a real browser: a button where the server may start work, the command where it may not, and a process that was killed. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { digestAt, start, tandem } from '../../support/cli.ts';
import { serve, standingOf } from '../../support/waiting-project.ts';
import { eachServed, launch, openTab, PLACES } from './browser.ts';
import { findings } from './findings.ts';

const here = eachServed();

test.each([
  [true, 1280],
  [false, 390],
])(
  'serve --work: approve, Go on, and the run ends without a terminal (scripts %s, %i px)',
  async (scripts, width) => {
    const served = await serve(here.project, 'ada', '--work');
    const browser = await launch();
    const { page, faults } = await openTab(browser, served, { scripts, width, height: 800 });
    await page.goto(served.url + PLACES.gate);
    await page.click('#approve');
    if (scripts) await page.click('#approve');
    await page.waitForSelector('.next-step >> text=Nothing is running it.');
    const box = await page.locator('.next-step button').boundingBox();
    expect((box?.y ?? 9999) + (box?.height ?? 0)).toBeLessThanOrEqual(800);
    if (scripts) expect(await findings(page)).toEqual([]);
    expect(Number(await page.evaluate('document.documentElement.scrollWidth'))).toBeLessThanOrEqual(width);
    await page.click('.next-step button');
    await page.waitForURL(served.url + PLACES.run);
    expect(await page.locator('text=Nothing is running it.').count()).toBe(0);
    for (let left = 240; (await standingOf(here.project, 'second')).status === 'executing' && left > 0; left -= 1)
      await delay(500);
    expect((await standingOf(here.project, 'second')).status).toBe('succeeded');
    await page.goto(served.url + PLACES.run);
    expect(await page.textContent('.next-step')).toContain('The run has ended. Read what passed and what failed:');
    expect(await page.getAttribute('.next-step a.button', 'href')).toBe(PLACES.results);
    expect(faults).toEqual([]);
    await browser.close();
    await served.stop();
  },
  240_000,
);

test('without --work the page gives the command; a killed process is nothing that runs', async () => {
  const { page } = await here.tab({ width: 1280, height: 800 });
  await tandem(here.project, [
    'gates',
    'approve',
    'second',
    '--digest',
    await digestAt(here.project, 'second'),
    '--accept',
  ]);
  const child = start(here.project, ['resume', 'second', '--profile', 'demo', '--on-gate', 'exit']);
  const shows = async (text: string) => {
    for (let left = 100; left > 0; left -= 1) {
      await page.goto(here.url + PLACES.run);
      if ((await page.textContent('.next-step'))?.includes(text) === true) return;
      await delay(100);
    }
    throw new Error(`The page never said: ${text}`);
  };
  await shows('It is being worked on');
  child.kill('SIGKILL');
  await child.done;
  await shows('Nothing is running it.');
  expect(await page.textContent('.next-step code')).toBe('tandem resume second');
  expect(await page.locator('.next-step button').count()).toBe(0);
});
