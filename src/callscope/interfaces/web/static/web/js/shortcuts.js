// Keys of every page: g and a letter go to a place, a digit to a part, s and S to the next and previous section, ? lists them.
//
// A place is a link marked data-go; what a page does with a key of its own is marked data-key: a link, a button, or a fold,
// whose text takes the focus. Who dictates turns single keys off; then only the entry of the menu opens the list.
const TYPED_IN = "input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable], dialog";
const SECOND_KEY_WITHIN_MS = 1500;
const hasKeys = document.documentElement.dataset.keys !== "off";
const dialog = document.getElementById("shortcuts");
let wentAt = -Infinity;

const headings = () => [...document.querySelectorAll("main :is(h1, h2, h3):not(.vh)")].filter((each) => each.checkVisibility());

function goToSection(step) {
  const all = headings();
  const focused = document.activeElement;
  const isBefore = (each) => each === focused || each.compareDocumentPosition(focused) & Node.DOCUMENT_POSITION_FOLLOWING;
  const here = all.findLastIndex(isBefore);
  const next = all[step < 0 && all[here] !== focused ? here : here + step];
  if (!next) return;
  next.tabIndex = -1;
  next.focus();
}

function press(element) {
  element.click();
  const fold = element.matches("summary") && element.parentElement;
  if (fold?.open) (fold.querySelector("textarea") ?? fold.querySelector("input:not([type=hidden])"))?.focus();
}

/** Show the keys of every page, and those that this page names at its tables and players. */
function list() {
  const own = dialog.querySelector("[data-own-keys]");
  own.replaceChildren(...[...document.querySelectorAll("main .keys")].map((each) => {
    const copy = document.createElement("p");
    copy.append(...each.cloneNode(true).childNodes);
    return copy;
  }));
  dialog.showModal();
}

document.querySelector("[data-shortcuts]")?.addEventListener("click", (event) => {
  event.target.closest("details").open = false;
  list();
});

document.addEventListener("keydown", (event) => {
  if (!hasKeys || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(TYPED_IN)) return;
  if (document.querySelector("dialog[open], [data-menu][open]")) { // they hide what keys of this page or a part of it would do
    if (event.key.length === 1 && event.key !== " ") event.stopImmediatePropagation();
    return;
  }
  const isSecond = event.timeStamp - wentAt < SECOND_KEY_WITHIN_MS;
  wentAt = event.key === "g" ? event.timeStamp : -Infinity;
  const place = isSecond && document.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
  const part = /^[1-9]$/.test(event.key) && document.querySelectorAll("main .tabs a")[event.key - 1];
  const own = document.querySelector(`main [data-key="${CSS.escape(event.key)}"]`);
  if (place || part) (place || part).click();
  else if (event.key === "?") list();
  else if (event.key === "s" || event.key === "S") goToSection(event.key === "s" ? 1 : -1);
  else if (own?.checkVisibility()) press(own);
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, { capture: true });
