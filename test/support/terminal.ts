/** The program on a real pseudo-terminal: util-linux `script` gives it one, and the test is the person before it. */
import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { BIN } from './cli.ts';

export type Terminal = {
  /** Of the program. */
  pid: number;
  /** All that was shown so far, without colours and movements of the cursor. */
  text: () => string;
  raw: () => string;
  /** Resolves when the text holds it behind what the last call found; rejects with the whole text when the program ends first. */
  shows: (wanted: string | RegExp) => Promise<void>;
  send: (keys: string) => void;
  resize: (columns: number) => Promise<void>;
  /** As somebody pulls the plug. */
  kill: () => Promise<void>;
  ended: Promise<number>;
};

export const KEYS = { enter: '\r', tab: '\t', up: '\u001B[A', ctrlC: '\u0003', ctrlD: '\u0004' };
export const pasted = (text: string): string => `\u001B[200~${text}\u001B[201~`;

/** Longer than anything takes: a test that waits for what never comes says what came instead. */
const PATIENCE_MS = 30_000;

type Setup = { cwd: string; columns?: number; env?: Record<string, string>; program?: string };

/** `tandem <args>` before somebody with a terminal of so many columns. */
export async function openTerminal(
  args: readonly string[],
  { cwd, columns = 80, env = {}, program = BIN }: Setup,
): Promise<Terminal> {
  const quoted = [process.execPath, program, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const line = `stty cols ${columns} rows 40; echo "@pid $$ $(tty)@"; exec ${quoted}`;
  const child = spawn('script', ['-qfec', line, '/dev/null'], {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      ...{ USER: 'ada', TERM: 'xterm-256color', LANG: 'C.UTF-8', SHELL: '/bin/sh' },
      ...env,
    },
  });
  let [raw, seen] = ['', 0];
  const looks = new Set<() => void>();
  const look = (): void => {
    for (const one of [...looks]) one();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    raw += text;
    look();
  });
  let over = false;
  const ended = new Promise<number>((settle) =>
    child.once('close', (code) => {
      over = true;
      look();
      settle(code ?? -1);
    }),
  );
  const text = (): string => stripVTControlCharacters(raw).replaceAll('\r', '');
  const shows = (wanted: string | RegExp): Promise<void> =>
    new Promise((found, fail) => {
      const one = (): void => {
        const rest = text().slice(seen);
        const at = typeof wanted === 'string' ? rest.indexOf(wanted) : rest.search(wanted);
        if (at === -1 && !over) return;
        looks.delete(one);
        clearTimeout(patience);
        if (at === -1) return fail(new Error(`The program ended and never showed ${String(wanted)}:\n${text()}`));
        seen += at + (typeof wanted === 'string' ? wanted.length : (rest.match(wanted)?.[0].length ?? 0));
        found();
      };
      const patience = setTimeout(() => {
        looks.delete(one);
        fail(new Error(`${String(wanted)} is not shown:\n${text()}`));
      }, PATIENCE_MS);
      looks.add(one);
      one();
    });
  await shows(/@pid \d+ \S+@/);
  const [, pid, tty = ''] = /@pid (\d+) (\S+)@/.exec(text()) ?? [];
  return {
    pid: Number(pid),
    text,
    raw: () => raw,
    shows,
    send: (keys) => void child.stdin.write(keys),
    resize: async (to) => {
      const stty = spawn('stty', ['-F', tty, 'cols', String(to)]);
      await new Promise((done) => stty.once('close', done));
    },
    kill: async () => {
      if (!over) process.kill(Number(pid), 'SIGKILL');
      await ended;
    },
    ended,
  };
}
