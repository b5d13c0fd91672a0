/** `economy/<wave>.json` in the folder of a run: which of its calls are in which batch, written before the batch is sent. */
import { z } from 'zod';
import { parseFile } from '../../../disk/parse-file.ts';
import { HarnessError } from '../../../errors.ts';
import type { SharedFiles } from '../../../ports/shared-files.ts';

const FOLDER = 'economy';

const PaidAs = z.strictObject({ call: z.string(), nth: z.int().nonnegative() });
export type PaidAs = z.infer<typeof PaidAs>;

export const WaveRecord = z.strictObject({
  version: z.literal(1),
  wave: z.string().regex(/^[0-9a-f]{12}$/),
  model: z.string(),
  endpoint: z.string(),
  /** Set for the offline model, whose batches may disappear without loss. */
  simulated: z.literal(true).optional(),
  sentAt: z.iso.datetime(),
  /** The account's newest batch before this one was sent; only a newer batch can be this one. */
  newest: z.string().nullable(),
  /** The number of requests in the batch, including those of other runs. */
  size: z.int().positive(),
  /** Several folders may make the same call, so each folder is a part of the wave. */
  part: z.int().nonnegative(),
  /** The calls of this folder; the `custom_id` of a call is `<wave>-<part>-<call>`. */
  calls: z.array(z.string()).min(1),
  /** The ledger's name of each call, so that the batch can be booked without its caller. */
  paidAs: z.record(z.string(), PaidAs).optional(),
  /** Absent until the endpoint has answered with the id of the batch. */
  batch: z.string().optional(),
});
export type WaveRecord = z.infer<typeof WaveRecord>;

export function customId({ wave, part }: Pick<WaveRecord, 'wave' | 'part'>, call: string): string {
  return `${wave}-${part}-${call}`;
}

export function collectPaidAs(
  calls: readonly { call: string; paidAs: PaidAs | undefined }[],
): Pick<WaveRecord, 'paidAs'> {
  const named = calls.flatMap(({ call, paidAs }) => (paidAs === undefined ? [] : [[call, paidAs] as const]));
  return named.length === 0 ? {} : { paidAs: Object.fromEntries(named) };
}

export async function writeWave(files: SharedFiles, record: WaveRecord): Promise<void> {
  await files.write(waveFile(record), `${JSON.stringify(record, null, 1)}\n`);
}

/** Deletes the record of a batch that was never created. */
export async function removeWave(files: SharedFiles, record: WaveRecord): Promise<void> {
  await files.remove(waveFile(record));
}

/** Returns the records, oldest first. */
export async function readWaves(files: SharedFiles): Promise<WaveRecord[]> {
  const found = [...(await files.list(FOLDER))].filter(([name]) => /^[0-9a-f]+\.json$/.test(name));
  const records = found.map(([name, text]) => parseFile(WaveRecord, text, `${FOLDER}/${name}`));
  return records.toSorted((one, other) => one.sentAt.localeCompare(other.sentAt));
}

export function waveFile({ wave }: Pick<WaveRecord, 'wave'>): string {
  return `${FOLDER}/${wave}.json`;
}

/** Each process may have an offline model of its own at another address, so simulated waves are not checked. */
export function refuseOtherEndpoint(here: { endpoint: string }, { endpoint, simulated, batch, calls }: WaveRecord) {
  if (endpoint === here.endpoint || simulated === true) return;
  throw new HarnessError(
    'config_invalid',
    `${calls.length} calls are in ${batch ?? 'a batch'} at ${endpoint}, and may be paid: set ANTHROPIC_BASE_URL to that, not to ${here.endpoint}.`,
  );
}
