/** Records all model traffic as it passes, so that it can be replayed without a model. */
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isHarnessError, usageError } from '../../errors.ts';
import { readMeaning } from '../../ports/answer-meaning.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { Model, ModelCatalogue, ModelRequest } from '../../ports/model.ts';
import { atomicWrite, createExclusive } from '../../disk/atomic-write.ts';
import { onDisk, valueOnErrno } from '../../disk/disk-fault.ts';
import { parseFile } from '../../disk/parse-file.ts';
import { requestKey, callFile, factsFile, HEAD_FILE, RecordingHead, type RecordedModelCall } from './request-key.ts';

export type Recording = {
  /** Contract: that of the port, less counting, which a replay cannot answer; an answer is on disk before the caller has it. */
  model: (inner: Model) => Model;
  catalogue: (inner: ModelCatalogue) => ModelCatalogue;
};

/** Contract: `usage` when the folder holds a recording of another endpoint. Several may write into one folder. */
export async function openRecording(dir: string, head: Omit<RecordingHead, 'version'>): Promise<Recording> {
  await onDisk(`Opening the recording ${dir}`, async () => {
    await mkdir(join(dir, 'calls'), { recursive: true });
    await mkdir(join(dir, 'models'), { recursive: true });
    await createExclusive(join(dir, HEAD_FILE), formatJson({ version: 1, ...head }));
  });
  const found = parseFile(RecordingHead, await readFile(join(dir, HEAD_FILE), 'utf8'), join(dir, HEAD_FILE));
  const difference = `a recording of ${found.endpoint}, and this run talks to ${head.endpoint}`;
  if (found.simulated !== head.simulated || found.endpoint !== head.endpoint)
    throw usageError(`${dir} is ${difference}. Record into another folder.`);
  return {
    model: (inner) => ({
      call: async (request, signal, terms) => {
        const answered = await inner.call(request, signal, terms).catch(async (error: unknown) => {
          const means = readMeaning(error);
          // An account problem is no answer to the request, and is gone when the run continues.
          if (isHarnessError(error, 'model_refused') && means !== 'account')
            await writeCall(dir, request, omitUndefined({ type: 'refused' as const, message: error.message, means }));
          throw error;
        });
        // The recorded time makes a replay show the agents the same times.
        const response = { ...answered, at: answered.at ?? new Date().toISOString() };
        await writeCall(dir, request, { type: 'response', response });
        return response;
      },
    }),
    catalogue: (inner) => ({
      describe: async (model, signal) => {
        const facts = await inner.describe(model, signal);
        await onDisk(`Recording ${model}`, () =>
          atomicWrite(join(dir, factsFile(model)), formatJson({ version: 1, facts })),
        );
        return facts;
      },
    }),
  };
}

async function writeCall(dir: string, request: ModelRequest, answer: RecordedModelCall['answer']): Promise<void> {
  const call: RecordedModelCall = { version: 1, ...requestKey(request), model: request.model, answer };
  await onDisk(`Recording a call of ${request.model}`, async () => {
    for (let number = 1; ; number += 1) {
      if (await createExclusive(join(dir, callFile(call.digest, number)), formatJson(call))) return;
    }
  });
}

/** Answers of a new run must not mix with those of an older one, which a replay would find first. */
export async function refuseUsedRecording(dir: string): Promise<void> {
  const found = await valueOnErrno('ENOENT', [], readdir(dir));
  if (found.length === 0) return;
  const advice = 'Remove it, or record into another one; only a resumed run adds to its recording.';
  throw usageError(`--record ${dir}: the folder is not empty. ${advice}`);
}

function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}
