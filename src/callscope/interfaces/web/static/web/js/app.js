// Every page: theme without a reload, menus that close, toasts, definitions, what to say when htmx fails, where the focus
// goes when it swaps, and arrows in tables.
import "./shortcuts.js";
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
const faulty = document.querySelector("main :is([aria-invalid=true], [data-wrong])");
(faulty?.matches("fieldset") ? faulty.querySelector("input:checked") ?? faulty.querySelector("input") : faulty)?.focus();

// What is wrong with a field is said until the field is changed: whether that was enough, the server says. The words keep
// their place, since a button that moved away under the pointer would not be pressed.
document.addEventListener("change", ({ target: field }) => {
  if (!field.form || field.closest("[data-editor]")) return; // which checks by itself
  const both = field.name.endsWith("_date") ? [...field.form.elements].filter((each) => each.name.endsWith("_date")) : [field];
  for (const each of both) {
    const near = each.closest(".field")?.querySelectorAll("[aria-describedby]") ?? [];
    for (const described of [each, each.closest("fieldset"), ...near]) described?.getAttribute("aria-describedby")?.split(" ").forEach(settle);
  }
  document.querySelector("main [data-until-changed]")?.classList.add("settled");
});

function settle(id) {
  const words = document.getElementById(id);
  if (!words?.matches(".error")) return;
  words.classList.add("settled");
  for (const each of document.querySelectorAll(`[aria-describedby~="${id}"]`)) {
    each.setAttribute("aria-describedby", each.getAttribute("aria-describedby").replace(id, "").trim());
    each.removeAttribute("aria-invalid");
    each.removeAttribute("data-wrong");
    each.closest(".wrong")?.classList.remove("wrong");
  }
}

// Strips of parts that are wider than the screen begin at the part that is shown.
for (const shown of document.querySelectorAll(".project-tabs [aria-current]"))
  shown.scrollIntoView({ block: "nearest", inline: "center" });

// Maps that are wider than the screen begin at their first busy hour, next to the names of the rows, which stay where they are.
function beginMaps() {
  for (const head of document.querySelectorAll("[data-begin]")) {
    const names = head.closest("table").querySelector("tbody th");
    head.closest(".map-frame").scrollLeft += head.getBoundingClientRect().left - names.getBoundingClientRect().right;
    head.removeAttribute("data-begin"); // once: it may be scrolled on
  }
}
beginMaps();
document.addEventListener("htmx:load", beginMaps);

// A form that is pressed twice goes out once. A page that comes back from the history starts fresh.
let sent = new WeakMap();
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || event.defaultPrevented) return;
  if (event.timeStamp - sent.get(form) < SENT_AGAIN_AFTER_MS) event.preventDefault();
  else sent.set(form, event.timeStamp);
});
window.addEventListener("pageshow", (event) => {
  sent = new WeakMap();
  if (document.body.hasAttribute("hx-headers")) freshen(event.persisted);
});

/** Return the CSRF token of the page. */
export const token = () => JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"];

/** Give forms the token that holds now: a page that comes back may hold that of a session before, and its form would be refused again. */
async function freshen(isOldPage) {
  if (!isOldPage) { // the page itself is new, but the browser may have filled its fields as they were
    for (const field of document.querySelectorAll("input[name=csrfmiddlewaretoken]")) field.value = token();
    return;
  }
  const { NoAnswer, renewToken } = await import("./server.js"); // few pages need it
  try {
    await renewToken();
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error; // the form says so when it is sent
  }
}

// Back to a form that was refused is a step back, which keeps what was typed; without this module the link opens it afresh.
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-back]") || history.length < 2) return;
  event.preventDefault();
  history.back();
});

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

// A menu with a form begins in its field.
document.addEventListener("toggle", (event) => {
  if (event.target.matches("[data-menu][open]")) event.target.querySelector("[data-focus]")?.focus();
}, { capture: true });

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
  takeBack(event.detail.elt);
});
document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.getResponseHeader("HX-Redirect")) return;
  if (asksByItself(event.detail.elt)) outage(event.detail.xhr.status >= 500);
  else toast(document.body.dataset.textRefused, "bad");
  takeBack(event.detail.elt);
});

