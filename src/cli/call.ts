/** What every command is called with, and how it says with which exit code it ended. */
import type { Io } from './io.ts';

export type CommandContext = { io: Io; signal: AbortSignal; done: (code: number) => void };
