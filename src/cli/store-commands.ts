/** Lists commands that make no sense on runs in a store (TANDEM_STORE), and refuses each before it does anything. */
import { chooseStore } from '../config/store.ts';
import { HarnessError } from '../errors.ts';

/** By command, the remedy to name in the refusal. */
export const REFUSED_COMMANDS: Readonly<Record<string, string>> = {
  'runs unpack':
    'A store has no archives. One that tandem runs archive --to has written goes back from the project that has it, without TANDEM_STORE: tandem copy <run> --to <store>',
};

type StoreEnvironment = Readonly<Record<string, string | undefined>>;

/** Throws `usage`, naming the command. */
export function refuseOnStore(command: string, env: StoreEnvironment): void {
  const store = chooseStore(env);
  const instead = REFUSED_COMMANDS[command];
  if (store === undefined || instead === undefined) return;
  throw new HarnessError(
    'usage',
    `tandem ${command} does not work on runs in a store (TANDEM_STORE is ${store.shown}). ${instead}. Nothing was done.`,
  );
}
