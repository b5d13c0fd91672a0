/** The contract of a sandbox where each call of JavaScript costs a process; every day QuickJS and Python are held to it. */
import { describe } from 'vitest';
import { openBubblewrap, openNodePermission } from '../../src/adapters/sandbox/open-sandbox.ts';
import { openConfined } from '../../src/app/open-sandbox.ts';
import { attackCorpus } from '../adapters/sandbox/attack-corpus.ts';
import { sandboxContract } from '../contracts/sandbox.contract.ts';

sandboxContract('bubblewrap', openBubblewrap);
sandboxContract('bubblewrap', openBubblewrap, 'typescript');
sandboxContract('bubblewrap as the user chooses it', () => openConfined({ choice: 'bubblewrap' }));
// Its guard has no module for files, so nothing can be asked of them.
sandboxContract('node-permission', openNodePermission, 'javascript', { hasFiles: false });

describe('attacks on node-permission', () => {
  attackCorpus(openNodePermission, { refused: /node:fs is refused|reading 'on'/ });
});
