/** A report on paper, and wide tables on a laptop, in a real browser. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { makeProject, tandem } from '../../support/cli.ts';
import { serve } from '../../support/waiting-project.ts';
import { eachServed, KEEP, launch, openTab, PLACES } from './browser.ts';

const MOST_PAGES = 3;

/** Counts the pages of a page's PDF on A4; kept beside the pictures where these are kept. */
async function countPrinted(page: Page, name: string): Promise<number> {
  const paper = await page.pdf({ format: 'A4', ...(KEEP === undefined ? {} : { path: `${KEEP}/print-${name}.pdf` }) });
  const pages = paper.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  console.info(`${name}: ${pages} pages`);
  if (KEEP !== undefined) {
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 725, height: 1055 });
    await page.screenshot({ path: `${KEEP}/review-print-${name}.png`, fullPage: true });
    await page.emulateMedia({ media: null });
    await page.setViewportSize({ width: 1280, height: 800 });
  }
  return pages;
}

const here = eachServed();

test('the report of a run with two rounds is printed on at most three pages', async () => {
  const browser = await launch();
  const page = await browser.newPage();
  const file = join(here.project, 'scenarios/refund-desk/runs/second/out/report.html');
  await page.goto(pathToFileURL(file).href);
  expect(await countPrinted(page, 'report')).toBeLessThanOrEqual(MOST_PAGES);
  await browser.close();
});

test.each([1280, 640, 390])(
  'no table of a page is cut at %i px: a laptop, its zoom of 200 %%, and a phone',
  async (width) => {
    const { page } = await here.tab({ width, height: 800 });
    const cut: string[] = [];
    for (const place of [PLACES.queue, PLACES.run, PLACES.runs, PLACES.results, PLACES.batch, PLACES.compare]) {
      await page.goto(here.url + place);
      const wide = await page.evaluate(
        `[...document.querySelectorAll('.scroll:has(table)')].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.getAttribute('aria-label') + ' ' + one.scrollWidth + ' > ' + one.clientWidth)`,
      );
      cut.push(...(wide as string[]).map((one) => `${place}: ${one}`));
    }
    expect(cut).toEqual([]);
  },
);

test('gates and trials are printed on at most three pages, with all that a reviewer reads', async () => {
  const { page } = await here.tab({ width: 1280, height: 800 });
  const printed: Record<string, number> = {};
  for (const place of [
    'first',
    'gate',
    'answered',
    'trial',
    'sample',
    'call',
    'results',
    'compare',
    'batch',
  ] as const) {
    await page.goto(here.url + PLACES[place]);
    printed[place] = await countPrinted(page, place);
  }
  expect(Object.entries(printed).filter(([, pages]) => pages > MOST_PAGES)).toEqual([]);
  await page.goto(here.url + PLACES.first);
  await page.emulateMedia({ media: 'print' });
  for (const hidden of ['nav.site', '.bar', 'textarea', '#approve', '.choices', '#answer-title'])
    expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false);
  for (const shown of ['#disputed-title + ul', '#rules-title', '#questions-title', '#R8 .words', '#R1 .words'])
    expect(await page.locator(shown).first().isVisible(), shown).toBe(true);
});

test.each(['tariff-desk', 'clinic-booking'])('the first gate of %s is printed on at most three pages', async (name) => {
  const project = await makeProject(name);
  await tandem(project, ['run', name, '--profile', 'demo', '--on-gate', 'exit', '--id', 'one']);
  const served = await serve(project);
  const browser = await launch();
  const { page } = await openTab(browser, served, { width: 1280, height: 800 });
  await page.goto(`${served.url}/runs/one/gates/HITL-1.r1`);
  expect(await countPrinted(page, name)).toBeLessThanOrEqual(MOST_PAGES);
  await browser.close();
  await served.stop();
});
