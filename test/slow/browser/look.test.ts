/** Every page in a real browser: nothing for axe, of whatever severity, nothing wider than a phone; pictured. The gate with gaps too. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gapsProject, serve, type Served } from '../../support/waiting-project.ts';
import { evaluatedProject, KEEP, launch, MORE_PLACES, openTab, PLACES, type Tab } from './browser.ts';
import { WORDS_ABOVE_FOLD } from './count-words.ts';
import { findings } from './findings.ts';

const ALL_VIEWS = [
  ['light', { width: 1100 }],
  ['phone-dark', { width: 390, height: 844, dark: true }],
  ['dark', { width: 1100, dark: true }],
  ['phone', { width: 390, height: 844, dark: false }],
  ['laptop', { width: 1280, height: 800 }],
  ['wide', { width: 1920, height: 1080 }],
] as const;
/** CI sees each width and each colour once; TANDEM_STORMS=full sees them crossed. */
const VIEWS = ALL_VIEWS.slice(0, process.env['TANDEM_STORMS'] === 'full' || KEEP !== undefined ? 6 : 2);
/** Pages that are pictured from top to end; the others as they stand on the screen, with the answer bar in its place. */
const WHOLE = new Set(['run', 'sample', 'design', 'transcript', 'batch']);

let browser: Browser;
let served: Served;

beforeAll(async () => {
  served = await serve(await evaluatedProject());
  browser = await launch();
}, 600_000);
afterAll(async () => {
  await browser.close();
  await served.stop();
});

describe.each(VIEWS)('%s', (name, view) => {
  let tab: Tab;
  beforeAll(async () => {
    tab = await openTab(browser, served, view);
  });
  afterAll(() => tab.context.close());

  test.each(Object.entries({ ...PLACES, ...MORE_PLACES }))('%s has no finding and fits', async (place, path) => {
    const { page, faults } = tab;
    faults.length = 0;
    await page.goto(served.url + path);
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
    expect(width).toBeLessThanOrEqual(view.width);
    expect(await findings(page)).toEqual([]);
    expect(faults).toEqual([]);
    if (KEEP !== undefined) {
      await page.reload();
      await page.waitForTimeout(150);
      await page.screenshot({ path: `${KEEP}/review-${place}-${name}.png`, fullPage: WHOLE.has(place) });
    }
  });
});

test.each([390, 768])('at %i pixels a comparison shows the verdicts beside the names of samples', async (width) => {
  const { page, context } = await openTab(browser, served, { width });
  await page.goto(served.url + PLACES.compare);
  const right = Number(
    await page.evaluate('document.querySelector(".pairs tbody td:last-child .pill").getBoundingClientRect().right'),
  );
  expect(right).toBeLessThanOrEqual(width);
  await context.close();
});

test.each(['trial', 'sample', 'transcript', 'call'] as const)('on paper nothing of %s is cut off', async (place) => {
  const { page, context } = await openTab(browser, served);
  await page.goto(served.url + PLACES[place]);
  await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
  const cut =
    'document.querySelectorAll("pre").values().filter((one) => one.scrollHeight > one.clientHeight).toArray().length';
  expect(Number(await page.evaluate(cut))).toBeGreaterThan(0);
  await page.emulateMedia({ media: 'print' });
  expect(await page.evaluate(cut)).toBe(0);
  await context.close();
});

describe('a gate with gaps', () => {
  let gaps: Served;
  beforeAll(async () => {
    gaps = await serve(await gapsProject());
  }, 240_000);
  afterAll(() => gaps.stop());

  test.each(ALL_VIEWS.filter((view) => VIEWS.includes(view) || view[0] === 'laptop'))('%s', async (name, view) => {
    const { page, context, faults } = await openTab(browser, gaps, view);
    await page.goto(`${gaps.url}/runs/gaps/gates/HITL-1.r1`);
    if (KEEP !== undefined) await page.screenshot({ path: `${KEEP}/review-gaps-${name}.png` });
    const disputed = await page.innerText('section[aria-labelledby=disputed-title]');
    expect(disputed).toContain('“a warranty extension” stands in brief.md:20 beside refund, lost card');
    expect(disputed).toContain('Some ask for an old piano to be tuned');
    if (name === 'laptop') {
      expect(Number(await page.evaluate(WORDS_ABOVE_FOLD))).toBeLessThanOrEqual(250);
      const mark = await page.locator('#disputed-title + ul .pill.warn').first().boundingBox();
      expect((mark?.y ?? 800) + (mark?.height ?? 0)).toBeLessThanOrEqual(738);
      const paper = (await page.pdf({ format: 'A4' })).toString('latin1');
      expect(paper.match(/\/Type\s*\/Page\b/g)?.length).toBeLessThanOrEqual(3);
    }
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
    expect(Number(await page.evaluate('document.documentElement.scrollWidth'))).toBeLessThanOrEqual(view.width);
    expect(await findings(page)).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });
});
