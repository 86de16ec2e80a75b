// The calls table by keyboard: Enter opens, n and p turn pages, / goes to the search; rows are selected by picking.js.
import { hasKeys, isTyping, move, restart } from "./picking.js";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.getElementById("f-search");
  if (event.key === "Escape" && event.target === search) {
    search.blur();
    move(0);
    return;
  }
  if (isTyping(event.target) || !hasKeys) return;
  const pager = document.querySelector("[data-pager]");
  const act = {
    "/": () => {
      const fold = document.getElementById("f-shown");
      if (fold && !search?.offsetParent) fold.checked = true; // of a narrow window
      search?.select();
    },
    n: () => pager?.querySelector("[rel=next]")?.click(),
    p: () => pager?.querySelector("[rel=prev]")?.click(),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

document.addEventListener("click", (event) => {
  const row = event.target.closest("[data-rows] tbody tr:not(.snippets)");
  if (!row || event.target.closest("a, button, label, input") || String(getSelection())) return;
  row.querySelector("a.name").click();
});

// Filters that were unfolded stay so while the list is replaced.
let hadRarer = false;
document.addEventListener("htmx:beforeSwap", () => { hadRarer = Boolean(document.querySelector(".rarer[open]")); });

document.addEventListener("htmx:afterSwap", ({ target }) => {
  if (target.id !== "calls") return;
  if (hadRarer) document.querySelector(".rarer").open = true;
  // Once it is settled: until then the new form is no form of htmx's, and hears no letter.
  document.addEventListener("htmx:afterSettle", askForTyped, { once: true });
});

/** Ask for what was typed or chosen while another answer was on its way, whose form took the place of the one that was to ask. */
function askForTyped() {
  const shown = new URLSearchParams(location.search);
  const isTyped = (field) => (field.matches("[hx-preserve]") ? field.value.trim() !== (shown.get(field.name) ?? "") : isChanged(field));
  const fields = [...document.querySelectorAll("#narrowing :is(input, select)")];
  if (fields.some(isTyped)) document.getElementById("narrowing").requestSubmit();
}

/** Return whether a field is no longer as the server wrote it. */
function isChanged(field) {
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field.options) return field.value !== ([...field.options].find((option) => option.defaultSelected) ?? field.options[0])?.value;
  return field.value !== field.defaultValue;
}

document.addEventListener("htmx:afterSwap", (event) => {
  if (!["calls", "list"].includes(event.target.id)) return;
  restart();
  markWrong();
  const asked = event.detail.requestConfig?.elt;
  if (asked?.closest?.("[data-pager]")) document.getElementById("calls").scrollIntoView({ block: "start" });
});

/** Mark the field that the list names as wrong: the fields are not replaced with the list. */
function markWrong() {
  const wrong = document.getElementById("list-problem")?.dataset.field;
  for (const field of document.querySelectorAll("#narrowing [name]")) {
    for (const [name, value] of [["aria-invalid", "true"], ["aria-describedby", "list-problem"]])
      if (wrong && field.name === wrong) field.setAttribute(name, value);
      else field.removeAttribute(name);
  }
}

// The long lists of the filters come once the page is painted. Where htmx replaced the form meanwhile, the new one has them.
async function fillLists() {
  const form = document.querySelector("form[data-choices]");
  if (!form) return;
  const response = await fetch(form.dataset.choices).catch(() => null);
  if (!form.isConnected || !form.dataset.choices) return;
  if (!response?.ok || response.redirected) {
    form.addEventListener("focusin", fillLists, { once: true }); // tried again when a list is needed
    return;
  }
  delete form.dataset.choices;
  const lists = document.createElement("template");
  lists.innerHTML = await response.text();
  for (const list of lists.content.querySelectorAll("template")) document.getElementById(list.dataset.for)?.append(list.content);
}
new PerformanceObserver((_entries, observer) => {
  observer.disconnect();
  fillLists();
}).observe({ type: "paint", buffered: true });
