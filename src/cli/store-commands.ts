/** Which commands work on runs in a store (TANDEM_STORE): any other is refused by its name, before it does anything. */
import { chooseStore } from '../config/store.ts';
import { HarnessError } from '../errors.ts';

export const WORKS: ReadonlySet<string> = new Set([
  ...words(
    'run validate resume batch fork status report pause cancel verify rejudge rerun bless worker serve copy export',
  ),
  ...words('list show review stats approve undo request-changes reject').map((word) => `gates ${word}`),
  ...['context show', 'queue ls', 'queue why', 'store migrate'],
  // Have nothing to do with runs of the project.
  ...['context replay', 'context plan', 'plan samples'],
  ...words('evaluate verify-components statistics compare import simulate doctor init completion'),
]);

function words(text: string): string[] {
  return text.split(' ');
}

/** By command: flags of it that need a run folder. */
const NEEDS_FOLDER: Readonly<Record<string, readonly string[]>> = {
  run: ['economy'],
  batch: ['economy', 'cron'],
  resume: ['economy', 'discardLastAnswer'],
};

type Env = Readonly<Record<string, string | undefined>>;

/** Contract: `usage` that names the command, or its flag. */
export function refuseOnStore(command: string, flags: Readonly<Record<string, unknown>>, env: Env): void {
  const store = chooseStore(env);
  if (store === undefined) return;
  if (!WORKS.has(command)) throw notYet(`tandem ${command}`, store.shown);
  const flag = NEEDS_FOLDER[command]?.find((name) => flags[name] !== undefined && flags[name] !== false);
  if (flag !== undefined) throw notYet(`tandem ${command} --${dashed(flag)}`, store.shown);
}

function notYet(what: string, shown: string): HarnessError {
  const message = `${what} does not work on runs in a store (TANDEM_STORE is ${shown}). docs/store.md lists what does; nothing was done.`;
  return new HarnessError('usage', message);
}

function dashed(flag: string): string {
  return flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
