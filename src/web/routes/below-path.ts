/** The page below a path of its host, `https://example.org/tandem`: every address that it gives away begins with the path. */
import type { MiddlewareHandler } from 'hono';
import { getPath } from 'hono/utils/url';
import type { ReviewEnv } from './respond.ts';

/** Attributes that hold an address of this page; text cannot look like one, because its quotes are escaped. */
const ADDRESSES = /(\s(?:href|src|action|formaction|data-live)="|content="0;url=)\/(?!\/)/g;

/** `base` is empty, or begins with a slash and ends with none. */
export function belowPath(base: string): MiddlewareHandler<ReviewEnv> {
  return async (c, next) => {
    await next();
    if (base === '') return;
    const to = c.res.headers.get('location');
    if (to?.startsWith('/') === true) c.res.headers.set('location', base + to);
    if (c.res.headers.get('content-type')?.startsWith('text/html') !== true) return;
    const text = await c.res.text();
    c.res = new Response(text.replaceAll(ADDRESSES, `$1${base}/`), c.res);
  };
}

/** A proxy may take the path away before it asks, or leave it. */
export function pathBelow(base: string): (request: Request) => string {
  return (request) => {
    const path = getPath(request);
    if (base === '' || !`${path}/`.startsWith(`${base}/`)) return path;
    return path.slice(base.length) || '/';
  };
}
