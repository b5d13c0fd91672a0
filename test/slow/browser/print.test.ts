/** A report on paper, and wide tables on a laptop, in a real browser. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { eachServed, launch, PLACES } from './browser.ts';

const here = eachServed();

test('the report of a run with two rounds is printed on at most three pages', async () => {
  const browser = await launch();
  const page = await browser.newPage();
  const file = join(here.project, 'scenarios/refund-desk/runs/second/out/report.html');
  await page.goto(pathToFileURL(file).href);
  const paper = (await page.pdf({ format: 'A4' })).toString('latin1');
  expect(paper.match(/\/Type\s*\/Page\b/g)?.length).toBeLessThanOrEqual(3);
  await browser.close();
});

test('no table of a page is cut at 1,280 px', async () => {
  const { page } = await here.tab({ width: 1280, height: 800 });
  const cut: string[] = [];
  for (const place of [PLACES.queue, PLACES.run, PLACES.runs, PLACES.results, PLACES.batch, PLACES.compare]) {
    await page.goto(here.url + place);
    const wide = await page.evaluate(
      `[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.getAttribute('aria-label') + ' ' + one.scrollWidth + ' > ' + one.clientWidth)`,
    );
    cut.push(...(wide as string[]).map((one) => `${place}: ${one}`));
  }
  expect(cut).toEqual([]);
});
