/** Real Chromium before the real `tandem serve`. */
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { tandem } from '../../support/cli.ts';
import { copyOf, serve, waitingProject, type Served } from '../../support/waiting-project.ts';

export const PLACES = {
  queue: '/',
  first: '/runs/first/gates/HITL-1.r1',
  gate: '/runs/second/gates/HITL-1.r2',
  answered: '/runs/second/gates/HITL-1.r1',
  design: '/runs/second/gates/HITL-1.r2/design',
  edit: '/runs/second/gates/HITL-1.r2/edit',
  editRule: '/runs/second/gates/HITL-1.r2/edit?rule=R7',
  run: '/runs/second',
  runs: '/runs',
  results: '/runs/second/results',
  trial: '/runs/second/iterations/2/samples/damaged-paid-by-gift-card/trials/1',
  sample: '/runs/second/iterations/2/samples/damaged-paid-by-gift-card',
  transcript: '/runs/second/transcripts/init',
  batches: '/batches',
  batch: '/batches/nightly',
  comment: '/runs/second/gates/HITL-1.r2/comment?on=R7',
  source: '/runs/first/sources/policies/gift-cards.md',
  component: '/runs/second/iterations/2/files/samples/damaged-paid-by-gift-card.json',
  words: '/runs/second/iterations/2/samples/damaged-paid-by-gift-card/words',
  compare: '/compare?run=second@1&run=second@2',
  call: '/runs/second/iterations/2/samples/damaged-paid-by-gift-card/trials/1/calls/1',
  missing: '/runs/nosuch',
} as const;

/** What only a project with evaluations and a session has. */
export const MORE_PLACES = {
  sessions: '/sessions',
  evaluation: '/runs/refund-desk~1/results',
  evaluations: '/compare?run=refund-desk~1&run=refund-desk~2',
} as const;

/** The waiting project, with two evaluations without a run and a session of ada's. */
export async function evaluatedProject(): Promise<string> {
  const project = await waitingProject();
  const components = ['--components', 'scenarios/refund-desk/runs/second/execution_outputs/iteration_2'];
  await tandem(project, ['evaluate', 'refund-desk', ...components]);
  await tandem(project, ['evaluate', 'refund-desk', ...components, '--subject', 'gold']);
  await tandem(project, ['session', '-p', 'What is in this folder?'], { USER: 'ada' });
  return project;
}

/** Set to a folder to keep the pictures: docs/pictures was made so. */
export const KEEP = process.env['PICTURES'];

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}

type View = { width?: number; height?: number; dark?: boolean; scripts?: boolean };
export type Tab = { page: Page; context: BrowserContext; faults: string[] };

/** Signed in; whatever the page complains about is collected. */
export async function openTab(
  browser: Browser,
  served: Served,
  { width = 1100, height = 900, dark = false, scripts = true }: View = {},
): Promise<Tab> {
  const context = await browser.newContext({
    storageState: await signIn(browser, served),
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    javaScriptEnabled: scripts,
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  // A refusal is an answer with a status that a browser notes; anything else that it notes is a fault of ours.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  await page.goto(`${served.url}/`);
  return { page, context, faults };
}

type State = Awaited<ReturnType<BrowserContext['storageState']>>;
const states = new Map<string, State>();

/** Once a server: the page counts how often somebody tries. */
async function signIn(browser: Browser, served: Served): Promise<State> {
  const known = states.get(served.signIn);
  if (known !== undefined) return known;
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(served.signIn);
  await page.waitForURL(`${served.url}/`);
  const state = await context.storageState();
  states.set(served.signIn, state);
  await context.close();
  return state;
}

type Here = {
  project: string;
  url: string;
  tab: (view?: View) => Promise<Tab>;
  /** The server ends and another one takes the project over, at an address of its own. */
  restart: () => Promise<void>;
};

/** For a file of tests: one browser for all of them, and for each a project of its own that is served. */
export function eachServed(): Here {
  const here = {} as Here;
  let master: string;
  let browser: Browser;
  let served: Served;
  beforeAll(async () => {
    master = await waitingProject();
    browser = await launch();
  }, 600_000);
  afterAll(() => browser.close());
  const begin = async () => {
    served = await serve(here.project);
    here.url = served.url;
  };
  here.tab = (view) => openTab(browser, served, view);
  here.restart = async () => {
    await served.stop();
    await begin();
  };
  beforeEach(async () => {
    here.project = await copyOf(master);
    await begin();
  });
  afterEach(() => served.stop());
  return here;
}
