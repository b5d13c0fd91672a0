/** Real pictures of a few pixels, and a conversation that shows them. */
import { crc32, deflateSync } from 'node:zlib';
import type { RunFolder } from '../../src/ports/run-store.ts';
import type { Entry } from '../../src/transcript/entry.ts';
import type { ImageBlock } from '../../src/transcript/message.ts';

/** One colour, or stripes of several. */
export function png(width: number, height: number, colours: readonly (readonly [number, number, number])[]): Buffer {
  const row = (y: number) =>
    Buffer.from([0, ...Array.from({ length: width }, () => colours[y % colours.length] ?? []).flat()]);
  const pixels = Buffer.concat(
    Array.from({ length: height }, (_, y) => row(Math.floor((y * colours.length) / height))),
  );
  return wrapPng(width, height, pixels);
}

/** `pixels`: for each line a zero and three bytes a pixel. */
export function wrapPng(width: number, height: number, pixels: Buffer): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const parts = [part('IHDR', head), part('IDAT', deflateSync(pixels)), part('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}

function part(type: string, body: Buffer): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** Keeps the bytes as the harness does, and names them by whatever type it is told. */
export async function stored(run: RunFolder, bytes: Buffer, mediaType = 'image/png'): Promise<ImageBlock> {
  const kept = await run.transcripts.images.keep(bytes.toString('base64'));
  return { type: 'image', source: { type: 'stored', media_type: mediaType, ...kept } };
}

export const hashOf = ({ source }: ImageBlock): string => (source.type === 'stored' ? source.sha256 : '');

/** A question with pictures, and a look into a file that is one; entries are numbered from `first`. */
export async function say(run: RunFolder, agent: string, images: readonly ImageBlock[], first = 9000): Promise<void> {
  const base = (at: number) => ({
    version: 1 as const,
    id: `e${first + at}`,
    parents: [],
    lane: 'main',
    step: 'design.r1',
  });
  const entries: Entry[] = images.map((image, at) => ({
    ...base(at),
    type: 'message',
    origin: 'human',
    message: { role: 'user', content: [{ type: 'text', text: `Look at picture ${at + 1}.` }, image] },
  }));
  const read = { type: 'tool_use' as const, id: 'toolu_1', name: 'read', input: { file_path: 'scenario/label.png' } };
  const result = { type: 'tool_result' as const, tool_use_id: 'toolu_1', content: images.slice(0, 1) };
  entries.push(
    { ...base(images.length), type: 'message', origin: 'model', message: { role: 'assistant', content: [read] } },
    { ...base(images.length + 1), type: 'message', origin: 'tools', message: { role: 'user', content: [result] } },
  );
  await run.transcripts.publish(agent, entries);
}
