/** Packs files in the `tar` format, so that any machine can open the archive without this program. */
import { HarnessError } from '../errors.ts';

export type TarFile = { path: string; bytes: Uint8Array };

const BLOCK = 512;
const MAX_NAME_BYTES = 100;

/** A path that is too long for the header goes into a pax record before it. */
export function writeTar(files: readonly TarFile[], at: Date): Buffer {
  const seconds = Math.floor(at.getTime() / 1000);
  const parts = files.flatMap(({ path, bytes }) => {
    const name = Buffer.from(path);
    const long =
      name.length > MAX_NAME_BYTES ? createTarEntry('PaxHeader', createPaxRecord(path), { type: 'x', seconds }) : [];
    return [...long, ...createTarEntry(name.subarray(0, MAX_NAME_BYTES), bytes, { type: '0', seconds })];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

type TarEntryKind = { type: '0' | 'x'; seconds: number };

function createTarEntry(name: string | Uint8Array, bytes: Uint8Array, { type, seconds }: TarEntryKind): Uint8Array[] {
  const header = Buffer.alloc(BLOCK);
  header.set(Buffer.from(name));
  const octal = (value: number, start: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, start);
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes.length, 124, 12);
  octal(seconds, 136, 12);
  header.write(`        ${type}`, 148);
  header.write('ustar\x0000', 257);
  octal(sumBytes(header), 148, 8);
  return [header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
}

function sumBytes(header: Uint8Array): number {
  return header.reduce((sum, byte) => sum + byte, 0);
}

/** Starts with the record's length in bytes, which includes its own digits. */
function createPaxRecord(path: string): Buffer {
  const rest = ` path=${path}\n`;
  const size = Buffer.byteLength(rest);
  const digits = String(size + String(size).length).length;
  return Buffer.from(`${size + digits}${rest}`);
}

/** Throws `data_corrupt` unless the archive holds whole files only. */
export function* readTar(tar: Buffer, name: string): Generator<TarFile> {
  let long: string | undefined;
  for (let at = 0; at + BLOCK <= tar.length;) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return;
    const field = (start: number, length: number) =>
      header.toString('utf8', start, start + length).replace(/\0.*$/s, '');
    const blanked = Buffer.from(header).fill(' ', 148, 156);
    const size = Number.parseInt(field(124, 12), 8);
    if (sumBytes(blanked) !== Number.parseInt(field(148, 8), 8) || !(at + BLOCK + size <= tar.length)) break;
    const bytes = tar.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const type = header.toString('utf8', 156, 157);
    if (type === 'x') long = /^\d+ path=(.*)\n/s.exec(bytes.toString('utf8'))?.[1];
    else if (type === '0') {
      yield { path: long ?? field(0, MAX_NAME_BYTES), bytes };
      long = undefined;
    } else break;
  }
  throw new HarnessError('data_corrupt', `${name} is not whole. Restore it from a copy.`, { details: { file: name } });
}
