/** The pages of results in a real browser: nothing for axe, both themes and sizes, by keys, without scripts, and hostile content. */
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startListening, type RunningServer } from '../../../src/web/listen.ts';
import { HOSTILE } from '../../report/hostile.ts';
import { failing, flaky, sample } from '../../report/makers.ts';
import { judgedLamps } from '../../support/judged-lamps.ts';
import { openDesk, TOKEN, type Desk } from '../../web/desk.ts';
import { recordedCalls } from '../../support/recorded-calls.ts';
import { comparedSubjects } from '../../web/subjects.ts';
import { evaluated } from '../../web/evaluated.ts';
import { launch } from './browser.ts';
import { findings } from './findings.ts';

const SAMPLE = '/runs/run-1/iterations/2/samples/asked';
const PLACES = {
  subjects: '/runs/refund-desk~comparison-1/results',
  trials: '/runs/refund-desk~comparison-1/results?trials=1',
  call: '/runs/refund-desk~comparison-1/iterations/1/samples/asked/trials/1/calls/1',
  runs: '/runs',
  results: '/runs/run-1/results',
  filtered: '/runs/run-1/results?show=failing',
  sample: SAMPLE,
  trial: `${SAMPLE}/trials/1?raw=3`,
  code: '/runs/run-1/iterations/1/files/checkers/identity.mjs',
  compare: '/compare?run=run-1&run=run-2',
  words: `${SAMPLE}/words`,
  hostile: '/runs/hostile/results',
} as const;
const VIEWS: Record<string, { viewport: { width: number; height: number }; colorScheme: 'light' | 'dark' }> = {
  light: { viewport: { width: 1100, height: 900 }, colorScheme: 'light' },
  'dark phone': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  // The others show the same colours in the other size: only where there is time.
  ...(process.env['TANDEM_STORMS'] === 'full' && {
    dark: { viewport: { width: 1100, height: 900 }, colorScheme: 'dark' },
    phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  }),
};

let desk: Desk;
let browser: Browser;
let server: RunningServer;
let origin: string;
let signedIn: Awaited<ReturnType<BrowserContext['storageState']>>;
beforeAll(async () => {
  desk = await openDesk();
  const verdicts = [{ checker: 'identity', pass: false, reason: 'it asked for nothing', evidence: ['step 1'] }];
  const asked = failing('asked', 2, {}, { why: ['the tool gave no answer'], covers: ['R1', 'R2'] }, { verdicts });
  const iterations = [
    [sample('asked'), flaky, sample('steady')],
    [asked, flaky, sample('fresh')],
  ];
  await evaluated(desk, 'run-1', iterations);
  await evaluated(desk, 'run-2', [[sample('asked'), sample('steady')]]);
  const all = HOSTILE.join('\n').slice(0, 3000);
  const bad = [{ checker: all.slice(0, 60), pass: false, reason: all, evidence: [all] }];
  const ids = Array.from({ length: 5 }, (_, index) => `s-${index}`);
  const hostile = ids.map((id) =>
    failing(id, 4, {}, { title: all, category: all, covers: HOSTILE.slice(0, 30) }, { verdicts: bad }),
  );
  await evaluated(desk, 'hostile', [hostile]);
  const dir = await comparedSubjects(desk, { cheap: [failing('asked', 4, {}), flaky], dear: [sample('asked'), flaky] });
  const calls = await recordedCalls([
    [{ request: '{"messages":["<b>"]}', status: 200, answer: Buffer.from('data: {}') }],
  ]);
  await writeFile(join(dir, 'cheap/traces/asked.1.calls.json'), JSON.stringify(calls));
  const hosts: string[] = [];
  server = await startListening(desk.review({ hosts }), { host: '127.0.0.1', port: 0 });
  hosts.push(`127.0.0.1:${server.port}`);
  origin = `http://127.0.0.1:${server.port}`;
  browser = await launch();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${origin}/sign-in?token=${TOKEN}`);
  await page.waitForURL(`${origin}/`);
  signedIn = await context.storageState();
  await context.close();
}, 60_000);
afterAll(async () => {
  await browser.close();
  await server.close();
  await desk.remove();
});

type Options = Parameters<Browser['newContext']>[0];
async function tab(options: Options = {}): Promise<{ page: Page; context: BrowserContext; faults: string[] }> {
  const context = await browser.newContext({ ...options, storageState: signedIn });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  return { page, context, faults };
}

describe.each(Object.entries(VIEWS))('%s', (_name, view) => {
  test('no page has a finding of any impact, and none is wider than the screen', async () => {
    const { page, context, faults } = await tab(view);
    for (const path of Object.values(PLACES)) {
      await page.goto(origin + path);
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      expect(await findings(page), path).toEqual([]);
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
      expect(width, path).toBeLessThanOrEqual(view.viewport.width);
    }
    expect(faults).toEqual([]);
    await context.close();
  });
});

test('by keys alone: from the table to the newest red cell, to the next sample, and back', async () => {
  const { page, context } = await tab();
  await page.goto(origin + PLACES.filtered);
  for (const key of ['j', 'o']) await page.keyboard.press(key);
  await page.waitForURL(`${origin}${SAMPLE}?show=failing`);
  await page.keyboard.press('J');
  await page.waitForURL(/samples\/wavering\?show=failing/);
  await page.keyboard.press('K');
  await page.waitForURL(`${origin}${SAMPLE}?show=failing`);
  await context.close();
});

test('without scripts everything can be read, filtered, compared and said', async () => {
  const { page, context } = await tab({ javaScriptEnabled: false });
  await page.goto(origin + PLACES.results);
  await page.click('a.chip:has-text("failing")');
  await page.locator('tbody a.proof').first().click();
  await page.click('text=as a tree');
  expect(await page.locator('#L3').textContent()).toContain('issue_refund');
  await page.goto(origin + PLACES.runs);
  for (const key of ['run-1', 'run-2']) await page.check(`input[name=run][value="${key}"]`);
  await page.click('text=Compare the ticked rows');
  expect(await page.locator('h1').textContent()).toContain('iteration 2');
  await page.goto(origin + PLACES.words);
  await page.fill('#text', 'The tool lies.');
  await page.click('text=Put it into my notes');
  await page.click('text=Answer HITL-1');
  expect(await page.locator('#notes').inputValue()).toContain('The tool lies.');
  await context.close();
});

test('a question is answered blind, and what the grader said comes after', async () => {
  const { io, folder } = await judgedLamps();
  const run = await desk.waiting('judged', [{}, {}]);
  const place = join(run.dir, 'execution_outputs/iteration_1');
  await rm(place, { recursive: true });
  await cp(join(io.cwd, folder), place, { recursive: true });
  await writeFile(join(desk.root, 'scenarios/refund-desk/scenario.yaml'), '');
  const { page, context } = await tab();
  await page.goto(`${origin}/runs/judged/labels`);
  expect(await findings(page)).toEqual([]);
  for (const key of ['j', 'o']) await page.keyboard.press(key);
  await page.waitForSelector('#reason');
  expect(await page.textContent('main')).not.toContain('The judge thinks');
  expect(await findings(page)).toEqual([]);
  await page.check('input[value=fail]');
  await page.fill('#reason', 'Which lamp?');
  await page.click('text=Save my answer');
  await page.waitForSelector('text=You and the grader disagree');
  expect(await page.textContent('main')).toContain('The judge thinks');
  await context.close();
});
