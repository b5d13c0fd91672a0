/** The contract of a sandbox with components in TypeScript; every day the three languages are compared in parity.test.ts. */
import { openBubblewrap } from '../../src/adapters/sandbox/open-sandbox.ts';
import { sandboxContract } from '../contracts/sandbox.contract.ts';

sandboxContract('bubblewrap', openBubblewrap, 'typescript');
