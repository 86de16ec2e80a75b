// Rows that can be selected (data-rows): j and k move, x selects, the box in the head selects all, and the bar of what can be
// done with them says how many there are.
let at = -1;
let kept = []; // the boxes that a part of the page had which replaces itself (data-keeps-picked)

const rows = () => [...document.querySelectorAll("[data-rows] tbody tr:not(.snippets)")];
const boxes = () => [...document.querySelectorAll("[data-rows] tbody input[type=checkbox]")];
const isKept = (event) => event.detail.target.matches("[data-keeps-picked]");
export const hasKeys = document.documentElement.dataset.keys !== "off";
export const isTyping = (target) => target.closest("input:not([type=checkbox]), select, textarea, [contenteditable], dialog");

/** Move to another row, or to the one where it was last. */
export function move(step) {
  const all = rows();
  if (!all.length) return;
  at = Math.min(Math.max(at < 0 ? 0 : at + step, 0), all.length - 1);
  for (const row of all) row.classList.toggle("at", row === all[at]);
  (all[at].querySelector("a.name") ?? all[at].querySelector("input[type=checkbox]"))?.focus({ preventScroll: true });
  all[at].scrollIntoView({ block: "nearest" });
}

/** Begin at the first row again. */
export const restart = () => { at = -1; };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !hasKeys) return;
  const act = {
    j: () => move(1),
    k: () => move(-1),
    x: () => rows()[at]?.querySelector("input[type=checkbox]")?.click(),
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

function countPicked() {
  const picked = document.querySelector("[data-picked]");
  const ticked = boxes().filter((box) => box.checked).length;
  picked.textContent = picked.dataset.picked.replace("{count}", ticked);
  const all = document.querySelector("[data-pick-all]");
  if (!all) return;
  all.checked = ticked > 0 && ticked === boxes().length;
  all.indeterminate = ticked > 0 && !all.checked;
}
// Who comes back finds the boxes ticked as they were left.
window.addEventListener("pageshow", () => boxes().some((box) => box.checked) && countPicked());

document.addEventListener("change", (event) => {
  if (!event.target.matches?.("[data-rows] input")) return;
  if (event.target.matches("[data-pick-all]")) for (const box of boxes()) box.checked = event.target.checked;
  countPicked();
});

document.addEventListener("htmx:beforeSwap", (event) => {
  if (isKept(event)) kept = boxes().filter((box) => box.checked).map((box) => box.value);
});
document.addEventListener("htmx:afterSwap", () => {
  if (!kept.length) return;
  for (const box of boxes()) box.checked = kept.includes(box.value);
  kept = [];
  countPicked();
});
