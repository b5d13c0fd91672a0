/** Reads a results file that a person named, or the one in a folder that they named. */
import { z } from 'zod';
import { readNamedText } from '../../disk/read-named-file.ts';
import { HarnessError } from '../../errors.ts';
import { schemaIssues } from '../../evaluation/components/schema-issues.ts';
import { Results } from '../../scenario/result.ts';

const VERSION = 1;
const Versioned = z.object({ version: z.number() });

/** Throws `version_mismatch` for results of another version, and `data_corrupt` with the place for invalid ones. */
export async function readResultsFile(file: string): Promise<Results> {
  const value = parseResultsJson(await readNamedText(file), file);
  const version = Versioned.safeParse(value).data?.version;
  if (version !== undefined && version !== VERSION)
    throw new HarnessError(
      'version_mismatch',
      `${file}: are results of version ${version}; this Tandem reads version ${VERSION}. Read them with the one that wrote them.`,
    );
  const results = Results.safeParse(value);
  if (results.success) return results.data;
  const fault = schemaIssues(results.error)[0];
  throw new HarnessError('data_corrupt', `${file}: is no results file: ${fault}`, { cause: results.error });
}

function parseResultsJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HarnessError('data_corrupt', `${file}: is no results file: it is no JSON.`, { cause });
  }
}
