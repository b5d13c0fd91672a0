/** Problems that prevent a run or should be known before it is paid: place, problem and remedy. */
import { HarnessError, isHarnessError, describeError } from '../errors.ts';

export type ConfigFinding = {
  /** An `error` stops a run before it begins. */
  level: 'error' | 'warning';
  /** `scenarios/desk/scenario.yaml:12`, a flag, or an environment variable. */
  where: string;
  what: string;
  remedy?: string;
  /** True when the files are correct and a later try may succeed. */
  passing?: true;
};

/** Matches `file:line: what`, the form of complaints in `src/config`. */
const COMPLAINT = /^([\w./@-]+\.\w+(?::\d+)?): (.+)$/;

/** Turns each line of an error into a finding. An error that no input caused is thrown again. */
export function toFindings(error: unknown, where: string): ConfigFinding[] {
  if (!isHarnessError(error)) throw error;
  return describeError(error)
    .split('\n')
    .map((line) => {
      const [, place = where, what = line] = COMPLAINT.exec(line) ?? [];
      return { level: 'error', where: place, what, ...(error.code === 'model_unavailable' && { passing: true }) };
    });
}

/** Runs a check and adds what it throws to `findings`. */
export async function collectFindings<Value>(
  findings: ConfigFinding[],
  where: string,
  check: () => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await check();
  } catch (error) {
    findings.push(...toFindings(error, where));
    return undefined;
  }
}

export function formatFindings(findings: readonly ConfigFinding[]): string[] {
  return findings.flatMap(({ level, where, what, remedy }) => [
    `${level.padEnd(8)} ${where}: ${what}`,
    ...(remedy === undefined ? [] : [`         -> ${remedy}`]),
  ]);
}

/** Contract: `config_invalid` with every error of the list, when there is one. */
export function refuseErrors(findings: readonly ConfigFinding[]): void {
  const errors = findings.filter(({ level }) => level === 'error');
  if (errors.length === 0) return;
  const head = `${errors.length === 1 ? 'One thing is' : `${errors.length} things are`} in the way; nothing was paid and nothing was written.`;
  throw new HarnessError('config_invalid', [head, ...formatFindings(errors)].join('\n'));
}
