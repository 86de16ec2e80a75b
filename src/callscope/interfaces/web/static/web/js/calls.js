// The calls table by keyboard: j and k move, Enter opens, x selects, n and p turn pages, / goes to the search.
let at = -1;

const rows = () => [...document.querySelectorAll("[data-rows] tbody tr:not(.snippets)")];
const hasKeys = document.documentElement.dataset.keys !== "off";
const isTyping = (target) => target.closest("input:not([type=checkbox]), select, textarea, [contenteditable]");

function move(step) {
  const all = rows();
  if (!all.length) return;
  at = Math.min(Math.max(at + step, 0), all.length - 1);
  for (const row of all) row.classList.toggle("at", row === all[at]);
  all[at].querySelector("a.name").focus({ preventScroll: true });
  all[at].scrollIntoView({ block: "nearest" });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.getElementById("f-search");
  if (event.key === "Escape" && event.target === search) {
    search.blur();
    move(at < 0 ? 1 : 0);
    return;
  }
  if (isTyping(event.target) || !hasKeys) return;
  const pager = document.querySelector("[data-pager]");
  const act = {
    j: () => move(1),
    k: () => move(-1),
    x: () => rows()[at]?.querySelector("input[name=call]")?.click(),
    "/": () => search?.select(),
    n: () => pager?.querySelector("[rel=next]")?.click(),
    p: () => pager?.querySelector("[rel=prev]")?.click(),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

document.addEventListener("focusin", (event) => {
  const row = event.target.closest("[data-rows] tbody tr:not(.snippets)");
  for (const other of rows()) other.classList.toggle("at", other === row);
  if (row) at = rows().indexOf(row);
});

document.addEventListener("click", (event) => {
  const row = event.target.closest("[data-rows] tbody tr:not(.snippets)");
  if (!row || event.target.closest("a, button, label, input") || String(getSelection())) return;
  row.querySelector("a.name").click();
});

const boxes = () => [...document.querySelectorAll("[data-rows] input[name=call]")];

function countPicked() {
  const picked = document.querySelector("[data-picked]");
  picked.textContent = picked.dataset.picked.replace("{count}", boxes().filter((box) => box.checked).length);
}
// Who comes back finds the boxes ticked as they were left.
window.addEventListener("pageshow", () => boxes().some((box) => box.checked) && countPicked());

document.addEventListener("change", (event) => {
  if (!event.target.matches?.("[data-rows] input")) return;
  if (event.target.matches("[data-pick-all]")) for (const box of boxes()) box.checked = event.target.checked;
  countPicked();
});

// Filters that were unfolded stay so while the list is replaced.
let hadRarer = false;
document.addEventListener("htmx:beforeSwap", () => { hadRarer = Boolean(document.querySelector(".rarer[open]")); });

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.id !== "calls") return;
  if (hadRarer) document.querySelector(".rarer").open = true;
  at = -1;
  const asked = event.detail.requestConfig?.elt;
  if (asked?.closest?.("[data-pager]")) document.getElementById("calls").scrollIntoView({ block: "start" });
});

// The long lists of the filters come once the page is painted. Where htmx replaced the form meanwhile, the new one has them.
async function fillLists() {
  const form = document.querySelector("form[data-choices]");
  if (!form) return;
  const response = await fetch(form.dataset.choices).catch(() => null);
  if (!form.isConnected || !form.dataset.choices) return;
  if (!response?.ok || response.redirected) {
    form.addEventListener("focusin", fillLists, { once: true }); // tried again by whoever needs them
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
