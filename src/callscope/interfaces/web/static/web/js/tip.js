// Definitions: one box for the page, shown while a [data-tip] is hovered or has the focus, closed by Escape. It comes into the page
// with the first of them: a new element of the body has the browser work out the style of the whole page again, before it is painted.
const MARGIN = 8;
const box = document.createElement("div");
box.id = "tip";
box.className = "tip";
box.setAttribute("role", "tooltip");
box.hidden = true;
let shown = null;
let leaving = 0;

function show(target) {
  clearTimeout(leaving);
  if (target === shown) return;
  hide();
  shown = target;
  if (!box.isConnected) document.body.append(box);
  box.textContent = target.dataset.tip;
  target.setAttribute("aria-describedby", box.id);
  box.hidden = false;
  place(target);
}

function place(target) {
  const around = target.getBoundingClientRect();
  const width = box.offsetWidth;
  const height = box.offsetHeight;
  const left = Math.min(around.left, document.documentElement.clientWidth - width - MARGIN);
  const below = around.bottom + MARGIN / 2;
  const fitsBelow = below + height < window.innerHeight;
  box.style.left = `${Math.max(MARGIN, left)}px`;
  box.style.top = `${fitsBelow ? below : around.top - height - MARGIN / 2}px`;
}

function hide() {
  clearTimeout(leaving);
  shown?.removeAttribute("aria-describedby");
  shown = null;
  box.hidden = true;
}

const owner = (event) => event.target.closest?.("[data-tip]");
document.addEventListener("pointerover", (event) => {
  if (owner(event)) show(owner(event));
  else if (box.contains(event.target)) clearTimeout(leaving);
  else if (shown && document.activeElement !== shown) leaving = setTimeout(hide, 120);
});
document.addEventListener("focusin", (event) => (owner(event) ? show(owner(event)) : hide()));
document.addEventListener("focusout", hide);
// A focus that comes by keyboard scrolls its element into view, after focusin: what it shows moves along.
const follow = () => (shown && shown === document.activeElement ? place(shown) : hide());
document.addEventListener("scroll", follow, { capture: true, passive: true });
document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
document.addEventListener("htmx:beforeSwap", (event) => event.detail.target.contains(shown) && hide());
