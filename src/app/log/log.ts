/** The log of a serving process: lines with time, level, worker, run, step, request and trace, without secrets, as text or JSON. */
import type { TracePosition } from '../../ports/telemetry.ts';
import type { Progress, ProgressEvent } from '../../ports/progress.ts';
import { renderLine } from '../../report/live/render-line.ts';
import { terminalText } from '../../report/text/sanitise.ts';
import { scrubSecrets, secretForms } from '../../adapters/anthropic/scrub.ts';
import type { Env } from '../../config/store.ts';
import { decodeValue } from '../../adapters/telemetry/settings.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export type LogFacts = Readonly<Record<string, string | number | undefined>>;

export type LogOptions = {
  format: LogFormat;
  /** Lines below this level are left out. */
  level: LogLevel;
  /** The name of the writing process, such as `host-1234`. */
  worker: string;
  env: Env;
  write: (line: string) => void;
  now?: () => Date;
};

export type Log = {
  line: (level: LogLevel, message: string, facts?: LogFacts) => void;
  /** Registers `here`, which returns the caller's position in a trace. */
  follow: (here: () => TracePosition | undefined) => void;
  /** Logs the events of a run, or of the process itself when no run is given. */
  progress: (run: string | undefined) => Progress;
};

/** Contract: no line holds a secret of the environment, nor anything that looks like a key. */
export function openLog({ format, level: least, worker, env, write, now = () => new Date() }: LogOptions): Log {
  const redact = createRedactor(env);
  const steps = new Map<string, string>();
  let here: (() => TracePosition | undefined) | undefined;
  const traces = new Map<string, string>();
  const line: Log['line'] = (level, message, facts = {}) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return;
    const trace = facts['trace_id'] ?? traces.get(String(facts['run']));
    const known = Object.entries({ ...facts, trace_id: trace }).filter(
      ([, value]) => value !== undefined && value !== '',
    );
    const record = { time: now().toISOString(), level, worker, ...Object.fromEntries(known), message };
    write(redact(format === 'json' ? JSON.stringify(record) : formatLine(record)));
  };
  return {
    line,
    follow: (place) => void (here = place),
    progress: (about) => (event) => {
      const at = here?.();
      // Model calls log without their run; the trace knows it.
      const run = about ?? at?.run;
      if (run !== undefined && event.type === 'phase')
        steps.set(run, event.phase === 'design' ? `design.r${event.round}` : `execute.i${event.iteration}`);
      // Events that other code reports about a run belong to its trace too.
      const trace = at?.traceId ?? (run === undefined ? undefined : traces.get(run));
      if (run !== undefined && trace !== undefined) traces.set(run, trace);
      const step = at?.step ?? (run === undefined ? undefined : steps.get(run));
      const facts = { run, step, request_id: 'requestId' in event ? event.requestId : undefined, trace_id: trace };
      line(chooseLevel(event), formatMessage(event), facts);
    },
  };
}

function chooseLevel(event: ProgressEvent): LogLevel {
  if (event.type === 'retry') return 'warn';
  if (event.type === 'state') return event.status === 'errored' ? 'error' : event.status === 'notice' ? 'warn' : 'info';
  return renderLine(event) === undefined ? 'debug' : 'info';
}

function formatMessage(event: ProgressEvent): string {
  const shown = renderLine(event);
  if (shown !== undefined) return shown;
  if (event.type === 'step') return `${event.agent} turn ${event.step}: ${event.tools.join(', ') || 'no tool'}`;
  if (event.type === 'spend') return `spent $${event.totalUsd.toFixed(4)} in ${event.calls} calls`;
  return event.type;
}

type LogLine = { time: string; level: string; worker: string; message: string; run?: string; step?: string };

function formatLine({ time, level, worker, run, step, message, ...rest }: LogLine): string {
  const place = [worker, run, step].filter((part) => part !== undefined).join(' ');
  const more = Object.entries(rest).map(([key, value]) => `${key}=${String(value)}`);
  return terminalText([time, level.padEnd(5), place, message, ...more].join('  '));
}

/** Names of variables that hold a secret, or an address that works as one. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|SMTP|SLACK|WEBHOOK|HOOK|CREDENTIAL/i;

/** Redacts secrets from log lines: values of the environment, and anything that looks like a key. */
export function createRedactor(
  env: Env,
  isSecret = (name: string): boolean => SECRET_NAME.test(name),
): (text: string) => string {
  const named = Object.entries(env).flatMap(([name, value = '']) => (isSecret(name) ? [value.trim()] : []));
  const passwords = Object.values(env).flatMap((value = '') => listPasswords(value));
  const secrets = [...new Set([...named, ...passwords].flatMap(secretForms))];
  // The longest first, because one secret may be part of another.
  secrets.sort((one, other) => other.length - one.length);
  const hide = (text: string, secret: string): string => text.replaceAll(secret, '[secret]');
  return (text) => scrubSecrets(secrets.reduce(hide, text), '');
}

function listPasswords(value: string): string[] {
  if (!value.includes('://') || !URL.canParse(value)) return [];
  const { password, searchParams } = new URL(value);
  return [password, decodeValue(password), ...searchParams.getAll('password')];
}
