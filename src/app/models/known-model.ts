/** Looks up a model in `config/models.yaml`, which is enough to compute its cost without asking any endpoint. */
import { ModelTable, findRow, toPrice } from '../../ports/model-table.ts';
import { findFile, type Home } from '../../config/home.ts';
import { readYamlFile } from '../../config/yaml-file.ts';
import { usageError } from '../../errors.ts';
import type { ModelFacts } from '../../ports/model.ts';

const TABLE = 'config/models.yaml';

export type KnownModel = Omit<ModelFacts, 'thinking'>;

/** Undefined for a model that is missing in the table, or whose price is unknown. */
export async function findModel(home: Home, model: string): Promise<KnownModel | undefined> {
  const row = findRow(await readTable(home), model);
  const price = row && toPrice(row);
  if (row === undefined || price === undefined) return undefined;
  const { window, max_output, bound_thinking } = row;
  return { id: model, window, maxOutput: max_output, boundThinking: bound_thinking, price, source: 'table' };
}

/** Throws `usage` with the names of the available models. */
export async function requireModel(home: Home, model: string): Promise<KnownModel> {
  const found = await findModel(home, model);
  if (found !== undefined) return found;
  const { models } = await readTable(home);
  const priced = Object.entries(models).flatMap(([id, row]) => (toPrice(row) === undefined ? [] : [id]));
  throw usageError(`--model "${model}": expected one of ${TABLE} with a price: ${priced.join(', ')}.`);
}

function readTable(home: Home): Promise<ModelTable> {
  return readYamlFile(findFile(home, TABLE), ModelTable, TABLE);
}
