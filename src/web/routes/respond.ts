/** Responses of the page: HTML with its content policy, and refusals as a page, or as JSON under `/api/`. */
import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { isHarnessError, describeError } from '../../errors.ts';
import { html, type Html } from '../../report/html/html.ts';
import { ASSETS } from '../browser/assets.ts';
import { formToken } from '../guard/form-token.ts';
import type { Visitor } from '../guard/visitor.ts';
import { gateHref } from '../pages/page-links.ts';
import { framePage, type Frame } from '../pages/layout.ts';
import { parseGateKey } from '../read/find-run.ts';
import type { ReviewDeps } from '../web-deps.ts';

/** `incoming` exists behind a real socket, but not in tests that call the app; `visitor` is the admitted person. */
export type ReviewEnv = {
  Bindings: { incoming?: { socket?: { remoteAddress?: string | undefined } }; visitor?: Visitor };
  Variables: { visitor: Visitor | undefined };
};
export type ReviewContext = Context<ReviewEnv>;

type Status = 200 | 400 | 401 | 403 | 404 | 409 | 413 | 421 | 422 | 429 | 500 | 503;

/** `charts`: the report's pictures set widths in style attributes, which every other page forbids. */
type PolicyOptions = { charts?: boolean | undefined };

type PageInput = Omit<Frame, 'visitor' | 'alone'> & PolicyOptions & { status?: Status };

export function sendPage(c: ReviewContext, deps: ReviewDeps, { status = 200, charts, ...frame }: PageInput): Response {
  const visitor = c.get('visitor');
  const nonce = randomBytes(16).toString('base64');
  c.header('content-security-policy', formatContentPolicy(nonce, { charts }));
  const signOutToken =
    visitor?.by === 'cookie' ? formToken(visitor.session, deps.signer, deps.clock.now().getTime()) : undefined;
  const practice = deps.practice?.before;
  const whole = { ...frame, practice, visitor: visitor?.name, alone: visitor?.only !== undefined };
  const paths = { style: ASSETS.style.path, script: ASSETS.script.path, conversation: ASSETS.conversation.path };
  const marks = { nonce, ...paths, signOutToken };
  return c.html(framePage(whole, marks), status);
}

export function formatContentPolicy(nonce: string, { charts = false }: PolicyOptions): string {
  return [
    `default-src 'none'`,
    `style-src 'nonce-${nonce}'${charts ? `; style-src-attr 'unsafe-inline'` : ''}`,
    `script-src 'nonce-${nonce}'`,
    `connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    `require-trusted-types-for 'script'; trusted-types 'none'`,
  ].join('; ');
}

type RefusalInput = { status: Status; title: string; text: string };

/** Responds with JSON under `/api/`, otherwise with a page. */
export function respondWithRefusal(
  c: ReviewContext,
  deps: ReviewDeps,
  { status, title, text }: RefusalInput,
): Response {
  if (c.req.path.startsWith('/api/')) return c.json({ error: { message: text } }, status);
  const body = html`<header><h1>${title}</h1></header>
    <div class="alert bad" role="alert"><p>${text}</p></div>
    ${renderNextLinks(c.get('visitor'))}`;
  return sendPage(c, deps, { title, body, status });
}

/** A personal link opens only its own gate; every other link would be refused again. */
function renderNextLinks(visitor: Visitor | undefined): Html {
  if (visitor?.only === undefined)
    return html`<p class="evidence"><a href="/">What waits for a decision</a> <a href="/runs">All runs</a></p>`;
  const { run, gate } = parseGateKey(visitor.only.gate);
  return html`<p class="evidence"><a href="${gateHref(run, gate)}">The gate that your link opens</a></p>`;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'This cannot be answered',
  403: 'You may not do this',
  404: 'Not here',
  409: 'This was not recorded',
  422: 'This was not recorded',
};

const UNKNOWN = 'Something went wrong here; the log of tandem serve says what.';

/** Our own errors say what to do; any other error must reveal nothing about the machine. */
export function respondWithError(c: ReviewContext, deps: ReviewDeps, error: unknown): Response {
  const status = httpStatus(error);
  const known = isHarnessError(error);
  const text = known ? withoutPaths(describeError(error)) : UNKNOWN;
  if (c.req.path.startsWith('/api/')) {
    const { refusal, problems } = known ? error.details : {};
    return c.json({ error: { code: known ? error.code : 'internal', refusal, problems, message: text } }, status);
  }
  return respondWithRefusal(c, deps, { status, title: TITLES[status] ?? 'Something went wrong', text });
}

const INCOMPLETE = new Set(['comment_missing', 'comment_too_long', 'nonce_missing', 'edit_invalid', 'unconfirmed']);

export function httpStatus(error: unknown): Status {
  if (!isHarnessError(error)) return 500;
  if (error.code === 'not_found') return 404;
  if (error.code === 'usage') return 400;
  if (error.code !== 'gate_refused' && error.code !== 'unsafe_policy') return 500;
  if (error.details['refusal'] === 'not_allowed') return 403;
  return INCOMPLETE.has(String(error.details['refusal'])) ? 422 : 409;
}

/** Removes paths, because readers need not know where on the machine the runs are. */
export function withoutPaths(message: string): string {
  return message.replace(/(?<![\w.])\/(?:[\w.@-]+\/)+/g, '…/');
}
