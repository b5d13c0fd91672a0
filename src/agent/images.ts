/** Keeps images outside the transcript and loads them when a request is sent (S3.10, docs/internals/compaction-cases.md T24). */
import type { Images } from '../ports/images.ts';
import type { Model, ModelRequest } from '../ports/model.ts';
import { getImageSize, listImageBlocks, mapImages, toSendableImage } from '../transcript/images.ts';
import type { ImageBlock, Message, TextBlock } from '../transcript/message.ts';

/** Returns the message with pointers in place of the image bytes, and a text in place of an image that cannot be sent. */
export async function storeImages(message: Message, images: Images): Promise<Message> {
  const stored = new Map<ImageBlock, ImageBlock | TextBlock>();
  for (const block of listImageBlocks(message)) {
    const sendable = toSendableImage(block);
    if (sendable !== block) stored.set(block, sendable);
    if (sendable.type !== 'image' || sendable.source.type !== 'base64') continue;
    const { data, media_type } = sendable.source;
    const kept = { ...(await images.keep(data)), ...getImageSize(sendable) };
    stored.set(block, { type: 'image', source: { type: 'stored', media_type, ...kept } });
  }
  return stored.size === 0 ? message : mapImages(message, (block) => stored.get(block) ?? block);
}

/** Wraps a model so that its requests contain the images themselves in place of the transcript's pointers. */
export function withImages(model: Model, images: Images): Model {
  const call: Model['call'] = async (request, signal, terms) =>
    model.call(await loadImages(request, images), signal, terms);
  if (model.countTokens === undefined) return { ...model, call };
  const count = model.countTokens.bind(model);
  return { ...model, call, countTokens: async (request, signal) => count(await loadImages(request, images), signal) };
}

async function loadImages(request: ModelRequest, images: Images): Promise<ModelRequest> {
  const found = new Map<string, string>();
  for (const { source } of request.messages.flatMap(listImageBlocks))
    if (source.type === 'stored' && !found.has(source.sha256))
      found.set(source.sha256, await images.load(source.sha256));
  if (found.size === 0) return request;
  return {
    ...request,
    messages: request.messages.map((message) => mapImages(message, (block) => toBase64Block(block, found))),
  };
}

/** An image that an earlier version stored without a look at its bytes may be one that the API refuses. */
function toBase64Block(block: ImageBlock, found: ReadonlyMap<string, string>): ImageBlock | TextBlock {
  const { source } = block;
  if (source.type === 'base64') return block;
  const { media_type, sha256 } = source;
  return toSendableImage({ ...block, source: { type: 'base64', media_type, data: found.get(sha256) ?? '' } });
}
