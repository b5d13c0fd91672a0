/** A page of the review server as a file that needs no server: links are relative, forms and live parts left out. */
import { ASSETS } from './browser/assets.ts';

/** The style sheet that every file loads. */
export const STATIC_STYLE = { file: 'style.css', body: ASSETS.style.body };

/** A file has no origin of its own in some browsers, so the policy names the `file:` scheme too. */
const POLICY =
  "default-src 'none'; style-src 'self' file: 'unsafe-inline'; img-src 'self' file: data:; base-uri 'none'; form-action 'none'";

/**
 * `fileOf` returns the file of a server address, or undefined, which turns the link into plain text. The markup is our
 * own and escapes everything written by others, so that no text can look like a tag.
 */
export function staticPage(markup: string, fileOf: (address: string) => string | undefined): string {
  return markup
    .replace(/<script\b[^>]*><\/script>/g, '')
    .replace(/<link rel="stylesheet"[^>]*>/g, `<link rel="stylesheet" href="${STATIC_STYLE.file}" />`)
    .replace(/<meta charset="utf-8" \/>/, `$&<meta http-equiv="Content-Security-Policy" content="${POLICY}" />`)
    .replace(/<nav class="site"[\s\S]*?<\/nav>/g, '')
    .replace(/<dialog\b[\s\S]*?<\/dialog>/g, '')
    .replace(/<form\b[\s\S]*?<\/form>/g, '')
    .replace(/ data-live="[^"]*"/g, '')
    .replace(/(?<=<(?:a|img)\b[^>]*?) (?:href|src)="([^"]*)"/g, (attribute, address: string) => {
      const to = address.startsWith('#') ? address : toFileLink(address.replaceAll('&amp;', '&'), fileOf);
      return to === undefined ? '' : attribute.replace(`"${address}"`, () => `"${to}"`);
    });
}

function toFileLink(address: string, fileOf: (address: string) => string | undefined): string | undefined {
  const [whole = '', part] = address.split('#');
  const file = fileOf(whole);
  return file === undefined ? undefined : `${file}${part === undefined ? '' : `#${part}`}`;
}

/** Returns the address that a static folder uses for this page of the run; undefined for pages that need a server. */
export function staticAddress(run: string, address: string): string | undefined {
  const { pathname, searchParams } = new URL(address, 'http://static.invalid');
  const place = pathname === run ? '' : pathname.startsWith(`${run}/`) ? pathname.slice(run.length) : undefined;
  if (place === undefined) return undefined;
  if (place === '/results') return singleFilterAddress(pathname, searchParams);
  const lane = searchParams.get('lane');
  if (/^\/transcripts\/[^/]+$/.test(place) && lane !== null) return `${pathname}?lane=${encodeURIComponent(lane)}`;
  // The bytes of one line are in the trace itself; the files hold one page of each trial.
  if (searchParams.has('raw') || searchParams.has('try')) return undefined;
  const isPage =
    place === '' || /^\/(?:samples|sources|transcripts)\/|^\/iterations\/\d+\/(?:samples|files)\//.test(place);
  return isPage && !place.endsWith('/words') ? pathname : undefined;
}

/** Only single filters have a file, because combinations are too many. */
function singleFilterAddress(pathname: string, params: URLSearchParams): string | undefined {
  const filters = [...params].filter(([name]) => name !== 'page');
  if (filters.length > 1 || params.has('find')) return undefined;
  const query = params.toString();
  return query === '' ? pathname : `${pathname}?${query}`;
}
