import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLiveScreen } from '../../src/cli/live-screen.ts';
import type { Io } from '../../src/cli/command-context.ts';

function io(screen: boolean): { io: Io; drawn: string[]; lines: string[] } {
  const [drawn, lines]: [string[], string[]] = [[], []];
  const moved: (() => void)[] = [];
  const onWords = (one: () => void) => {
    moved.push(one);
    return () => undefined;
  };
  const terminal = { columns: () => 60, color: false, onResize: () => () => undefined, onWords };
  const made: Io = {
    out: () => undefined,
    err: (line) => {
      for (const one of moved) one();
      lines.push(line);
    },
    draw: (text) => void drawn.push(text),
    screen: screen ? terminal : undefined,
    ask: undefined,
    env: {},
    cwd: '.',
  };
  return { io: made, drawn, lines };
}
const phase = { type: 'phase', phase: 'design', round: 1, iteration: 0 } as const;

test('without a terminal a change is a line, and nothing is ever redrawn', () => {
  const plain = io(false);
  const screen = createLiveScreen(plain.io);
  screen.progress(phase);
  screen.close();
  expect(plain.lines).toEqual(['r1: Init designs']);
  expect(plain.drawn).toEqual([]);
});

test('on a terminal the block is drawn once more at the end, in synchronised output, each line cleared for itself', () => {
  const tty = io(true);
  const screen = createLiveScreen(tty.io);
  screen.progress(phase);
  screen.progress({ ...phase, round: 2 });
  screen.close();
  expect(tty.drawn).toHaveLength(1);
  expect(tty.drawn[0]).toMatch(/^\u001B\[\?2026h\u001B\[2K/);
  expect(tty.drawn[0]).toContain('round 2');
});

test('nothing is drawn while somebody is asked, and the next picture stands below the answer', async () => {
  const tty = io(true);
  const screen = createLiveScreen(tty.io);
  screen.progress(phase);
  await screen.suspended(async () => {
    screen.progress({ ...phase, round: 3 });
  });
  expect(tty.drawn).toHaveLength(1);
  screen.close();
  expect(tty.drawn).toHaveLength(2);
  expect(tty.drawn[1]).not.toMatch(/\u001B\[\d+A/);
});

test('a picture that stands still says since when, in one line of the terminal, until something happens', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const tty = io(true);
  const screen = createLiveScreen(tty.io);
  screen.progress(phase);
  vi.advanceTimersByTime(9_000);
  expect(tty.drawn.join('')).not.toContain('no news');
  vi.advanceTimersByTime(92_000);
  expect(tty.drawn.at(-1)).toContain('no news for 1 min 40 s; Ctrl-C stops, and nothing is lost');
  screen.close();
  expect(tty.drawn.at(-1)).not.toContain('no news');
});

test('a line that is printed meanwhile stays: the next picture is drawn below it, and nothing after the end', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const tty = io(true);
  const screen = createLiveScreen(tty.io);
  screen.progress(phase);
  vi.advanceTimersByTime(100);
  tty.io.err('SIGINT: stopping');
  screen.progress({ ...phase, round: 2 });
  screen.close();
  expect(tty.drawn).toHaveLength(2);
  expect(tty.drawn[1]).not.toMatch(/\u001B\[\d+A/);
  vi.advanceTimersByTime(60_000);
  screen.close();
  expect(tty.drawn).toHaveLength(2);
});

test('at the end the block gives way to a line for each thing that happened, and to no step or compaction', () => {
  const tty = io(true);
  const screen = createLiveScreen(tty.io);
  const gate = { type: 'gate', gate: 'HITL-1.r1', actor: 'user:ada', comment: '', digest: 'd'.repeat(64) } as const;
  screen.progress(phase);
  screen.progress({ ...gate, outcome: 'opened' });
  screen.progress({ ...gate, outcome: 'approve' });
  screen.progress({ type: 'state', status: 'succeeded', detail: '' });
  screen.close();
  const last = stripVTControlCharacters(tty.drawn.at(-1) ?? '');
  expect(last.trim().split('\n')).toEqual(['· HITL-1.r1 approved by user:ada', '· succeeded']);
});
