/** Creates the links of notices: one address for all, and for each listed reviewer a link bound to gate and design. */
import { randomBytes } from 'node:crypto';
import type { Reviewers } from '../../config/reviewers.ts';
import type { DueNotice } from '../../gate/notices/due-notices.ts';
import type { NoticeLinksLookup } from '../../gate/notices/collect-notices.ts';
import type { Clock } from '../../ports/run-store.ts';
import { sealSignIn } from '../../web/guard/sign-in-session.ts';
import { createSigner } from '../../web/guard/signer.ts';

export type LinkOptions = { base: string; reviewers: Reviewers; secret: string | undefined; clock: Clock };

/** A link works like a sign-in, so it expires after this many milliseconds. */
const LINK_MS = 7 * 24 * 60 * 60 * 1000;

export function createLinks({ base, reviewers, secret, clock }: LinkOptions): NoticeLinksLookup {
  const signer = secret === undefined ? undefined : createSigner(secret);
  return (notice) => {
    const { run, scenario, gate, digest = '' } = notice;
    const place = formatPath(notice);
    const own = (name: string): { url: string; signed: boolean } => {
      // Only a link to one design is sent, because it must be bound to that design.
      if (signer === undefined || gate === undefined || digest === '') return { url: base + place, signed: false };
      const until = clock.now().getTime() + LINK_MS;
      const id = randomBytes(12).toString('base64url');
      const sealed = sealSignIn({ id, name, only: { gate: `${run}.${gate}`, digest }, until }, signer);
      return { url: `${base}/sign-in?${new URLSearchParams({ token: sealed, to: place }).toString()}`, signed: true };
    };
    const people = reviewers.reviewers.filter(
      ({ role, scenarios }) =>
        role !== 'viewer' && (scenarios === undefined || scenario === undefined || scenarios.includes(scenario)),
    );
    return {
      url: base + place,
      recipients: people.flatMap(({ name, email }) => (email === undefined ? [] : [{ name, email, ...own(name) }])),
    };
  };
}

function formatPath({ run, gate, batch }: DueNotice): string {
  if (batch !== undefined) return `/batches/${encodeURIComponent(batch)}`;
  if (run === undefined) return '/notices';
  const own = `/runs/${encodeURIComponent(run)}`;
  return gate === undefined ? own : `${own}/gates/${encodeURIComponent(gate)}`;
}