const answered = new WeakMap(); // form of filters → what it last asked for and got

/** Choices of filters go back to what the rows show, which did not change; words stay, they were typed. */
function takeBack(element) {
  const form = element?.closest?.("form[data-short-address]");
  const last = answered.get(form);
  for (const field of form?.elements ?? []) {
    if (field.type === "checkbox") field.checked = last ? last.getAll(field.name).includes(field.value) : field.defaultChecked;
    for (const option of field.options ?? []) option.selected = last ? option.value === (last.get(field.name) ?? "") : option.defaultSelected;
  }
}
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.status >= 400) return;
  if (event.detail.requestConfig.elt.matches("form[data-short-address]")) answered.set(event.detail.requestConfig.elt, event.detail.requestConfig.formData);
  outage(false);
  unsay(document.body.dataset.textFailed);
});
// A view sends HX-Trigger: {"toast": {"text": …, "level": …}} to say something in addition to its fragment.
document.addEventListener("toast", (event) => toast(event.detail.text, event.detail.level));

document.addEventListener("change", (event) => event.target.closest("[data-submit-on-change]")?.requestSubmit());

// Buttons that check all boxes of the group above them, or none (data-check="all" or "none"); without scripts they are not there.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-of-all] [data-check]");
  for (const box of button?.form.querySelectorAll("[data-check-all] input[type=checkbox]") ?? []) box.checked = button.dataset.check === "all";
});

// Filters: a form sends only what is filled in, so that addresses stay short; data-short-address may name a
// parameter to send blank where nothing is, since a bare address opens the last project.
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

// Where the focus goes when htmx replaces the part of the page that holds it, and what is said about the new part.
//
// It goes to what stands there in place of the old: the same link, button or field, recognized by its words. A part says with
// data-then where it goes instead: a selector; where that is folded away, to the fold of the filters. What is marked data-announce in the new part is read to who cannot see it.
let left = null;

const wordsOf = (element) => (element.getAttribute("aria-label") ?? element.textContent).trim();

function describe(element) {
  return {
    then: element.closest("[data-then]")?.dataset.then,
    tag: element.tagName,
    name: element.getAttribute("name"),
    rel: element.getAttribute("rel"),
    value: element.getAttribute("value"),
    href: element.getAttribute("href"),
    words: wordsOf(element),
  };
}

/** Return what stands in the page for what was described; null where nothing does. */
function counterpart({ then, tag, name, rel, value, href, words }, root) {
  if (then) return [document.querySelector(then), document.getElementById("f-shown")].find((each) => each?.checkVisibility());
  const alike = [...root.querySelectorAll(tag)].filter(
    (each) => each.checkVisibility() && each.getAttribute("name") === name && each.getAttribute("rel") === rel && each.getAttribute("value") === value && (tag === "SELECT" || wordsOf(each) === words),
  );
  return alike.find((each) => each.getAttribute("href") === href) ?? alike[0] ?? null;
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const focused = document.activeElement;
  const isInside = event.detail.shouldSwap && focused !== document.body && event.detail.target.contains(focused);
  left = isInside ? describe(focused) : null;
});

document.addEventListener("htmx:afterSettle", (event) => {
  if (left && document.activeElement === document.body) {
    const main = document.getElementById("main");
    (counterpart(left, main) ?? main).focus({ preventScroll: !left.then });
  }
  left = null;
  announce(event.detail.elt);
});

function announce(root) {
  const region = document.getElementById("announcement");
  const found = root.matches?.("[data-announce]") ? root : root.querySelector?.("[data-announce]");
  const words = found?.textContent.replace(/\s+/g, " ").trim();
  if (words && region.textContent !== words) region.textContent = words;
}

