/** The files that pages load, named by the digest of their content, so that a browser may cache them for ever. */
import { sha256 } from '../../disk/sha256.ts';
import { readOwnText } from '../../own-file.ts';

export type Asset = { path: string; type: string; body: string };

function createAsset(extension: string, type: string, body: string): Asset {
  const mark = sha256(body).slice(0, 12);
  return { path: `/assets/review.${mark}.${extension}`, type: `${type}; charset=utf-8`, body };
}

const STYLES = [
  readOwnText('../../report/html/report.css', import.meta.url),
  readOwnText('./review.css', import.meta.url),
  readOwnText('./results.css', import.meta.url),
];
/** One module of the page: each names what those before it define. */
const SCRIPTS = [
  readOwnText('./page.js', import.meta.url),
  readOwnText('./news.js', import.meta.url),
  readOwnText('./chat.js', import.meta.url),
  readOwnText('./draft.js', import.meta.url),
];

export const ASSETS = {
  style: createAsset('css', 'text/css', STYLES.join('\n')),
  script: createAsset('js', 'text/javascript', SCRIPTS.join('\n')),
  /** Loaded in addition on the page of a conversation. */
  conversation: createAsset('js', 'text/javascript', readOwnText('./conversation.js', import.meta.url)),
};
