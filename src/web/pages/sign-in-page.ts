/** The page for visitors who are not signed in, and the page that leads on after sign-in. */
import { html, type Html } from '../../report/html/html.ts';
import { renderAlert } from './layout.ts';

export type SignInPage = {
  /** The address that the visitor wanted to open. */
  to: string;
  fault: string | undefined;
  /** Tells whether the visitor's posted text was saved. */
  notice: string | undefined;
  /** True when the browser may only have withheld its cookie. */
  again: boolean;
};

export function signInPage({ to, fault, notice, again }: SignInPage): Html {
  return html`${again ? html`<meta http-equiv="refresh" content="0;url=${to}" />` : undefined}
    <header>
      <p class="brand">Review of designs</p>
      <h1>Sign in to review</h1>
    </header>
    ${fault === undefined ? undefined : renderAlert('bad', fault)}
    ${notice === undefined ? undefined : renderAlert('warn', 'Nothing was recorded.', notice)}
    <section class="card">
      <p>
        Open the address that <code>tandem serve</code> printed, or paste its token here. Reviewers who are listed in
        <code>config/reviewers.yaml</code> have a token of their own.
      </p>
      <form method="post" action="/sign-in">
        <input type="hidden" name="to" value="${to}" />
        <p><label for="token">Token</label></p>
        <input type="password" id="token" name="token" autocomplete="current-password" required />
        <p><button class="yes">Sign in</button></p>
      </form>
      <p class="small soft">Signed in already? <a href="${to}">Go on</a>.</p>
    </section>`;
}

/** The page is not a redirect, because after one a browser coming from another site would not send its new cookie. */
export function signedInPage(name: string, to: string): Html {
  return html`<meta http-equiv="refresh" content="0;url=${to}" />
    <section class="card">
      <h1>Signed in as ${name}</h1>
      <p><a href="${to}">Go on</a></p>
    </section>`;
}
