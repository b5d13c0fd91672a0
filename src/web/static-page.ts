/** A page of the review server as a file that needs no server: links are relative, and what would ask a server is left out. */
import { ASSETS } from './browser/assets.ts';

/** The style sheet that every file loads. */
export const STATIC_STYLE = { file: 'style.css', body: ASSETS.style.body };

/** A file has no origin of its own in every browser, so its scheme is named too. */
const POLICY =
  "default-src 'none'; style-src 'self' file: 'unsafe-inline'; img-src 'self' file: data:; base-uri 'none'; form-action 'none'";

/**
 * `fileOf`: the file of an address of this server, or undefined where there is none; its link becomes plain text. The markup is our own: whatever
 * others wrote is escaped in it, so that no text can look like a tag.
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
      const to = address.startsWith('#') ? address : linkTo(address.replaceAll('&amp;', '&'), fileOf);
      return to === undefined ? '' : attribute.replace(`"${address}"`, () => `"${to}"`);
    });
}

function linkTo(address: string, fileOf: (address: string) => string | undefined): string | undefined {
  const [whole = '', part] = address.split('#');
  const file = fileOf(whole);
  return file === undefined ? undefined : `${file}${part === undefined ? '' : `#${part}`}`;
}

/** What a folder of files holds of one run, and under which address; undefined for what only a server can answer. */
export function staticAddress(run: string, address: string): string | undefined {
  const { pathname, searchParams } = new URL(address, 'http://static.invalid');
  const place = pathname === run ? '' : pathname.startsWith(`${run}/`) ? pathname.slice(run.length) : undefined;
  if (place === undefined) return undefined;
  if (place === '/results') return filterAlone(pathname, searchParams);
  const lane = searchParams.get('lane');
  if (/^\/transcripts\/[^/]+$/.test(place) && lane !== null) return `${pathname}?lane=${encodeURIComponent(lane)}`;
  // Bytes of one line are in the trace itself; the files hold one page of each trial.
  if (searchParams.has('raw') || searchParams.has('try')) return undefined;
  const isPage =
    place === '' || /^\/(?:samples|sources|transcripts)\/|^\/iterations\/\d+\/(?:samples|files)\//.test(place);
  return isPage && !place.endsWith('/words') ? pathname : undefined;
}

/** Every filter by itself, but no two of them: their number would have no end. */
function filterAlone(pathname: string, params: URLSearchParams): string | undefined {
  const filters = [...params].filter(([name]) => name !== 'page');
  if (filters.length > 1 || params.has('find')) return undefined;
  const query = params.toString();
  return query === '' ? pathname : `${pathname}?${query}`;
}
