/** Opens the generated loan desk as the import of traces sees it. */
import { loadInSession } from '../../../src/evaluation/components/load-components.ts';
import type { ProposalInput } from '../../../src/interop/traces/propose.ts';
import { readDesign } from '../../../src/run-folder/read-design.ts';
import { trustedSandbox } from '../../evaluation/lamps.ts';
import { chance } from '../../support/chance.ts';
import { scratch } from '../../support/scratch.ts';
import { writeLoanDesk } from './loan-desk.ts';

export async function openDesk(signal: AbortSignal): Promise<ProposalInput> {
  const dir = await scratch();
  await writeLoanDesk(dir, chance(9));
  const { parts } = await readDesign(`${dir}/design`, 'design');
  if (parts === undefined) throw new Error('the design of the loan desk cannot be read');
  const session = await trustedSandbox().open(dir);
  const { components } = await loadInSession(session, dir, signal);
  return { components, design: { round: 1, digest: 'd', ...parts }, session };
}
