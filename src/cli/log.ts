/** `--log-format` and `--log-level`: writes log lines, each with time, level, run, step and trace. */
import { hostname } from 'node:os';
import { LOG_FORMATS, LOG_LEVELS, openLog, type Log } from '../app/log/log.ts';
import { usageError } from '../errors.ts';
import type { TextFlags, Io } from './command-context.ts';

export type LogFlags = TextFlags<'logFormat' | 'logLevel'>;

/** Throws `usage` for an unknown format or level. With JSON, all later output on standard error becomes log lines. */
export function openCommandLog({ logFormat = 'text', logLevel = 'info' }: LogFlags, io: Io): Log {
  const { env, err } = io;
  const format = parseChoice('--log-format', logFormat, LOG_FORMATS);
  const level = parseChoice('--log-level', logLevel, LOG_LEVELS);
  const log = openLog({ format, level, worker: `${hostname()}-${process.pid}`, env, write: err });
  // A program that parses every line as JSON must find no other lines.
  if (format === 'json') io.err = (line) => log.line('info', line.trim());
  return log;
}

function parseChoice<T extends string>(flag: string, word: string, words: readonly T[]): T {
  const found = words.find((one) => one === word);
  if (found !== undefined) return found;
  throw usageError(`${flag} "${word}": expected ${words.join(' or ')}.`);
}
