import { openFileBatches } from '../../../src/adapters/files/run-folder.ts';
import { batchesContract } from '../../contracts/batches.contract.ts';
import { scratch } from '../../support/scratch.ts';

batchesContract('files', async () => {
  const project = await scratch();
  return { batches: openFileBatches(project), another: () => openFileBatches(project) };
});
