/** What a command printed, without a process and without a terminal. */
import type { Io } from '../../src/cli/command-context.ts';

export type FakeIo = Io & { lines: string[]; errors: string[]; json: () => Record<string, unknown> };

export function fakeIo(cwd: string): FakeIo {
  const [lines, errors]: [string[], string[]] = [[], []];
  return {
    lines,
    errors,
    /** The last line of standard output. */
    json: () => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>,
    out: (line) => void lines.push(line),
    err: (line) => void errors.push(line),
    draw: () => undefined,
    screen: undefined,
    ask: undefined,
    env: { USER: 'ada' },
    cwd,
  };
}
