// Every page: theme without a reload, menus that close, toasts, definitions, where the focus goes when htmx swaps, and
// what to say when htmx fails.
import "./focus.js";
import "./tip.js";

const SENT_AGAIN_AFTER_MS = 10_000; // a second press of a form's button within it is taken for the same one

const root = document.documentElement;

document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-theme-form]");
  const theme = event.submitter?.value;
  if (!form || !theme) return;
  event.preventDefault();
  root.dataset.theme = theme;
  for (const button of form.querySelectorAll("button")) button.ariaPressed = String(button === event.submitter);
  const fields = new FormData(form);
  fields.set("theme", theme);
  fetch(form.action, { method: "POST", body: fields, redirect: "manual" });
});

// A form that came back with faults: the first of them has the focus.
document.querySelector("main [aria-invalid=true]")?.focus();

// A form that is pressed twice goes out once. A page that comes back from the history starts fresh.
let sent = new WeakMap();
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || event.defaultPrevented) return;
  if (event.timeStamp - sent.get(form) < SENT_AGAIN_AFTER_MS) event.preventDefault();
  else sent.set(form, event.timeStamp);
});
window.addEventListener("pageshow", () => { sent = new WeakMap(); });

document.addEventListener("click", (event) => {
  const toast = event.target.closest("[data-dismiss]")?.closest(".toast");
  if (toast) dismiss(toast);
  for (const menu of document.querySelectorAll("[data-menu][open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.querySelector("[data-menu][open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// A menu that the focus leaves would cover what comes after it.
document.addEventListener("focusin", (event) => {
  for (const menu of document.querySelectorAll("[data-menu][open]")) if (!menu.contains(event.target)) menu.open = false;
});

/**
 * Show a sentence at the foot of the page, in place of one that says the same; level is "", "good" or "bad".
 * `act` adds a button or a link: {label, press} or {label, href}, which opens next to this page.
 */
export function toast(text, level = "", act = null) {
  unsay(text);
  const copy = document.getElementById("toast-template").content.cloneNode(true);
  const box = copy.querySelector(".toast");
  box.querySelector("p").textContent = text;
  if (level) box.classList.add(level);
  if (act) box.querySelector("p").after(offer(act, box));
  document.getElementById("toasts").append(copy);
}

function offer({ label, press, href }, box) {
  const made = Object.assign(document.createElement(href ? "a" : "button"), { className: "button", textContent: label });
  if (href) Object.assign(made, { href, target: "_blank" });
  else {
    made.type = "button";
    made.addEventListener("click", () => {
      dismiss(box);
      press();
    });
  }
  return made;
}

/** Take a sentence back that holds no longer. */
export function unsay(text) {
  for (const box of document.querySelectorAll("#toasts .toast")) if (box.querySelector("p").textContent === text) dismiss(box);
}

function dismiss(box) {
  const hadFocus = box.contains(document.activeElement);
  box.remove();
  if (hadFocus) (cameFrom?.isConnected ? cameFrom : document.getElementById("main")).focus({ preventScroll: true });
}

let cameFrom = null; // where the focus was before it went to a toast
document.addEventListener("focusout", (event) => {
  if (!event.target.closest("#toasts") && event.relatedTarget?.closest("#toasts")) cameFrom = event.target;
});

/** Say once that the server is away while this page asks by itself, and take it back when it answers again. */
export function outage(isOut) {
  const text = document.body.dataset.textAway;
  const isSaid = [...document.querySelectorAll("#toasts .toast p")].some((each) => each.textContent === text);
  if (isOut && !isSaid) toast(text, "bad");
  if (!isOut && isSaid) unsay(text);
}

const asksByItself = (element) => /\bevery\b/.test(element?.getAttribute?.("hx-trigger") ?? "");
document.addEventListener("htmx:sendError", (event) => {
  if (asksByItself(event.detail.elt)) outage(true);
  else toast(document.body.dataset.textFailed, "bad");
});
document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.getResponseHeader("HX-Redirect")) return;
  if (asksByItself(event.detail.elt)) outage(event.detail.xhr.status >= 500);
  else toast(document.body.dataset.textRefused, "bad");
});
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.status >= 400) return;
  outage(false);
  unsay(document.body.dataset.textFailed);
});
// A view sends HX-Trigger: {"toast": {"text": …, "level": …}} to say something in addition to its fragment.
document.addEventListener("toast", (event) => toast(event.detail.text, event.detail.level));

document.addEventListener("change", (event) => event.target.closest("[data-submit-on-change]")?.requestSubmit());

// Filters: a form sends only what is filled in, so that addresses stay short; data-short-address may name a
// parameter to send blank where nothing is, since a bare address of the report opens the last project.
function shorten(form, data) {
  for (const [name, value] of [...data]) if (value === "") data.delete(name);
  const blank = form.dataset.shortAddress;
  if (blank && data.entries().next().done) data.set(blank, "");
}
document.addEventListener("formdata", (event) => {
  if (event.target.matches("[data-short-address]")) shorten(event.target, event.formData);
});
document.addEventListener("htmx:configRequest", (event) => {
  const form = event.detail.elt.closest("[data-short-address]");
  if (form) shorten(form, event.detail.formData);
});
