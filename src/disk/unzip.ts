/** Reads zip archives: stored, deflated and zstd entries, each checked by its checksum. */
import { crc32, inflateRawSync, zstdDecompressSync } from 'node:zlib';
import { HarnessError, describeError } from '../errors.ts';

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
/** These values mean that the number is in the ZIP64 extension, for archives over 4 GiB. */
const [EXTENDED_COUNT, EXTENDED_SIZE] = [0xffff, 0xffffffff];
/** The most bytes of one unpacked entry; a larger one is treated as a zip bomb. */
const MAX_ENTRY_BYTES = 512 * 1024 * 1024;

type Unpack = (packed: Buffer, most: { maxOutputLength: number }) => Buffer;
const METHODS: Record<number, Unpack> = { 0: (packed) => packed, 8: inflateRawSync, 93: zstdDecompressSync };

export type ZipEntry = { path: string; read: () => Buffer };

/** True for bytes that begin like a zip archive. */
export function isZip(bytes: Buffer): boolean {
  return bytes.length >= END_BYTES && bytes.readUInt32LE(0) === LOCAL_SIGNATURE;
}

/** Lists entries in archive order, unpacked when read. Throws `data_corrupt` for a damaged or too large archive. */
export function unzip(bytes: Buffer, shown: string): ZipEntry[] {
  const damaged = (why: string, cause?: unknown) =>
    new HarnessError('data_corrupt', `${shown}: is no archive that can be read: ${why}.`, { cause });
  try {
    return readEntries(bytes, damaged);
  } catch (cause) {
    throw cause instanceof RangeError ? damaged('it is cut off', cause) : cause;
  }
}

type CreateZipError = (why: string, cause?: unknown) => HarnessError;

function readEntries(bytes: Buffer, damaged: CreateZipError): ZipEntry[] {
  const end = findEndRecord(bytes);
  if (end === undefined) throw damaged('it has no list of its entries; perhaps it was cut off');
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  if (count === EXTENDED_COUNT || at === EXTENDED_SIZE) throw damaged('it is larger than 4 GiB');
  return Array.from({ length: count }, () => {
    if (bytes.readUInt32LE(at) !== ENTRY_SIGNATURE) throw damaged('its list of entries is damaged');
    const [method, crc] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 16)];
    const [packed, size] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)];
    const [name, extra] = [bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30)];
    const comment = bytes.readUInt16LE(at + 32);
    const path = bytes.toString('utf8', at + 46, at + 46 + name);
    const place = { path, method, crc, packed, size, at: bytes.readUInt32LE(at + 42) };
    at += 46 + name + extra + comment;
    return { path, read: () => unpackEntry(bytes, place, damaged) };
  });
}

/** Searches from the end, because a comment may follow the record. */
function findEndRecord(bytes: Buffer): number | undefined {
  const last = bytes.length - END_BYTES;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT_BYTES); at -= 1)
    if (bytes.readUInt32LE(at) === END_SIGNATURE) return at;
  return undefined;
}

type EntryLocation = { path: string; method: number; crc: number; packed: number; size: number; at: number };

function unpackEntry(
  bytes: Buffer,
  { path, method, crc, packed, size, at }: EntryLocation,
  damaged: CreateZipError,
): Buffer {
  const unpack = METHODS[method];
  if (unpack === undefined) throw damaged(`${path} is compressed by method ${method}, which is not known here`);
  if (size > MAX_ENTRY_BYTES) throw damaged(`${path} has ${size} bytes, and at most ${MAX_ENTRY_BYTES} are read`);
  const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  try {
    const content = unpack(bytes.subarray(start, start + packed), { maxOutputLength: Math.max(1, size) });
    if (content.length === size && crc32(content) === crc) return content;
  } catch (cause) {
    throw damaged(`${path}: ${describeError(cause)}`, cause);
  }
  throw damaged(`${path} does not have its checksum`);
}
