/** `--log-format` and `--log-level`: what a command says as lines of a log, each with time, level, run, step and trace. */
import { hostname } from 'node:os';
import { LOG_FORMATS, LOG_LEVELS, openLog, type Log } from '../app/log/log.ts';
import { usageError } from '../errors.ts';
import type { Texts } from './call.ts';
import type { Io } from './io.ts';

export type LogFlags = Texts<'logFormat' | 'logLevel'>;

/** Contract: `usage` for a format or a level that there is not. As JSON, whatever is written from here on is a line of the log. */
export function openLogOf({ logFormat = 'text', logLevel = 'info' }: LogFlags, io: Io): Log {
  const { env, err } = io;
  const format = among('--log-format', logFormat, LOG_FORMATS);
  const level = among('--log-level', logLevel, LOG_LEVELS);
  const log = openLog({ format, level, worker: `${hostname()}-${process.pid}`, env, write: err });
  // Who parses each line finds no other among them.
  if (format === 'json') io.err = (line) => log.line('info', line.trim());
  return log;
}

/** For commands that draw a screen: the log takes its place. */
export function withLog(flags: LogFlags, io: Io): Io {
  const log = openLogOf(flags, io);
  return { ...io, screen: undefined, log };
}

function among<T extends string>(flag: string, word: string, words: readonly T[]): T {
  const found = words.find((one) => one === word);
  if (found !== undefined) return found;
  throw usageError(`${flag} "${word}": expected ${words.join(' or ')}.`);
}
