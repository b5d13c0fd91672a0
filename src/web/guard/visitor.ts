/** Identifies the visitor by bearer token, reverse proxy header or signed cookie, and never by the request body. */
import { sha256 } from '../../disk/sha256.ts';
import { isSameActor } from '../../gate/rules/same-actor.ts';
import { openSignIn, type SignInSession } from './sign-in-session.ts';
import { isSameSecret, type Signer } from './signer.ts';

export type Reviewer = {
  name: string;
  role: 'owner' | 'reviewer' | 'viewer';
  /** Absent means every scenario. */
  scenarios?: readonly string[] | undefined;
  /** Further scenarios that the reviewer may read but not decide. */
  reads?: readonly string[] | 'all' | undefined;
  tokenSha256?: string | undefined;
};

/** The people who may enter, and how. With an empty list of reviewers, every admitted visitor may decide. */
export type Access = {
  reviewers: readonly Reviewer[];
  /** The person at this machine, who holds the token of the printed address. Absent where that token is refused. */
  local?: { name: string; token: string };
  proxy?: { header: string; addresses: readonly string[] };
  /** False means that the person who starts a run may not decide its gates. */
  starterMayDecide?: boolean;
};

export type Visitor = {
  name: string;
  /** The session that form tokens are bound to. */
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

/** Names that are allowed after `user:` in a journal. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,99}$/u;

export function identifyVisitor(
  asking: RequestCredentials,
  { access, signer }: { access: Access; signer: Signer },
  nowMs: number,
): Visitor | undefined {
  const bearer = /^Bearer ([\x21-\x7e]{1,500})$/i.exec(asking.header('authorization') ?? '')?.[1];
  if (bearer !== undefined) {
    const name = findTokenName(bearer, access);
    return name === undefined ? undefined : { name, session: `token ${name}`, by: 'token' };
  }
  const proxied = findProxiedName(asking, access);
  if (proxied !== undefined) return { name: proxied, session: `proxy ${proxied}`, by: 'proxy' };
  const session = asking.cookie === undefined ? undefined : openSignIn(asking.cookie, signer, nowMs);
  return session === undefined ? undefined : toVisitor(session);
}

export function toVisitor({ name, id, only }: SignInSession): Visitor {
  return { name, session: id, by: 'cookie', ...(only === undefined ? {} : { only }) };
}

/** Compares every token, so that the time taken does not reveal which one was nearly right. */
export function findTokenName(token: string, { reviewers, local }: Access): string | undefined {
  const digest = sha256(token);
  const listed = reviewers.filter(({ tokenSha256 }) => tokenSha256 !== undefined && isSameSecret(tokenSha256, digest));
  if (local !== undefined && isSameSecret(local.token, token)) return local.name;
  return listed[0]?.name;
}

function findProxiedName({ header, address }: RequestCredentials, { proxy }: Access): string | undefined {
  if (proxy === undefined || !proxy.addresses.includes(address)) return undefined;
  const name = header(proxy.header)?.normalize('NFKC');
  return name !== undefined && NAME.test(name) ? name : undefined;
}

/** Without a list of reviewers every visitor may decide; otherwise only the reviewers listed for this scenario. */
export function mayDecide({ name }: Pick<Visitor, 'name'>, scenario: string, { reviewers }: Access): boolean {
  if (reviewers.length === 0) return true;
  return reviewers.some(
    (one) => one.role !== 'viewer' && isSameActor(one.name, name) && (one.scenarios?.includes(scenario) ?? true),
  );
}
