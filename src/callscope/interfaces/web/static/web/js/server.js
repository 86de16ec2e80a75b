// Asking the server from a module: the CSRF token of the page, JSON both ways, and what a wrong answer means.

import { token } from "./app.js";

const MOST_SENTENCES = 100; // that the server puts into other words at once

/** The server could not be reached, or answered what this page cannot use; `status` is 0 without an answer. */
export class NoAnswer extends Error {
  constructor(status, lines = []) {
    super(lines.join(" "));
    this.status = status;
    this.lines = lines;
  }
}

// A page that needs a session sends anyone without one to the sign-in page.
const isSignIn = (response) => response.redirected && response.url.includes("/login/");

/**
 * Take a new CSRF token from the server: a sign-in in another tab makes the page's own worthless.
 * Returns whether somebody is signed in; throws NoAnswer when nothing usable answers.
 */
export async function renewToken() {
  let response;
  try {
    response = await fetch(location.href, { headers: { Accept: "text/html" } });
  } catch {
    throw new NoAnswer(0);
  }
  if (isSignIn(response)) return false;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html").body.getAttribute("hx-headers");
  if (!fresh) throw new NoAnswer(response.status);
  document.body.setAttribute("hx-headers", fresh);
  for (const field of document.querySelectorAll("input[name=csrfmiddlewaretoken]")) field.value = token();
  return true;
}

/** Return the answer to a request; throws NoAnswer unless something answered as this page's session. */
export async function ask(url, { method = "GET", json, form } = {}, hasRenewed = false) {
  const headers = { Accept: "application/json" };
  if (method !== "GET") headers["X-CSRFToken"] = token();
  if (json !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(url, { method, headers, body: json !== undefined ? JSON.stringify(json) : form });
  } catch {
    throw new NoAnswer(0);
  }
  if (isSignIn(response)) throw new NoAnswer(401);
  // Nothing was done: either the token is an old one, or this is not allowed, which a second try says again.
  if (response.status === 403 && method !== "GET" && !hasRenewed) {
    if (!(await renewToken())) throw new NoAnswer(401);
    return ask(url, { method, json, form }, true);
  }
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
  if (body === null || typeof body !== "object") return [];
  if (typeof body.detail === "string") return [body.detail];
  return Object.values(body).flat().filter((text) => typeof text === "string");
}

/** Return sentences of the API in the words of the page; as they are where these cannot be had. English ones change only in `full`. */
export async function inOurWords(url, lines, { full = false } = {}) {
  if (!full && document.documentElement.lang.startsWith("en")) return lines;
  const words = [];
  try {
    for (let first = 0; first < lines.length; first += MOST_SENTENCES) {
      const some = lines.slice(first, first + MOST_SENTENCES);
      words.push(...(await askJson(url, { method: "POST", json: { sentences: some } })).sentences);
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return lines;
  }
  return words;
}
