/** Reads a transcript file named on the command line, gzipped or not, from any harness. */
import { readNamedText } from '../../disk/read-named-file.ts';
import { importTranscript, type Imported } from '../../interop/transcripts/import.ts';

/** Contract: an error names the file that cannot be read or holds no conversation. */
export async function readTranscript(path: string): Promise<Imported> {
  return importTranscript(await readNamedText(path, path, { mayBeTorn: true }), path);
}
