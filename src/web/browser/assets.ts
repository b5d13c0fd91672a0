/** The files that pages load, named by the digest of their content, so that a browser may cache them for ever. */
import { sha256 } from '../../disk/sha256.ts';
import { REVIEW_STYLE } from '../pages/style.ts';
import { CHAT_SCRIPT } from './chat-script.ts';
import { CONVERSATION_SCRIPT } from './conversation-script.ts';
import { DRAFT_SCRIPT } from './draft-script.ts';
import { PAGE_SCRIPT } from './page-script.ts';

export type Asset = { path: string; type: string; body: string };

function createAsset(extension: string, type: string, body: string): Asset {
  const mark = sha256(body).slice(0, 12);
  return { path: `/assets/review.${mark}.${extension}`, type: `${type}; charset=utf-8`, body };
}

export const ASSETS = {
  style: createAsset('css', 'text/css', REVIEW_STYLE),
  script: createAsset('js', 'text/javascript', PAGE_SCRIPT + CHAT_SCRIPT + DRAFT_SCRIPT),
  /** Loaded in addition on the page of a conversation. */
  conversation: createAsset('js', 'text/javascript', CONVERSATION_SCRIPT),
};
