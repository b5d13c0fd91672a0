/** Lists the results that `tandem evaluate` wrote into the scenario folders, for the results pages. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../parse-json.ts';
import { Slug } from '../../scenario/brief.ts';
import type { Evaluations, ListedEvaluation } from '../../web/web-deps.ts';

/** An earlier version compared several subjects in one folder, in which each has a folder of its own. */
const Comparison = z.object({ subjects: z.array(z.object({ name: Slug })) });

const NAME = /^(?:comparison-)?[1-9]\d{0,5}$/;

export function openEvaluations(project: string): Evaluations {
  const scenarios = join(project, 'scenarios');
  return {
    list: async () => {
      const listIn = async (scenario: string): Promise<(ListedEvaluation | undefined)[]> => {
        const place = join(scenarios, scenario, 'evaluations');
        const names = (await namesIn(place)).filter((name) => NAME.test(name));
        return Promise.all(names.map((name) => evaluationIn(join(place, name))));
      };
      const found = await Promise.all((await namesIn(scenarios)).map(listIn));
      const all = found.flat().filter((one) => one !== undefined);
      return all.toSorted((one, other) => other.at.localeCompare(one.at));
    },
  };
}

/** Undefined for a folder without results. The scenario's folder is two levels up. */
async function evaluationIn(dir: string): Promise<ListedEvaluation | undefined> {
  const place = { scenario: basename(dirname(dirname(dir))), name: basename(dir), dir };
  const record = await stat(join(dir, 'comparison.json')).catch(() => undefined);
  if (record !== undefined) {
    const text = await readFile(join(dir, 'comparison.json'), 'utf8').catch(() => '');
    const found = Comparison.safeParse(parseJson(text)).data;
    const subjects = found?.subjects.map(({ name }) => name);
    return subjects && { ...place, at: record.mtime.toISOString(), subjects };
  }
  const results = await stat(join(dir, 'results.json')).catch(() => undefined);
  return results && { ...place, at: results.mtime.toISOString(), subjects: [] };
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
