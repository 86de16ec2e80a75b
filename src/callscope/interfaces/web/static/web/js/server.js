// Asking the server from a module: the CSRF token of the page, JSON both ways, and what a wrong answer means.

/** The server could not be reached, or answered what this page cannot use; `status` is 0 without an answer. */
export class NoAnswer extends Error {
  constructor(status, detail = "") {
    super(detail);
    this.status = status;
  }
}

export const token = () => JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"];

/** Return the answer to a request; throws NoAnswer unless something answered as this page's session. */
export async function ask(url, { method = "GET", json, form } = {}) {
  const headers = { Accept: "application/json" };
  if (method !== "GET") headers["X-CSRFToken"] = token();
  if (json !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(url, { method, headers, body: json !== undefined ? JSON.stringify(json) : form });
  } catch {
    throw new NoAnswer(0);
  }
  // A page that needs a session sends whoever has none to the sign-in page.
  if (response.redirected && response.url.includes("/login/")) throw new NoAnswer(401);
  return response;
}

/** Return the JSON of the answer; throws NoAnswer with its status and detail when it is an error. */
export async function askJson(url, options) {
  const response = await ask(url, options);
  const body = await response.json().catch(() => null);
  if (!response.ok || body === null) throw new NoAnswer(response.status, sentences(body));
  return body;
}

/** Return every sentence of an error body of the API: {"detail": …} or {"field": ["…"]}. */
export function sentences(body) {
  if (body === null || typeof body !== "object") return "";
  if (typeof body.detail === "string") return body.detail;
  return Object.values(body).flat().filter((text) => typeof text === "string").join(" ");
}
