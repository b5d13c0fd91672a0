/** What prevents a run, or should be known before it is paid: place, problem and remedy. */
import { HarnessError, isHarnessError, messageOf } from '../errors.ts';

export type Finding = {
  /** An `error` stops a run before it begins. */
  level: 'error' | 'warning';
  /** `scenarios/desk/scenario.yaml:12`, a flag, or an environment variable. */
  where: string;
  what: string;
  remedy?: string;
  /** Nothing here is wrong: the same may succeed later. */
  passing?: true;
};

/** `file:line: what`, as the readers of this room complain. */
const COMPLAINT = /^([\w./@-]+\.\w+(?::\d+)?): (.+)$/;

/** Each complaint on its own. An error that is nobody's input is thrown again. */
export function findingsOf(error: unknown, where: string): Finding[] {
  if (!isHarnessError(error)) throw error;
  return messageOf(error)
    .split('\n')
    .map((line) => {
      const [, place = where, what = line] = COMPLAINT.exec(line) ?? [];
      return { level: 'error', where: place, what, ...(error.code === 'model_unavailable' && { passing: true }) };
    });
}

/** Adds to `findings` what a check throws. */
export async function collected<Value>(
  findings: Finding[],
  where: string,
  check: () => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await check();
  } catch (error) {
    findings.push(...findingsOf(error, where));
    return undefined;
  }
}

export function findingLines(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ level, where, what, remedy }) => [
    `${level.padEnd(8)} ${where}: ${what}`,
    ...(remedy === undefined ? [] : [`         -> ${remedy}`]),
  ]);
}

/** Contract: `config_invalid` with every error of the list, when there is one. */
export function refuseErrors(findings: readonly Finding[]): void {
  const errors = findings.filter(({ level }) => level === 'error');
  if (errors.length === 0) return;
  const head = `${errors.length === 1 ? 'One thing is' : `${errors.length} things are`} in the way; nothing was paid and nothing was written.`;
  throw new HarnessError('config_invalid', [head, ...findingLines(errors)].join('\n'));
}
