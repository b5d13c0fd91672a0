/** Reads recorded runs from a file, plain or gzipped: rows or whole result files of tau-bench and tau2-bench. */
import { z } from 'zod';
import { HarnessError, describeError } from '../../../errors.ts';
import { isJsonObject, jsonFault } from '../../../scenario/json/json-value.ts';
import { schemaIssues } from '../../../evaluation/components/schema-issues.ts';
import { tryForeignJson } from '../../foreign-text.ts';
import type { RecordedRun } from './recorded-run.ts';
import { readRow } from './read-row.ts';
import { listTau1Runs, listTau2Runs, type RunMaker } from './result-files.ts';

export type RecordedFile = { runs: RecordedRun[]; faults: { at: string; message: string }[] };

const FORMATS =
  'rows with gold_actions or evaluation_criteria (one JSON object a line), a list of tau-bench results, or a tau2-bench results file';

/** Contract: each unreadable row becomes a fault; a file without any readable row is `config_invalid`. */
export function parseRecorded(text: string, shown: string): RecordedFile {
  const whole = shallowJson(text);
  if (Array.isArray(whole)) return collectRuns(listTau1Runs(whole, shown));
  if (isJsonObject(whole) && Array.isArray(whole['simulations'])) return collectRuns(listTau2Runs(whole, shown));
  const lines = text.split('\n').map((line, index) => ({ line, at: `${shown}:${index + 1}` }));
  const rows = lines.filter(({ line }) => line.trim() !== '');
  const read = collectRuns(rows.map(({ line, at }) => ({ at, make: () => readRow(shallowJson(line), at) })));
  if (read.runs.length === 0) {
    const why = read.faults[0]?.message ?? 'it is empty';
    throw new HarnessError('config_invalid', `${shown}: holds no recorded run: ${why}. Expected ${FORMATS}.`);
  }
  return read;
}

function collectRuns(rows: readonly RunMaker[]): RecordedFile {
  const file: RecordedFile = { runs: [], faults: [] };
  for (const { at, make } of rows) {
    try {
      file.runs.push(make());
    } catch (error) {
      const isShape = error instanceof z.ZodError;
      file.faults.push({ at, message: isShape ? schemaIssues(error).slice(0, 3).join('; ') : describeError(error) });
    }
  }
  return file;
}

/** Returns undefined for text that is not JSON, or is nested too deeply to be read. */
function shallowJson(text: string): unknown {
  const value = tryForeignJson(text);
  return jsonFault(value) === undefined ? value : undefined;
}
