/** Which commands make no sense on runs in a store (TANDEM_STORE): each is refused by its name, before it does anything. */
import { chooseStore } from '../config/store.ts';
import { HarnessError } from '../errors.ts';

/** What to do instead. */
export const REFUSED: Readonly<Record<string, string>> = {
  'runs unpack':
    'A store has no archives. One that tandem runs archive --to has written goes back from the project that has it, without TANDEM_STORE: tandem copy <run> --to <store>',
};

type Env = Readonly<Record<string, string | undefined>>;

/** Contract: `usage` that names the command. */
export function refuseOnStore(command: string, env: Env): void {
  const store = chooseStore(env);
  const instead = REFUSED[command];
  if (store === undefined || instead === undefined) return;
  throw new HarnessError(
    'usage',
    `tandem ${command} does not work on runs in a store (TANDEM_STORE is ${store.shown}). ${instead}. Nothing was done.`,
  );
}
