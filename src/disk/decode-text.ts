/** Decodes a file in UTF-8, in UTF-16 with a byte order mark, or in GB18030; any other file has no text. */

/**
 * Returns undefined for bytes that are no text, or whose encoding cannot be recognised with certainty. GB18030 has no
 * mark: it is assumed where nearly all characters are common in Chinese, and not where Korean or Japanese would give
 * the same bytes. Contract: refers to nothing outside this function, because the search thread runs its source.
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  const decode = (encoding: string): string | undefined => {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      return undefined;
    }
  };
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0);
  if (mark === 0xfffe || mark === 0xfeff) return decode(mark === 0xfffe ? 'utf-16le' : 'utf-16be');
  if (bytes.includes(0)) return undefined;
  const text = decode('utf-8');
  if (text !== undefined) return text;
  const counts = { pairs: 0, common: 0, late: 0, kana: 0 };
  for (let at = 0; at < bytes.length; at += 1) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) continue;
    const isPlain = (bytes[at + 1] ?? 0) >= 0xa1;
    counts.pairs += 1;
    if (isPlain && (lead <= 0xa3 || (lead >= 0xb0 && lead <= 0xd7)) && lead >= 0xa1) counts.common += 1;
    if (isPlain && lead >= 0xc9) counts.late += 1;
    if (lead === 0xa4 || lead === 0xa5) counts.kana += 1;
    at += 1;
  }
  const { pairs, common, late, kana } = counts;
  return common >= pairs * 0.8 && late >= pairs * 0.1 && kana <= pairs * 0.05 ? decode('gb18030') : undefined;
}
