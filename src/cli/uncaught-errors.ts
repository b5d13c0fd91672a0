/** Handles errors that nobody caught: prints them, calls the listeners and ends the process, whose state is unknown. */
import { describeError } from '../errors.ts';
import { EXIT } from './command-context.ts';

/** Listeners that record the fault where they hold something; each is called once and must not wait. */
const faultListeners = new Set<(what: string) => void>();

export function onUncaughtError(mark: (what: string) => void): void {
  faultListeners.add(mark);
}

/** The process then ends with `EXIT.fault`, and with the stack on standard error. */
export function installFaultHandler(say: (line: string) => void): void {
  const leave = (error: unknown): void => {
    const what = error instanceof Error ? (error.stack ?? error.message) : describeError(error);
    const line = findConfigLine(what);
    if (line !== undefined) {
      say(
        `tandem: ${line}: ${describeError(error)}. Nothing there catches it; mend the file, then the same command again.`,
      );
      process.exit(EXIT.usage);
    }
    say(
      `tandem: a fault of Tandem itself, please report it. What is paid for is on disk, and another start goes on.\n${what}`,
    );
    for (const mark of faultListeners) {
      try {
        mark(what);
      } catch (fault) {
        say(`tandem: and it could not be marked: ${describeError(fault)}`);
      }
    }
    process.exit(EXIT.fault);
  };
  process.on('uncaughtException', leave);
  process.on('unhandledRejection', leave);
}

/** Finds the line of the project's `tandem.config.ts` that an error comes from, where no line of Tandem lies before it. */
export function findConfigLine(stack: string): string | undefined {
  const first = stack.split('\n').find((line) => /^\s+at /.test(line)) ?? '';
  return /[/\\](tandem\.config\.ts:\d+)(?::\d+)?\)?$/.exec(first)?.[1];
}
