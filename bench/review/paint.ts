/** How soon the decision screen of a large design is painted in a real browser, and what it weighs. */
import { chromium, type Browser, type BrowserContext } from 'playwright-core';
import { startListening } from '../../src/web/listen.ts';
import { openDesk, TOKEN, type Desk } from '../../test/web/desk.ts';
import { median, row, type Row } from '../queue/measure.ts';
import { largeRounds } from './large-design.ts';

const VISITS = 9;
const MOST_PAINT_MS = 300;
const MOST_BYTES = 150 * 1024;

/** Without `bytes` it has no target, and is there to be compared with. */
export type Screen = { name: string; path: string; bytes?: number };

const SCREENS: readonly Screen[] = [
  { name: 'a page with nothing on it', path: '/numbers' },
  { name: 'first design, 200 rules new', path: '/runs/first/gates/HITL-1.r1', bytes: MOST_BYTES },
  { name: 'round 2, 200 rules changed, 500 samples', path: '/runs/large/gates/HITL-1.r2', bytes: MOST_BYTES },
  { name: 'the same with all 200 rows asked for', path: '/runs/large/gates/HITL-1.r2?rows=all' },
  { name: 'its whole design and full diff', path: '/runs/large/gates/HITL-1.r2/design' },
];

export async function paint(): Promise<Row[]> {
  const desk = await openDesk();
  try {
    const rounds = largeRounds();
    await desk.waiting('first', rounds.slice(0, 1));
    await desk.waiting('large', rounds);
    return await paintEach(desk, SCREENS);
  } finally {
    await desk.remove();
  }
}

/** In a real browser before a real socket. */
export async function paintEach(desk: Desk, screens: readonly Screen[]): Promise<Row[]> {
  const hosts: string[] = [];
  const server = await startListening(desk.review({ hosts }), { host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${server.port}`;
  hosts.push(`127.0.0.1:${server.port}`);
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  try {
    const context = await signIn(browser, origin);
    const rows: Row[] = [];
    for (const screen of screens) rows.push(...(await measure(context, screen, origin)));
    return rows;
  } finally {
    await browser.close();
    await server.close();
  }
}

async function signIn(browser: Browser, origin: string): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${origin}/sign-in?token=${TOKEN}`);
  await page.waitForURL(`${origin}/`);
  await page.close();
  return context;
}

/** Weight is that of a browser that was never here; paint is the median of several visits. */
async function measure(context: BrowserContext, { name, path, bytes }: Screen, origin: string): Promise<Row[]> {
  const url = origin + path;
  const { sent, whole } = await weigh(context, url);
  const page = await context.newPage();
  const [paints, answers]: [number[], number[]] = [[], []];
  for (let visit = 0; visit < VISITS; visit += 1) {
    await page.goto(url);
    const [painted, answered] = (await page.evaluate(PAINTED)) as [number, number];
    paints.push(painted);
    answers.push(answered);
  }
  await page.close();
  const kib = (count: number) => `${(count / 1024).toFixed(0)} KiB`;
  const ms = `${median(paints).toFixed(0)} ms, of which ${median(answers).toFixed(0)} until the page had arrived`;
  if (bytes === undefined)
    return [
      row(`${name}: first contentful paint`, ms),
      row(`${name}: weight`, `${kib(sent)} sent, ${kib(whole)} unpacked`),
    ];
  return [
    row(`${name}: first contentful paint`, ms, `≤ ${MOST_PAINT_MS} ms`, median(paints) <= MOST_PAINT_MS),
    row(
      `${name}: weight, style and script included`,
      `${kib(sent)} sent, ${kib(whole)} unpacked`,
      `≤ ${kib(bytes)} sent`,
      sent <= bytes,
    ),
  ];
}

/** As the protocol counts them: what came over the wire with its headers, and the bodies unpacked. */
async function weigh(context: BrowserContext, url: string): Promise<{ sent: number; whole: number }> {
  const browser = context.browser();
  if (browser === null) throw new Error('the browser is gone');
  const fresh = await browser.newContext({ storageState: await context.storageState() });
  const page = await fresh.newPage();
  const session = await fresh.newCDPSession(page);
  await session.send('Network.enable');
  let [sent, whole] = [0, 0];
  session.on('Network.loadingFinished', ({ encodedDataLength }) => void (sent += encodedDataLength));
  session.on('Network.dataReceived', ({ dataLength }) => void (whole += dataLength));
  await page.goto(url);
  await page.evaluate(PAINTED);
  await fresh.close();
  return { sent, whole };
}

const PAINTED = `new Promise((settle) => {
  const look = () => {
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    const [load] = performance.getEntriesByType('navigation');
    if (paint && load.responseEnd > 0) settle([paint.startTime, load.responseEnd]);
    else setTimeout(look, 10);
  };
  look();
})`;
