/** What people type and paste, on a real pseudo-terminal: at the gate's comment and in a chat. */
import { afterEach, expect, test } from 'vitest';
import { listExchanges } from '../../src/run/exchanges.ts';
import { eachWaiting } from '../support/asking.ts';
import { KEYS, openTerminal, pasted, type Terminal } from '../support/terminal.ts';

const here = eachWaiting();
const open: Terminal[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.kill();
});

async function at(args: readonly string[], columns: number): Promise<Terminal> {
  const terminal = await openTerminal(args, { cwd: here.project.dir, columns });
  open.push(terminal);
  return terminal;
}

/** Follows the switch to raw mode at once. */
const RAW_MODE = '\u001B[?2004h';
const WISH = 'R2: three times, not twice.\nR3: also for staff.\n\nAnd say so to the reader.';

test.each([
  ['with marks, as today’s terminals send it', pasted(`${WISH}\n`), 80],
  ['without, as old ones do', `${WISH.replaceAll('\n', '\r')}\r`, 200],
])('a comment of many lines is one comment, and nothing begins before Enter: %s', async (_how, keys, columns) => {
  const terminal = await at(['gates', 'review', here.run.id], columns);
  await terminal.shows('[?] keys >');
  // A key that comes with the prompt is the program's: before raw mode, the terminal would echo it and wait for Enter.
  const [beforePrompt = ''] = terminal.raw().split('[?] keys');
  expect(beforePrompt).toContain(RAW_MODE);
  // A paste where a key is wanted decides nothing.
  terminal.send(keys);
  await terminal.shows('And say so');
  terminal.send(KEYS.enter);
  await terminal.shows('[?] keys >');
  terminal.send(`r${KEYS.enter}`);
  await terminal.shows('What must change? >');
  terminal.send(keys);
  await terminal.shows('And say so');
  expect((await here.run.journal.read()).some(({ body }) => body.type === 'gate.decided')).toBe(false);
  terminal.send(KEYS.enter);
  expect(await terminal.ended, terminal.text()).toBe(0);
  const decided = (await here.run.journal.read()).flatMap(({ body }) => (body.type === 'gate.decided' ? [body] : []));
  expect(decided).toMatchObject([{ decision: 'request_changes', comment: WISH }]);
});

test('a question of many lines is one question in a chat, pasted or typed', async () => {
  const terminal = await at(['chat', here.run.id], 80);
  await terminal.shows('/quit leaves');
  terminal.send(`${pasted('One more thing.\n\nWhich rules are there?')}${KEYS.enter}`);
  await terminal.shows('of the run)');
  terminal.send(`What does it\\${KEYS.enter}`);
  await terminal.shows('… ');
  terminal.send(`cost?${KEYS.enter}`);
  await terminal.shows('of the run)');
  terminal.send(KEYS.ctrlC);
  expect(await terminal.ended).toBe(130);
  const questions = listExchanges(await here.run.journal.read()).map(({ question }) => question);
  expect(questions).toEqual(['One more thing.\n\nWhich rules are there?', 'What does it\ncost?']);
});
