import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerUnreachable } from "../problem.ts";
import { contact } from "./contact.ts";
import { asking, isForbidden } from "./host-api.ts";

class SignedOut extends Error {}

/** A host that answers everything so, and raises for a login. */
function asked(status: number, body: string): Promise<unknown> {
  const ask = asking(
    {
      http: async () => new Response(body, { status }),
      baseUrl: "http://host",
      getHeaders: () => ({}),
      raiseForStatus(response) {
        if (response.status === 403) throw new SignedOut("Sign in");
      },
    },
    contact(60_000, () => {}),
  );
  return ask("GET", "/me").catch((error: unknown) => error);
}

test("what a host raises for words of its own is what the caller gets, and means what it meant", async () => {
  const error = await asked(403, '{"detail":"Not authenticated"}');
  assert.ok(error instanceof SignedOut);
  assert.ok(isForbidden(error));
});

test("that there is no such thing only the server can say", async () => {
  assert.ok((await asked(404, "<p>Not found</p>")) instanceof ServerUnreachable);
});
