/** Who asks: found from a bearer token, a reverse proxy's header, or the signed cookie, and from nothing in the body. */
import { sha256 } from '../../disk/sha256.ts';
import { isSameActor } from '../../gate/rules/same-actor.ts';
import { openSignIn, type SignInSession } from './sign-in-session.ts';
import { isSameSecret, type Signer } from './signer.ts';

export type Reviewer = {
  name: string;
  role: 'owner' | 'reviewer' | 'viewer';
  /** Absent: of every scenario. */
  scenarios?: readonly string[] | undefined;
  /** Further scenarios that they may read, without a decision. */
  reads?: readonly string[] | 'all' | undefined;
  tokenSha256?: string | undefined;
  /** Of the token that their agents bring. */
  agentTokenSha256?: string | undefined;
};

/** Who may come in and how; an empty list of reviewers means that everybody who is let in may decide. */
export type Access = {
  reviewers: readonly Reviewer[];
  /** The person at this machine: who holds the token of the printed address. Absent where that must not count. */
  local?: { name: string; token: string };
  proxy?: { header: string; addresses: readonly string[] };
  /** False: who starts a run may not decide its gates. */
  starterMayDecide?: boolean;
};

export type Visitor = {
  name: string;
  /** What form tokens are bound to. */
  session: string;
  by: 'token' | 'proxy' | 'cookie';
  only?: { gate: string; digest: string };
};

export type RequestCredentials = {
  header: (name: string) => string | undefined;
  /** The sealed session from the cookie. */
  cookie: string | undefined;
  address: string;
};

/** Names that are allowed behind `user:` in a journal. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,99}$/u;

export function identify(
  asking: RequestCredentials,
  { access, signer }: { access: Access; signer: Signer },
  nowMs: number,
): Visitor | undefined {
  const bearer = /^Bearer ([\x21-\x7e]{1,500})$/i.exec(asking.header('authorization') ?? '')?.[1];
  if (bearer !== undefined) {
    const name = nameOfToken(bearer, access);
    return name === undefined ? undefined : { name, session: `token ${name}`, by: 'token' };
  }
  const proxied = proxiedName(asking, access);
  if (proxied !== undefined) return { name: proxied, session: `proxy ${proxied}`, by: 'proxy' };
  const session = asking.cookie === undefined ? undefined : openSignIn(asking.cookie, signer, nowMs);
  return session === undefined ? undefined : visitorOfSession(session);
}

export function visitorOfSession({ name, id, only }: SignInSession): Visitor {
  return { name, session: id, by: 'cookie', ...(only === undefined ? {} : { only }) };
}

/** Every token is compared, so that the time does not show which one was nearly right. */
export function nameOfToken(token: string, { reviewers, local }: Access): string | undefined {
  const digest = sha256(token);
  const listed = reviewers.filter(({ tokenSha256 }) => tokenSha256 !== undefined && isSameSecret(tokenSha256, digest));
  if (local !== undefined && isSameSecret(local.token, token)) return local.name;
  return listed[0]?.name;
}

/** Whose agent brings this token. One of the page is good for its person's agents too; never the other way round. */
export function nameOfAgentToken(token: string, access: Access): string | undefined {
  const digest = sha256(token);
  const [own] = access.reviewers.filter(
    ({ agentTokenSha256: known }) => known !== undefined && isSameSecret(known, digest),
  );
  return nameOfToken(token, access) ?? own?.name;
}

function proxiedName({ header, address }: RequestCredentials, { proxy }: Access): string | undefined {
  if (proxy === undefined || !proxy.addresses.includes(address)) return undefined;
  const name = header(proxy.header)?.normalize('NFKC');
  return name !== undefined && NAME.test(name) ? name : undefined;
}

/** Every visitor when no reviewers are listed; else only the listed reviewers of this scenario. */
export function mayDecide({ name }: Pick<Visitor, 'name'>, scenario: string, { reviewers }: Access): boolean {
  if (reviewers.length === 0) return true;
  return reviewers.some(
    (one) => one.role !== 'viewer' && isSameActor(one.name, name) && (one.scenarios?.includes(scenario) ?? true),
  );
}