// A table, or a row of links, marked data-arrows is one stop of the Tab key, which else stops at hundreds of figures: arrows move between its
// links, buttons and boxes, Home and End to the first and last of a row. Without this module each link is a stop.
const tables = new WeakMap(); // table → its links and buttons

function gatherStops() {
  for (const table of document.querySelectorAll("[data-arrows]")) {
    if (tables.has(table)) continue;
    const stops = [...table.querySelectorAll(":is(a[href], button, input:not([type=hidden])):not([tabindex])")];
    tables.set(table, stops);
    for (const each of stops) each.tabIndex = each === stops[0] ? 0 : -1;
  }
}
gatherStops();
document.addEventListener("htmx:load", gatherStops);

document.addEventListener("focusin", (event) => {
  const stops = tables.get(event.target.closest("[data-arrows]"));
  if (stops?.includes(event.target)) for (const each of stops) each.tabIndex = each === event.target ? 0 : -1;
});

document.addEventListener("keydown", (event) => {
  const stops = tables.get(event.target.closest?.("[data-arrows]"));
  if (!stops?.includes(event.target) || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  const rows = [...new Set(stops.map((each) => each.closest("tr, .slots")))].map((row) => stops.filter((each) => row.contains(each)));
  const at = rows.findIndex((row) => row.includes(event.target));
  const column = event.target.closest("td, th")?.cellIndex;
  const nearest = (row) => row?.find((each) => each.closest("td, th").cellIndex >= column) ?? row?.at(-1);
  const next = {
    ArrowLeft: () => rows[at][rows[at].indexOf(event.target) - 1],
    ArrowRight: () => rows[at][rows[at].indexOf(event.target) + 1],
    ArrowUp: () => nearest(rows[at - 1]),
    ArrowDown: () => nearest(rows[at + 1]),
    Home: () => rows[at][0],
    End: () => rows[at].at(-1),
  }[event.key]?.();
  if (next) {
    event.preventDefault();
    next.focus();
  }
});

// A list marked data-list-arrows="what its stops match" is one stop of the Tab key, too, however long it grows: any arrow moves to the
// next or the one before that is shown. Tab comes to the current page, else to where the focus was last.
const stopsOf = (list) => [...(list?.querySelectorAll(`:scope ${list.dataset.listArrows}`) ?? [])];
const shownOf = (stops) => stops.filter((each) => each.checkVisibility());

export function settleLists() {
  for (const list of document.querySelectorAll("[data-list-arrows]")) {
    const stops = stopsOf(list);
    const shown = shownOf(stops);
    const offered = shown.length ? shown : stops; // all are hidden in a part that is folded
    const wanted = ["[aria-current]", "[tabindex='0']"].map((selector) => offered.find((each) => each.matches(selector))).find(Boolean) ?? offered[0];
    for (const each of stops) each.tabIndex = each === wanted ? 0 : -1;
  }
}

// What is shown is known once the page is laid out: asking for it before the first paint would put that off. A key does not wait.
let isSettled = false;
const settleFirst = () => { if (!isSettled) { isSettled = true; settleLists(); } };
requestAnimationFrame(() => setTimeout(settleFirst));
document.addEventListener("keydown", settleFirst, { capture: true });
document.addEventListener("htmx:load", () => isSettled && settleLists());
document.addEventListener("change", settleLists); // a box may hide some

document.addEventListener("focusin", (event) => {
  const stops = stopsOf(event.target.closest("[data-list-arrows]"));
  if (stops.includes(event.target)) for (const each of stops) each.tabIndex = each === event.target ? 0 : -1;
});

document.addEventListener("keydown", (event) => {
  const list = event.target.closest?.("[data-list-arrows]");
  const stops = shownOf(stopsOf(list));
  const at = stops.indexOf(event.target);
  if (at < 0 || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: stops.length - 1 }[event.key];
  if (!stops[to] || (list.matches("table") && event.key.match(/Left|Right/))) return; // those move the player
  event.preventDefault();
  stops[to].focus();
});
