/** Stores the bytes of files by digest in pieces, so that a large file is never in memory as a whole. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { HarnessError } from '../../errors.ts';
import { sha256 } from '../../disk/sha256.ts';
import type { Query } from './database.ts';

const PIECE_BYTES = 1024 * 1024;

const PUT = 'INSERT INTO $S.piece (run, digest, number, body) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING';

export async function digestOfFile(path: string): Promise<{ digest: string; bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const part of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(part);
    bytes += part.length;
  }
  return { digest: hash.digest('hex'), bytes };
}

/** Contract: throws unless the stored bytes match the digest, because the file may change while it is read. */
export async function storeFile(
  ask: Query,
  run: string,
  { path, digest }: { path: string; digest: string },
): Promise<void> {
  const there = await ask('SELECT 1 FROM $S.piece WHERE run = $1 AND digest = $2 AND number = 0', [run, digest]);
  if (there.length > 0) return;
  const hash = createHash('sha256');
  const parts: Buffer[] = [];
  let number = 0;
  // The first piece is stored last: it marks the file as complete.
  for await (const part of createReadStream(path, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>) {
    hash.update(part);
    if (number === 0) parts.push(part);
    else await ask(PUT, [run, digest, number, part]);
    number += 1;
  }
  if (hash.digest('hex') !== digest)
    throw new HarnessError('infrastructure', `${path} changed while it was stored.`, { retryable: true });
  await ask(PUT, [run, digest, 0, parts[0] ?? Buffer.alloc(0)]);
}

/** Stores several small files in one statement. */
export async function storeSmall(ask: Query, run: string, files: readonly Buffer[]): Promise<void> {
  await ask(
    `INSERT INTO $S.piece (run, digest, number, body)
     SELECT $1, digest, 0, body FROM unnest($2::text[], $3::bytea[]) AS part (digest, body) ON CONFLICT DO NOTHING`,
    [run, files.map((bytes) => sha256(bytes)), files],
  );
}

/** Yields a file piece by piece. Contract: `data_corrupt` after the last one when the bytes do not match the digest. */
export async function* loadFile(
  ask: Query,
  run: string,
  { path, digest, bytes }: { path: string; digest: string; bytes: number },
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for (let [number, read] = [0, 0]; number === 0 || read < bytes; number += 1) {
    const text = 'SELECT body FROM $S.piece WHERE run = $1 AND digest = $2 AND number = $3';
    const [piece] = await ask<{ body: Buffer }>(text, [run, digest, number]);
    if (piece === undefined) throw damagedFileError(run, path, 'lacks a piece');
    hash.update(piece.body);
    read += piece.body.length;
    yield piece.body;
  }
  if (hash.digest('hex') !== digest) throw damagedFileError(run, path, 'has other bytes than its digest says');
}

/** Loads files of one piece each in one statement, by digest. */
export async function loadSmall(ask: Query, run: string, digests: readonly string[]): Promise<Map<string, Buffer>> {
  const text = 'SELECT digest, body FROM $S.piece WHERE run = $1 AND number = 0 AND digest = ANY($2::text[])';
  const rows = await ask<{ digest: string; body: Buffer }>(text, [run, digests]);
  return new Map(rows.map(({ digest, body }) => [digest, body]));
}

/** Contract: within a transaction that locks the run's row, the answer stays true until the transaction ends. */
export async function areStored(ask: Query, run: string, digests: readonly string[]): Promise<boolean> {
  const wanted = new Set(digests);
  if (wanted.size === 0) return true;
  const text = 'SELECT count(*)::int AS there FROM $S.piece WHERE run = $1 AND number = 0 AND digest = ANY($2::text[])';
  const [row] = await ask<{ there: number }>(text, [run, [...wanted]]);
  return row?.there === wanted.size;
}

export function isSmall(bytes: number): boolean {
  return bytes <= PIECE_BYTES;
}

export function damagedFileError(run: string, path: string, what: string): HarnessError {
  const message = `${path} of run ${run} ${what} in the store. Restore the store from a backup.`;
  return new HarnessError('data_corrupt', message, { details: { file: path } });
}
