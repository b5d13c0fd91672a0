/** The arguments that every command receives, and the types of its flags. */
import type { Io } from './io.ts';

/** The streams and the environment of a command, and the signal that stops it. */
export type Call = { io: Io; signal: AbortSignal };

/** Used when commands are registered: `done` takes the exit code. */
export type CommandContext = Call & { done: (code: number | Promise<number>) => Promise<void> };

/** Returns the size and colours of the terminal, or `plainColumns` for output to a file or a pipe. */
export function terminalSize({ screen, env }: Io, plainColumns: number): { columns: number; color: boolean } {
  return { columns: screen?.columns() ?? plainColumns, color: screen?.color ?? isColorForced(env) };
}

/** Reads `FORCE_COLOR` as other programs do: it turns colours on in files and pipes too, whatever NO_COLOR says. */
export function isColorForced({ FORCE_COLOR: force }: Io['env']): boolean {
  return force !== undefined && !['0', 'false'].includes(force);
}

/** Resolves when the command is stopped; servers wait for it. */
export async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Flags that take a text value. */
export type TextFlags<Name extends string> = { [Flag in Name]?: string | undefined };
/** Flags that are either set or absent. */
export type BooleanFlags<Name extends string> = { [Flag in Name]?: boolean | undefined };
export type JsonFlag = BooleanFlags<'json'>;
