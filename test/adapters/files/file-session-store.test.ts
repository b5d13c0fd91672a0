/** Sessions on disk pass the suite of their store. */
import { openFileSessionStore } from '../../../src/adapters/files/run-folder.ts';
import { sessionStoreContract } from '../../contracts/session-store.contract.ts';
import { scratch, tickingClock } from '../../support/scratch.ts';

sessionStoreContract('folders', async () => {
  const [root, clock] = [await scratch(), tickingClock()];
  const open = () => openFileSessionStore(root, { clock, worker: 'w' });
  return { sessions: open(), another: open };
});
