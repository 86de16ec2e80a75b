// Where the focus goes when htmx replaces the part of the page that holds it, and what is said about the new part.
//
// It goes to what stands there in place of the old: the same link, button or field, recognized by its words. A part says with
// data-then where it goes instead: a selector. What is marked data-announce in the new part is read to who cannot see it.
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
  if (then) return document.querySelector(then);
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
